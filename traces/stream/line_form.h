#pragma once
// The short way through a text stream: lines that look like the one before, except for digits of the address.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "traces/base/simd.h"

namespace warpscope {

/// How many digits the address of a line has, and everything behind it. As where a line ends is known before
/// it is read, the host begins with the next lines meanwhile; and all digits are looked at together.
class LineForm {
 public:
  static constexpr int kMaxDigits = 16, kMaxTail = 16;
  /// Bytes that must be readable before a line and behind it.
  static constexpr std::size_t kSlack = 16;
  static constexpr int kAddressBits = 62;  ///< differences of addresses must fit the stream's delta coding

  /// From now on, none is alike.
  void forget() { length_ = 0; }
  /// The form of a line that starts with "0x" and this many digits, and ends with a tail of this many bytes.
  void learn(const char* line, int digits, std::ptrdiff_t tail);
  /// Reads the addresses of lines of this form up to `end`, as many as there is room for, and moves the
  /// cursor behind the last of them; none, and the cursor stays, when the next line is different.
  /// Not inlined: among the rest of a reader, its constants would not stay in registers.
  [[gnu::noinline]] std::size_t read(const char*& cursor, const char* end,
                                     std::span<std::uint64_t> addresses) const;

 private:
  [[gnu::always_inline]] bool read_line(const char* line, std::uint64_t& address) const;

  int length_ = 0;  ///< length of a line with its newline; 0 = no form
  int digits_end_ = 0;
  unsigned no_digits_ = 0;   ///< bits of the 16 bytes before digits_end_ that are no digits
  unsigned tail_bytes_ = 0;  ///< bits of the 16 bytes from digits_end_ on that belong to the line
  simd::Vector digit_bytes_{};
  simd::Vector tail_{};
  // As members they are loaded before the loop over lines; written there, they are made again for every line.
  simd::Vector zero_digit_ = simd::bytes_of('0'), last_decimal_ = simd::bytes_of(9);
  simd::Vector to_lower_case_ = simd::bytes_of(0x20);
  simd::Vector first_letter_ = simd::bytes_of('a'), last_letter_ = simd::bytes_of(5);
  simd::Vector low_nibble_ = simd::bytes_of(0x0f);
};

}  // namespace warpscope
