#pragma once
// The file that a program's source came from: programs read it themselves, and hand over its text without a name.
#include <filesystem>
#include <string>

namespace warpscope::layer {

/// Name, without folders, of the file below `folder` whose text this is, up to blanks at its end: the one in the uppermost folder, the first by
/// name there. Empty if there is none among the first 5,000 entries of the folder and `levels` levels below.
std::string file_of_text(const std::string& text, const std::filesystem::path& folder, int levels = 3);

/// Name under which a source is shown: that of its file in the working directory, in the folder above, or in those of the program, else
/// name_of_source().
std::string shown_name_of(const std::string& text);

}  // namespace warpscope::layer
