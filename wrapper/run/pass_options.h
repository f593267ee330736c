#pragma once
#include <optional>
#include <string>
#include <vector>

namespace warpscope {

/// Options of the passes for --address-space, --no-boxes, --addresses-only and --group-order mirrored; InputError when the
/// list names an unknown one.
std::vector<std::string> pass_options(const std::optional<std::string>& address_spaces, bool boxes,
                                      bool addresses_only = false, bool mirrors_lanes = false);

}  // namespace warpscope
