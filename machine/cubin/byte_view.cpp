#include "machine/cubin/byte_view.h"

#include <fmt/format.h>

#include "traces/base/error.h"

namespace warpscope::machine {

std::string_view ByteView::text(std::uint64_t at, const char* what) const {
  check(at, 1, what);
  const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + at;
  const void* end = std::memchr(begin, 0, bytes_.size() - at);
  if (end == nullptr) fail(fmt::format("{} at byte {} has no end, expected a zero byte", what, at));
  return {begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin)};
}

void ByteView::fail(const std::string& problem) const {
  throw InputError(name_ + ": " + problem);
}

void ByteView::fail_short(std::uint64_t at, std::uint64_t count, const char* what) const {
  fail(fmt::format("{} is cut short: {} bytes at byte {}, expected them within {} bytes", what, count, at,
                   bytes_.size()));
}

std::uint64_t ByteCursor::take_uleb(const char* what) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = take<std::uint8_t>(what);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80U) == 0) return value;
  }
  view_.fail(fmt::format("{} at byte {} is longer than 64 bits", what, at_));
}

std::int64_t ByteCursor::take_sleb(const char* what) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = take<std::uint8_t>(what);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80U) != 0) continue;
    if ((byte & 0x40U) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
    return static_cast<std::int64_t>(value);
  }
  view_.fail(fmt::format("{} at byte {} is longer than 64 bits", what, at_));
}

}  // namespace warpscope::machine
