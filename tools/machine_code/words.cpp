#include "tools/machine_code/words.h"

#include <fmt/format.h>

#include <charconv>
#include <iostream>

#include "machine/isa/printer.h"
#include "traces/base/error.h"
#include "traces/base/printable.h"
#include "traces/files/line_reader.h"

namespace warpscope::machine {
namespace {

bool parse_hex(std::string_view text, std::uint64_t& value) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size();
}

std::string_view take_field(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
  line.remove_prefix(begin);
  const std::string_view field = line.substr(0, line.find_first_of(" \t\r"));
  line.remove_prefix(field.size());
  return field;
}

}  // namespace

int print_words(const std::string& path, std::uint32_t architecture) {
  const Decoder decoder(architecture);
  LineReader reader(path);
  std::string text;
  for (std::string_view line; reader.next(line);) {
    std::string_view word = take_field(line);
    const std::string_view place = take_field(line);
    if (word.empty()) continue;
    if (word.starts_with("0x")) word.remove_prefix(2);
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::uint64_t address = 0;
    if (word.size() != 32 || !parse_hex(word.substr(0, 16), high) || !parse_hex(word.substr(16), low))
      reader.fail(fmt::format("{} is no word, expected 32 hexadecimal digits", quotable(word)));
    if (!place.empty() && !parse_hex(place, address))
      reader.fail(fmt::format("{} is no address, expected hexadecimal digits", quotable(place)));
    text += text_of(decoder, decoder.decode(low, high, static_cast<std::uint32_t>(address)));
    text += '\n';
    if (text.size() > (std::size_t{1} << 16)) {
      std::cout << text;
      text.clear();
    }
  }
  std::cout << text;
  return kExitOk;
}

}  // namespace warpscope::machine
