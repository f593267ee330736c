#pragma once
// Launches as JSON, for programs that make the same launches elsewhere.
#include <string>

#include "wrapper/launch/evaluated_launch.h"
#include "wrapper/launch/resolved_launch.h"

namespace warpscope {

/// One line of JSON: kernel, global, local, offset, defines, define_values, build_options, sizes, and per argument what is
/// known of name, type, values, count, bytes, local, null and fill {kind, numbers or path}.
std::string to_json(const EvaluatedLaunch& launch);

/// One line of JSON: kernel, global, local, offset, and the arguments in their order: name, kind (buffer, local, value), type as
/// in the source, element {name, kind (signed, unsigned, floating, opaque), bytes, lanes}, bytes of a buffer or of local
/// memory, value as text, null, and a buffer's fill as above (kind "values": listed one by one).
std::string to_json(const ResolvedLaunch& launch);

}  // namespace warpscope
