#include "traces/base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace warpscope {
namespace {

constexpr std::size_t kLongestMessage = 2000;

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  ///< 0 = the text does not begin with a character of UTF-8
};

/// The first character of `text`, which is not empty.
CodePoint first_character(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < bytes) return {};
  std::uint32_t value = byte(0) & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[bytes] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return {};
  return {value, bytes};
}

bool is_control(std::uint32_t c) {
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return true;
  const bool turns_text = c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
                          (c >= 0x2066 && c <= 0x2069);
  return turns_text || c == 0x2028 || c == 0x2029;
}

std::string escaped(std::string_view text, bool keep_lines) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = first_character(text);
    const std::size_t bytes = std::max<std::size_t>(c.bytes, 1);
    const char letter = text.front();
    if (c.bytes == 0) {
      result += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(letter));
    } else if (!is_control(c.value) || (keep_lines && (letter == '\n' || letter == '\t'))) {
      result += text.substr(0, bytes);
    } else if (letter == '\n' || letter == '\t') {
      result += letter == '\n' ? "\\n" : "\\t";
    } else if (c.value < 0x80) {
      result += fmt::format("\\x{:02x}", c.value);
    } else {
      result += fmt::format("\\u{{{:x}}}", c.value);
    }
    text.remove_prefix(bytes);
  }
  return result;
}

bool continues_character(char c) {
  return (static_cast<std::uint8_t>(c) & 0xc0) == 0x80;
}

/// Printable text without its middle, where it is longer.
std::string without_middle(const std::string& text, std::size_t longest) {
  if (text.size() <= longest) return text;
  std::size_t head = longest / 2;
  std::size_t tail = text.size() - (longest - head);
  while (head > 0 && continues_character(text[head])) --head;
  while (tail < text.size() && continues_character(text[tail])) ++tail;
  return text.substr(0, head) + "…" + text.substr(tail);
}

}  // namespace

std::string printable(std::string_view text) {
  return escaped(text, false);
}

std::string printable_lines(std::string_view text) {
  return escaped(text, true);
}

std::string quotable(std::string_view text, std::size_t longest) {
  return without_middle(escaped(text, false), longest);
}

std::string printable_message(std::string_view text) {
  const std::string line = escaped(text, false);
  std::string result;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    result += without_middle(line.substr(at, end - at), kLongestQuote);
    if (end < line.size()) result += ' ';
    at = end + 1;
  }
  return without_middle(result, kLongestMessage);
}

std::string printable_log(std::string_view text) {
  constexpr std::size_t kMostLines = 200, kLongestLine = 400;
  std::string result;
  std::size_t lines = 0;
  while (!text.empty()) {
    if (lines++ == kMostLines) return result + "…\n";
    const std::size_t end = std::min(text.find('\n'), text.size());
    result += without_middle(escaped(text.substr(0, end), true), kLongestLine) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace warpscope
