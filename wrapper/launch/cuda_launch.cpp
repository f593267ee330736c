#include "wrapper/launch/cuda_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "traces/base/error.h"

namespace warpscope {
namespace {

/// Names as they are compared: without spaces, and 256 for 256U.
std::string plain(const std::string& name) {
  std::string result;
  bool in_number = false;
  for (const char c : name) {
    if (c == ' ') continue;
    const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (in_number && (c == 'U' || c == 'L')) continue;
    const bool starts_number = is_digit && !result.empty() && (result.back() == '<' || result.back() == ',');
    in_number = is_digit && (in_number || starts_number);
    result += c;
  }
  return result;
}

bool is_meant(const KernelSignature& kernel, const std::string& wanted) {
  const std::string name = plain(kernel.name);
  return name == wanted || name.substr(0, name.find_first_of("<(")) == wanted;
}

}  // namespace

void apply_grid(LaunchDescription& launch, const CudaLaunchOptions& options) {
  if (options.grid.empty() && options.block.empty()) return;
  if (!launch.local.empty() && !options.block.empty())
    throw InputError("--block and --local: both are the work-items of a work-group, expected one of them");
  if (!options.block.empty()) launch.local = options.block;
  if (options.grid.empty()) return;
  if (!launch.global.empty())
    throw InputError("--grid and --global: expected one of them (global size = grid * block)");
  if (options.block.empty())
    throw InputError("--grid without --block: expected both, as in <<<grid, block>>>");
  for (std::size_t d = 0; d < std::max(options.grid.size(), options.block.size()); ++d) {
    const std::string groups = d < options.grid.size() ? options.grid[d] : "1";
    const std::string items = d < options.block.size() ? options.block[d] : "1";
    launch.global.push_back(fmt::format("({})*({})", groups, items));
  }
}

void find_cuda_kernel(LaunchDescription& launch, const std::vector<KernelSignature>& kernels,
                      const std::string& source_name) {
  if (kernels.empty())
    throw InputError(
        fmt::format("{}: no kernel in this file, expected a __global__ function (of a template, one that "
                    "is launched or instantiated somewhere)",
                    source_name));
  if (!launch.kernel) return;
  const std::string wanted = plain(*launch.kernel);
  std::vector<std::string> found;
  for (const KernelSignature& kernel : kernels) {
    if (plain(kernel.name) == wanted) found = {kernel.name};
    if (plain(kernel.name) == wanted) break;
    if (is_meant(kernel, wanted)) found.push_back(kernel.name);
  }
  if (found.size() == 1) launch.kernel = found.front();
}

void complete_cuda_launch(LaunchDescription& launch, const KernelSignature& kernel,
                          const CudaLaunchOptions& options) {
  bool has_dynamic = false;
  for (std::size_t index = 0; index < kernel.parameters.size(); ++index) {
    const ParameterSignature& parameter = kernel.parameters[index];
    const bool is_dynamic = parameter.kind == ParameterSignature::Kind::Local;
    has_dynamic = has_dynamic || is_dynamic;
    if (!is_dynamic && parameter.fixed_bytes == 0) continue;
    if (is_dynamic && !options.dynamic_shared) continue;
    ArgumentDescription known;
    known.where = is_dynamic ? "--dynamic-shared" : fmt::format("variable '{}'", parameter.name);
    known.bytes = is_dynamic ? *options.dynamic_shared : std::to_string(parameter.fixed_bytes);
    if (!is_dynamic) known.fill = Fill{Fill::Kind::Zero, {}, ""};
    const auto [place, is_new] = launch.arguments.emplace(parameter.name, known);
    if (is_new) continue;
    if (is_dynamic)
      throw InputError(
          fmt::format("{}: extern __shared__ '{}' has its size from --dynamic-shared, too; expected "
                      "one of them",
                      place->second.where, parameter.name));
    if (!place->second.count && !place->second.bytes) place->second.bytes = known.bytes;
  }
  if (options.dynamic_shared && !has_dynamic)
    throw InputError(fmt::format("--dynamic-shared: kernel '{}' has no extern __shared__ array, expected one",
                                 kernel.name));
}

}  // namespace warpscope
