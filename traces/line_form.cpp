#include "traces/line_form.h"

#include <array>

namespace warpscope {
namespace {

constexpr auto kEmptyThenFull = [] {
  std::array<char, 2 * LineForm::kMaxDigits> bytes{};
  for (std::size_t i = LineForm::kMaxDigits; i < bytes.size(); ++i) bytes[i] = static_cast<char>(0xff);
  return bytes;
}();

__m128i load(const char* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

__m128i not_above(__m128i bytes, __m128i most) {
  return _mm_cmpeq_epi8(_mm_min_epu8(bytes, most), bytes);
}

}  // namespace

void LineForm::learn(const char* line, int digits, std::ptrdiff_t tail) {
  length_ = 0;
  if (digits > kMaxDigits || tail > kMaxTail) return;
  length_ = 2 + digits + static_cast<int>(tail);
  digits_end_ = 2 + digits;
  no_digits_ = (1 << (kMaxDigits - digits)) - 1;
  digit_bytes_ = load(&kEmptyThenFull[static_cast<std::size_t>(digits)]);
  tail_bytes_ = (1 << tail) - 1;
  tail_ = load(line + digits_end_);
}

inline bool LineForm::read_line(const char* line, std::uint64_t& address) const {
  const __m128i tail = load(line + digits_end_);
  if ((_mm_movemask_epi8(_mm_cmpeq_epi8(tail, tail_)) & tail_bytes_) != tail_bytes_) return false;
  const __m128i bytes = load(line + digits_end_ - kMaxDigits);
  const __m128i decimal = not_above(_mm_sub_epi8(bytes, zero_digit_), last_decimal_);
  const __m128i letter =
      not_above(_mm_sub_epi8(_mm_or_si128(bytes, to_lower_case_), first_letter_), last_letter_);
  if ((_mm_movemask_epi8(_mm_or_si128(decimal, letter)) | no_digits_) != 0xffff) return false;
  const __m128i nibbles = _mm_and_si128(
      _mm_add_epi8(_mm_and_si128(bytes, low_nibble_), _mm_and_si128(letter, last_decimal_)), digit_bytes_);
  // The highest digit is in the first byte: pairs of digits become bytes, and those are reversed.
  const __m128i pairs = _mm_or_si128(_mm_slli_epi16(nibbles, 4), _mm_srli_epi16(nibbles, 8));
  const __m128i value = _mm_and_si128(pairs, low_byte_);
  address = __builtin_bswap64(static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_packus_epi16(value, value))));
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
