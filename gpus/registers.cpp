#include "gpus/registers.h"

#include <algorithm>
#include <cmath>

namespace warpscope {
namespace {

// Least squares over the kernels of benchmarks/kernels, nvcc 13.0 for sm_75, which has registers to spare
// (validation/truth/estimates/registers.py --fit).
constexpr double kLeast = 10.9, kPerValue = 0.72, kUnrolled = 15.1;
constexpr std::uint32_t kLargestBody = 50;  // instructions of a loop that was unrolled
// Compute capabilities times ten.
constexpr int kFirst = 20;     // before, registers are given out otherwise, and nothing is known
constexpr int kSparing = 70;   // from here on the compiler was seen to spend no more than all warps can have
constexpr int kCompiled = 75;  // the first that nvcc 13.0 compiles for

int capability(const GpuPreset& preset) {
  if (preset.vendor != "NVIDIA" || !preset.compute_capability) return 0;
  return static_cast<int>(std::lround(std::stod(*preset.compute_capability) * 10));
}

bool is_fitted(const KernelInfo& kernel, const GpuPreset& preset) {
  return kernel.registers_estimate != 0 && kernel.registers_from == KernelInfo().registers_from &&
         capability(preset) >= kFirst;
}

/// A loop of one block with a load, without a barrier, whose number of iterations is known when it begins.
bool is_unrolled(const KernelInfo& kernel, const LoopInfo& loop) {
  const BlockInfo& block = kernel.blocks.at(loop.header.value());
  const auto phis = block.mix.find("phi");
  const std::uint32_t body = block.instructions - (phis == block.mix.end() ? 0 : phis->second);
  bool loads = false, waits = false;
  for (const SiteId site : block.sites) {
    loads |= kernel.sites.at(site.value()).kind == AccessKind::Load;
    waits |= kernel.sites.at(site.value()).kind == AccessKind::Barrier;
  }
  const auto& successors = block.successors;
  return loop.is_counted && loads && !waits && body <= kLargestBody &&
         std::find(successors.begin(), successors.end(), loop.header) != successors.end();
}

/// With which a core holds all the warps that it can, in the compiler's steps of 8.
std::uint32_t of_full_core(const GpuPreset& preset) {
  if (!preset.registers_per_core || !preset.max_work_items_per_core) return ~std::uint32_t{0};
  return *preset.registers_per_core / *preset.max_work_items_per_core / 8 * 8;
}

}  // namespace

std::uint32_t registers_of(const KernelInfo& kernel, const GpuPreset& preset) {
  const std::uint32_t live = kernel.registers_estimate;
  if (!is_fitted(kernel, preset)) return live;
  const bool unrolled = std::any_of(kernel.loops.begin(), kernel.loops.end(),
                                    [&](const LoopInfo& loop) { return is_unrolled(kernel, loop); });
  const auto wanted =
      static_cast<std::uint32_t>(std::ceil(kLeast + kPerValue * live + (unrolled ? kUnrolled : 0)));
  const std::uint32_t most = capability(preset) >= kSparing ? of_full_core(preset) : wanted;
  return std::max(live, std::min(wanted, most));
}

std::string registers_stand_in(const KernelInfo& kernel, const GpuPreset& preset) {
  if (!is_fitted(kernel, preset) || capability(preset) >= kCompiled) return "";
  return capability(preset) >= kSparing ? "sm_80" : "sm_75";
}

}  // namespace warpscope
