#pragma once
// Text of single words.
#include <cstdint>
#include <string>

namespace warpscope::machine {

/// Prints the text of every line's word: 32 hexadecimal digits, and optionally its address. Throws InputError FILE:LINE for others.
int print_words(const std::string& path, std::uint32_t architecture);

}  // namespace warpscope::machine
