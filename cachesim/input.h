#pragma once
// What kind of input the user gave, also when it comes through a pipe.
#include <string>

#include "traces/stream.h"

namespace warpscope {

/// From the first bytes of a file; "-": of standard input, which is left unread (a pipe or a regular file).
FileKind detect_input(const std::string& path);
/// "capture", "binary stream", "text stream", "transaction stream", …
std::string input_kind_name(FileKind kind);

}  // namespace warpscope
