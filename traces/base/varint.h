#pragma once
// The integer codings of traces/FORMAT.md: varint, zigzag and runs of equal deltas.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/base/error.h"
#include "traces/base/shape_table.h"
#include "traces/base/varint_word.h"

namespace warpscope {

inline void put_varint(std::vector<std::uint8_t>& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<std::uint8_t>(value));
}

constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (0 - (value & 1)));
}

inline void put_delta_run(std::vector<std::uint8_t>& out, DeltaRun run) {
  const std::uint64_t folded = zigzag(run.delta);
  assert(folded >> 63 == 0 && run.repeat > 0);
  put_varint(out, folded << 1 | (run.repeat > 1 ? 1 : 0));
  if (run.repeat > 1) put_varint(out, run.repeat - 2);
}

/// Reads a payload from front to back; every overrun is an InputError that says what was being read.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes)
      : begin_(bytes.data()), cursor_(begin_), end_(begin_ + bytes.size()) {}

  [[nodiscard]] std::size_t remaining() const { return static_cast<std::size_t>(end_ - cursor_); }

  std::uint64_t varint(const char* what) {
    std::uint64_t value = 0;
    if (remaining() >= sizeof value && read_short_varint(cursor_, value)) return value;
    return long_varint(what);
  }

  /// Goes behind `expected` where these bytes come next; otherwise false, and nothing is done.
  bool skip_if(std::span<const std::uint8_t> expected) {
    if (remaining() < expected.size() || !std::equal(expected.begin(), expected.end(), cursor_)) return false;
    cursor_ += expected.size();
    return true;
  }

  /// A count of things that take at least `least_bytes` each: more than the rest can hold is damage, and must
  /// not make us allocate.
  std::uint64_t count(const char* what, std::size_t least_bytes = 1) {
    const std::uint64_t value = varint(what);
    if (value > remaining() / least_bytes) fail(what, "is larger than the payload can hold");
    return value;
  }

  DeltaRun delta_run(const char* what) {
    const std::uint64_t code = varint(what);
    if ((code & 1) == 0) return {unzigzag(code >> 1), 1};
    const std::uint64_t extra = varint(what);
    if (extra > ~std::uint64_t{0} - 2) fail(what, "repeats too often");
    return {unzigzag(code >> 1), extra + 2};
  }

  [[nodiscard]] const std::uint8_t* position() const { return cursor_; }

  std::span<const std::uint8_t> bytes(std::uint64_t size, const char* what) {
    if (size > remaining()) fail(what, "goes beyond the end");
    const std::span<const std::uint8_t> result(cursor_, static_cast<std::size_t>(size));
    cursor_ += size;
    return result;
  }

  [[noreturn]] void fail(const char* what, const char* problem) const {
    throw InputError("payload byte " + std::to_string(cursor_ - begin_) + ": " + what + " " + problem);
  }

 private:
  std::uint64_t long_varint(const char* what) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (cursor_ == end_) fail(what, "is cut off");
      const std::uint8_t byte = *cursor_++;
      if (shift == 63 && byte > 1) break;
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    fail(what, "does not fit 64 bits");
  }

  const std::uint8_t* begin_;
  const std::uint8_t* cursor_;
  const std::uint8_t* end_;
};

}  // namespace warpscope
