#pragma once
#include <string>
#include <vector>

namespace warpscope {

/// `cachesim sweep`; the exit status. `arguments`: what follows "sweep". Throws InputError.
int run_sweep(const std::vector<std::string>& arguments);

}  // namespace warpscope
