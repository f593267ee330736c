#include "traces/stream/line_form.h"

#include <array>

namespace warpscope {
namespace {

constexpr auto kEmptyThenFull = [] {
  std::array<char, 2 * LineForm::kMaxDigits> bytes{};
  for (std::size_t i = LineForm::kMaxDigits; i < bytes.size(); ++i) bytes[i] = static_cast<char>(0xff);
  return bytes;
}();

}  // namespace

void LineForm::learn(const char* line, int digits, std::ptrdiff_t tail) {
  length_ = 0;
  if (digits > kMaxDigits || tail > kMaxTail) return;
  length_ = 2 + digits + static_cast<int>(tail);
  digits_end_ = 2 + digits;
  no_digits_ = (1u << (kMaxDigits - digits)) - 1;
  digit_bytes_ = simd::load(&kEmptyThenFull[static_cast<std::size_t>(digits)]);
  tail_bytes_ = (1u << tail) - 1;
  tail_ = simd::load(line + digits_end_);
}

inline bool LineForm::read_line(const char* line, std::uint64_t& address) const {
  const simd::Vector tail = simd::load(line + digits_end_);
  if ((simd::byte_bits(simd::equal_bytes(tail, tail_)) & tail_bytes_) != tail_bytes_) return false;
  const simd::Vector bytes = simd::load(line + digits_end_ - kMaxDigits);
  const simd::Vector decimal = simd::not_above(simd::subtract_bytes(bytes, zero_digit_), last_decimal_);
  const simd::Vector letter =
      simd::not_above(simd::subtract_bytes(simd::either(bytes, to_lower_case_), first_letter_), last_letter_);
  if ((simd::byte_bits(simd::either(decimal, letter)) | no_digits_) != 0xffff) return false;
  const simd::Vector nine_for_letters =
      simd::both(letter, last_decimal_);  // 'a' is 1 in its low half, and 9 more
  address = simd::join_digits(
      simd::both(simd::add_bytes(simd::both(bytes, low_nibble_), nine_for_letters), digit_bytes_));
  return line[0] == '0' && line[1] == 'x' && address >> kAddressBits == 0;
}

std::size_t LineForm::read(const char*& cursor, const char* end, std::span<std::uint64_t> addresses) const {
  if (length_ == 0) return 0;
  const LineForm form = *this;  // which no address can overwrite, so that it stays in registers
  const char* line = cursor;
  std::size_t lines = 0;
  for (; lines < addresses.size() && line != end; line += form.length_, ++lines)
    if (!form.read_line(line, addresses[lines])) break;
  cursor = line;
  return lines;
}

}  // namespace warpscope
