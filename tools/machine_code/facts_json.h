#pragma once
// What the code of a function is made of, as JSON.
#include <nlohmann/json.hpp>

#include "machine/cubin/cubin.h"

namespace warpscope::machine {

/// {"instructions", "classes", "accesses", "spills", "lines"}; null for an architecture whose instructions are not known.
nlohmann::ordered_json counts_json(const Cubin& cubin, const Function& function);

}  // namespace warpscope::machine
