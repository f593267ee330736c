#include "tools/options/option_values.h"

#include <fmt/format.h>

#include "traces/base/error.h"
#include "traces/base/parse_number.h"

namespace warpscope {

bool has_option(const OptionValues& values, const char* name) {
  return values.count(name) != 0;
}

bool is_on(const OptionValues& values, const char* name) {
  return values.count(name) != 0 && values[name].as<bool>();
}

std::optional<std::string> text_of(const OptionValues& values, const char* name) {
  if (values.count(name) == 0) return std::nullopt;
  return values[name].as<std::string>();
}

std::vector<std::string> texts_of(const OptionValues& values, const char* name) {
  if (values.count(name) == 0) return {};
  return values[name].as<std::vector<std::string>>();
}

std::uint64_t whole_number(const std::string& what, const std::string& text, std::uint64_t least,
                           std::uint64_t most) {
  if (const auto value = parse_number(text, least, most)) return *value;
  throw InputError(fmt::format("{}: '{}', expected a whole number from {} to {}", what, text, least, most));
}

std::optional<std::uint64_t> number_of(const OptionValues& values, const char* name, std::uint64_t least,
                                       std::uint64_t most) {
  const auto text = text_of(values, name);
  if (!text) return std::nullopt;
  return whole_number(std::string("--") + name, *text, least, most);
}

std::optional<std::uint32_t> number32_of(const OptionValues& values, const char* name, std::uint32_t least,
                                         std::uint32_t most) {
  const auto number = number_of(values, name, least, most);
  if (!number) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

}  // namespace warpscope
