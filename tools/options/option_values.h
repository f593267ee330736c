#pragma once
// What a command line says, option by option. Names of options are given without "--".
#include <boost/program_options.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace warpscope {

using OptionValues = boost::program_options::variables_map;

/// Whether the option has a value, its default included.
bool has_option(const OptionValues& values, const char* name);
/// Whether the switch is there. False for a switch that the command does not have.
bool is_on(const OptionValues& values, const char* name);
/// The option's text; absent where it has no value.
std::optional<std::string> text_of(const OptionValues& values, const char* name);
/// All texts of an option that may be repeated.
std::vector<std::string> texts_of(const OptionValues& values, const char* name);

/// Throws InputError "<what>: '<text>', expected a whole number from <least> to <most>" for anything else.
std::uint64_t whole_number(const std::string& what, const std::string& text, std::uint64_t least,
                           std::uint64_t most);
/// The option's whole number; absent where it has no value. Throws InputError as whole_number().
std::optional<std::uint64_t> number_of(const OptionValues& values, const char* name, std::uint64_t least,
                                       std::uint64_t most);
/// The same for numbers of 32 bits: `most` is below 2^32.
std::optional<std::uint32_t> number32_of(const OptionValues& values, const char* name, std::uint32_t least,
                                         std::uint32_t most);

}  // namespace warpscope
