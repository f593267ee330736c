#pragma once
// Text inputs that are held in memory as a whole: presets, launch files, sources, tables.
#include <cstdint>
#include <string>

namespace warpscope {

constexpr std::uint64_t kMostTextBytes = 256u << 20;  ///< most bytes of a text input
constexpr std::uint64_t kMostLineBytes = 1u
                                         << 20;  ///< most bytes of a line, if the input is not a regular file

/// The content of a file, pipe or device; "-" = standard input. Throws InputError "PATH: cannot read: …,
/// expected EXPECTED": it cannot be read, is a folder, has more than kMostTextBytes, or is not a regular file
/// and has a line of more than kMostLineBytes (so that /dev/zero is refused at once).
std::string read_text_file(const std::string& path, const std::string& expected);

}  // namespace warpscope
