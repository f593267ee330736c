#pragma once
#include <string>
#include <vector>

#include "cachesim/infer/inference.h"

namespace warpscope::infer {

std::string text_report(const std::vector<Finding>& findings, const Table& table);
/// docs/tools/infer.md describes it.
nlohmann::ordered_json report_json(const std::vector<Finding>& findings, const Table& table,
                                   const std::string& input);

}  // namespace warpscope::infer
