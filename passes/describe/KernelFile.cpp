//===- KernelFile.cpp -------------------------------------------------------===//
#include "passes/describe/KernelFile.h"

#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>

namespace wspasses {

std::string writeKernelFile(const std::string &Path,
                            const std::vector<warpscope::KernelInfo> &Kernels) try {
  nlohmann::json Array = nlohmann::json::array();
  for (const warpscope::KernelInfo &Kernel : Kernels)
    Array.push_back(warpscope::to_json(Kernel));
  std::ofstream Out(Path);
  Out << Array.dump(1) << '\n';
  Out.close();
  return Out ? "" : Path + ": cannot write";
} catch (const std::exception &Error) {
  return Path + ": " + Error.what();
}

} // namespace wspasses
