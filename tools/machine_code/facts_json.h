#pragma once
// What the code of a function is made of, as JSON.
#include <nlohmann/json.hpp>

#include "machine/cubin/cubin.h"
#include "machine/facts/counts.h"

namespace warpscope::machine {

/// {"memory", "kind", "bytes"}.
nlohmann::ordered_json json_of(const AccessClass& access);
/// {"instructions", "classes", "accesses", "spills", "lines"}; null for an architecture whose instructions are not known.
nlohmann::ordered_json counts_json(const Cubin& cubin, const Function& function);

}  // namespace warpscope::machine
