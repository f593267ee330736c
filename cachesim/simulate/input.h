#pragma once
#include <string>

#include "traces/stream/stream.h"

namespace warpscope {

/// "capture", "binary stream", "text stream", "transaction stream", …: for reports and messages.
std::string input_kind_name(FileKind kind);

}  // namespace warpscope
