#pragma once
// The kernels of a file as a launch needs them: in which code each is, what it takes, and what cannot be read.
#include <optional>
#include <string>
#include <vector>

#include "machine/cubin/cubin.h"
#include "machine/cubin/fat_binary.h"

namespace warpscope::machine {

struct ListedParameter {
  std::string name;         ///< as --arg has it: "param_0" where nothing says it
  std::string type;         ///< "" where the symbol does not say it
  std::uint64_t bytes = 0;  ///< 0: not known, of PTX
};

struct ListedKernel {
  std::string code;                                     ///< "sm_90a", "compute_80"
  std::string symbol;                                   ///< as the file has it
  std::string compiler;                                 ///< "ptxas 13.0.88", or ""
  std::optional<std::uint32_t> registers, stack_bytes;  ///< only machine code has them
  std::uint64_t shared_bytes = 0;                       ///< static
  bool has_lines = false;                               ///< compiled with -lineinfo; of PTX, it has .loc
  std::vector<ListedParameter> parameters;
};

/// What files hold, one line for each that cannot be read, and for each whose kernels cannot be executed here.
struct Inventory {
  std::vector<ListedKernel> kernels;
  std::vector<std::string> unread, notes;
};

/// `path`: next to which sources are looked for; `architecture`: only code for it, 0 = all. Throws InputError for a file without a kernel.
Inventory inventory(DeviceContent content, const std::string& path, std::uint32_t architecture);
std::string inventory_text(const Inventory& found);
std::string inventory_json(const Inventory& found);

}  // namespace warpscope::machine
