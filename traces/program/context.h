#pragma once
// What the context of a stream and of a result have in common.
#include <nlohmann/json.hpp>
#include <string>

#include "traces/program/layout.h"

namespace warpscope {

/// Which program wrote a file: `tool`, `version`, `commit`, `model_version`.
nlohmann::ordered_json program_json(const std::string& tool);

/// Where the buffers are: every key of LayoutOptions, in bytes.
nlohmann::ordered_json layout_json(const LayoutOptions& layout);

}  // namespace warpscope
