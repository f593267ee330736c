#pragma once
// The result as tables for a terminal.
#include <cstddef>
#include <ostream>

#include "cachesim/result/result_json.h"

namespace warpscope {

/// Writes the tables of a result (the JSON of result_json()); `top` = how many sites and buffers.
void write_text_report(const nlohmann::ordered_json& result, std::size_t top, std::ostream& out);

}  // namespace warpscope
