#pragma once
// How many registers NVIDIA's compiler gives a kernel that Warpscope's clang compiled, of which only the live values are known.
#include <cstdint>
#include <string>

#include "gpus/preset.h"
#include "traces/program/kernel_info.h"

namespace warpscope {

/// 32-bit registers of a work-item on this GPU. Where the number is a compiler's count (KernelInfo::registers_from), and where none is
/// known (0), it is the capture's. Else the fit of validation/notes/registers.md: from the live values, and from whether there is a loop
/// that the compiler unrolls by four; from compute capability 7.0 on at most what lets a core hold all its warps, if the values fit into
/// that. Never less than the live values; of GPUs of others just those.
std::uint32_t registers_of(const KernelInfo& kernel, const GpuPreset& preset);

/// The architecture whose code stands in where the compiler of the fit does not know the GPU's: "sm_75", "sm_80"; empty where it knows
/// it, and where the number is no fit.
std::string registers_stand_in(const KernelInfo& kernel, const GpuPreset& preset);

}  // namespace warpscope
