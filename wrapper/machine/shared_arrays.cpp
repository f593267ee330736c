#include "wrapper/machine/shared_arrays.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine/cubin/ptx_text.h"
#include "machine/cubin/source_name.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kReservedSince = 90;    ///< architecture that keeps the first bytes for itself
constexpr std::uint64_t kReservedBytes = 1024;  ///< how many

}  // namespace

std::uint64_t reserved_shared_bytes(const machine::Cubin& cubin) {
  return cubin.architecture() >= kReservedSince ? kReservedBytes : 0;
}

std::vector<SharedArray> shared_arrays(const machine::Cubin& cubin, const machine::Function& kernel) {
  std::uint64_t next = reserved_shared_bytes(cubin);
  std::uint64_t largest = 1;
  std::vector<SharedArray> arrays;
  for (const machine::PtxKernel& text : machine::read_ptx(cubin.ptx_text())) {
    if (text.name != kernel.name) continue;
    for (const machine::PtxVariable& one : text.shared) {
      const std::uint64_t alignment = std::max<std::uint64_t>(one.alignment, 1);
      largest = std::max(largest, alignment);
      if (one.bytes == 0) continue;
      next = (next + alignment - 1) / alignment * alignment;
      std::string name = machine::variable_name(one.name);
      const auto uses = std::count_if(arrays.begin(), arrays.end(),
                                      [&](const SharedArray& other) { return other.name == name; });
      if (uses != 0) name += fmt::format("_{}", uses + 1);
      arrays.push_back({std::move(name), next, one.bytes});
      next += one.bytes;
    }
  }
  // Functions that are called may have arrays of their own, and then the order is not known.
  if (next > kernel.shared_bytes || kernel.shared_bytes - next >= std::max<std::uint64_t>(largest, 16))
    return {};
  return arrays;
}

std::vector<SharedArray> joined(const std::vector<SharedArray>& arrays, std::uint64_t width) {
  std::vector<SharedArray> result;
  for (const SharedArray& array : arrays) {
    const std::uint64_t end = result.empty() ? 0 : result.back().offset + result.back().bytes;
    // The last access that begins in the array before ends at the next multiple. Nothing is merged over a gap.
    if (result.empty() || array.offset != end || array.offset >= (end + width - 1) / width * width) {
      result.push_back(array);
      continue;
    }
    result.back().name += "+" + array.name;
    result.back().bytes = array.offset + array.bytes - result.back().offset;
  }
  return result;
}

}  // namespace warpscope
