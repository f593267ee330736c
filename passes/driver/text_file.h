#pragma once
// Text files of a work directory.
#include <string>

namespace warpscope {

/// Throws InputError if the file cannot be written completely.
void write_text_file(const std::string &path, const std::string &text);

} // namespace warpscope
