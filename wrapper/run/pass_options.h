#pragma once
#include <optional>
#include <string>
#include <vector>

namespace warpscope {

/// Options of the instrumenting pass for --address-space, --no-boxes and --addresses-only; InputError when the list
/// names an unknown one.
std::vector<std::string> pass_options(const std::optional<std::string>& address_spaces, bool boxes,
                                      bool addresses_only = false);

}  // namespace warpscope
