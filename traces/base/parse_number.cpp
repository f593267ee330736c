#include "traces/base/parse_number.h"

#include <charconv>

namespace warpscope {

std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t least, std::uint64_t most,
                                          Notation notation) {
  int base = 10;
  if (notation == Notation::DecimalOrHex && (text.starts_with("0x") || text.starts_with("0X"))) {
    base = 16;
    text.remove_prefix(2);
  }
  const char* const end = text.data() + text.size();
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), end, value, base);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < least || value > most) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

}  // namespace warpscope
