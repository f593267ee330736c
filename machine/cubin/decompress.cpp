#include "machine/cubin/decompress.h"

#include <fmt/format.h>
#include <zstd.h>

namespace warpscope::machine {
namespace {

constexpr std::uint64_t kLargestImage = std::uint64_t{1} << 30;

void check_size(const ByteView& packed, std::uint64_t bytes) {
  if (bytes > kLargestImage)
    packed.fail(fmt::format("unpacks to {} bytes, expected at most {}", bytes, kLargestImage));
}

/// A length of LZ4: 15 in the token goes on in bytes until one is not 255.
std::uint64_t take_length(ByteCursor& cursor, std::uint64_t length) {
  if (length != 15) return length;
  for (std::uint8_t more = 255; more == 255; length += more)
    more = cursor.take<std::uint8_t>("a length of LZ4");
  return length;
}

void copy_match(const ByteView& packed, std::vector<std::uint8_t>& out, std::uint64_t distance,
                std::uint64_t length) {
  if (distance == 0 || distance > out.size())
    packed.fail(
        fmt::format("LZ4 repeats bytes {} in front of byte {}, expected them within what was unpacked",
                    distance, out.size()));
  for (std::uint64_t copied = 0; copied < length; ++copied) out.push_back(out[out.size() - distance]);
}

}  // namespace

std::vector<std::uint8_t> unpack_lz4(const ByteView& packed, std::uint64_t bytes) {
  check_size(packed, bytes);
  std::vector<std::uint8_t> out;
  const auto grow = [&](std::uint64_t count) {
    if (count > bytes - out.size())
      packed.fail(fmt::format("LZ4 unpacks to more than the {} bytes expected", bytes));
  };
  ByteCursor cursor(packed);
  while (!cursor.at_end()) {
    const auto token = cursor.take<std::uint8_t>("LZ4");
    const std::uint64_t literals = take_length(cursor, token >> 4);
    grow(literals);
    const ByteView copied = cursor.take_bytes(literals, "LZ4");
    out.insert(out.end(), copied.bytes().begin(), copied.bytes().end());
    if (cursor.at_end()) break;
    const auto distance = cursor.take<std::uint16_t>("LZ4");
    const std::uint64_t length = take_length(cursor, token & 15) + 4;
    grow(length);
    copy_match(packed, out, distance, length);
  }
  if (out.size() != bytes)
    packed.fail(fmt::format("LZ4 unpacks to {} bytes, expected {}", out.size(), bytes));
  return out;
}

std::vector<std::uint8_t> unpack_zstd(const ByteView& packed, std::uint64_t bytes) {
  check_size(packed, bytes);
  const std::uint64_t said = ZSTD_getFrameContentSize(packed.bytes().data(), packed.size());
  if (said != bytes) packed.fail(fmt::format("is no zstd frame of {} bytes", bytes));
  std::vector<std::uint8_t> out(bytes);
  const std::size_t unpacked = ZSTD_decompress(out.data(), out.size(), packed.bytes().data(), packed.size());
  if (ZSTD_isError(unpacked) != 0U)
    packed.fail(fmt::format("zstd cannot unpack it: {}", ZSTD_getErrorName(unpacked)));
  if (unpacked != bytes) packed.fail(fmt::format("zstd unpacks to {} bytes, expected {}", unpacked, bytes));
  return out;
}

}  // namespace warpscope::machine
