#pragma once
// Observations out of the CSV that validation/hw-profile writes: launches of the micro-benchmarks probe,
// store_load and store_store. Others are passed over.
#include <istream>
#include <string>

#include "cachesim/infer/observation.h"

namespace warpscope::infer {

bool is_hardware_csv(const std::string& text);
/// Throws InputError: another format, lines that are no rows of it.
Observations read_hardware_csv(std::istream& in, const std::string& name);

}  // namespace warpscope::infer
