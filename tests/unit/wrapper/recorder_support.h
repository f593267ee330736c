#pragma once
// A kernel without OpenCL: calls the runtime's table as an instrumented kernel would, and expands what comes
// out.
#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "passes/RuntimeABI.h"
#include "traces/base/error.h"
#include "traces/program/work_group_trace.h"
#include "wrapper/recording/recorder.h"

extern "C" WarpscopeAbiV2 WARPSCOPE_ABI_SYMBOL_ID;

namespace warpscope::testing_support {

inline const WarpscopeAbiV2& table() {
  return WARPSCOPE_ABI_SYMBOL_ID;
}

class MemorySink : public WorkGroupSink {
 public:
  void add(LaunchId, WorkGroupId group, std::span<const std::uint8_t> payload) override {
    const std::lock_guard lock(mutex_);
    if (!failure.empty()) throw InputError(failure);
    payloads[group.value()].assign(payload.begin(), payload.end());
  }
  void add_part(LaunchId, WorkGroupId group, std::uint32_t part,
                std::span<const std::uint8_t> bytes) override {
    const std::lock_guard lock(mutex_);
    if (!failure.empty()) throw InputError(failure);
    std::vector<std::uint8_t>& parts = parts_[group.value()];
    if (part == 0) parts.clear();
    parts.insert(parts.end(), bytes.begin(), bytes.end());
    most_parts = std::max(most_parts, part + 1);
  }
  void end_parts(LaunchId, WorkGroupId group) override {
    const std::lock_guard lock(mutex_);
    payloads[group.value()] = std::move(parts_[group.value()]);
  }
  std::map<std::uint32_t, std::vector<std::uint8_t>> payloads;
  std::string failure;
  std::uint32_t most_parts = 0;  ///< of a work-group

 private:
  std::mutex mutex_;
  std::map<std::uint32_t, std::vector<std::uint8_t>> parts_;
};

inline SiteInfo site(AccessKind kind, AddressSpace space = AddressSpace::Global, std::uint32_t width = 4,
                     StaticObject object = {}) {
  SiteInfo info;
  info.kind = kind;
  info.space = space;
  info.width = has_address(kind) ? width : 0;
  info.object = object;
  return info;
}

inline WorkGroupTrace decoded(const MemorySink& sink, std::uint32_t group, const KernelInfo& kernel) {
  std::vector<bool> carries_address;
  for (const SiteInfo& info : kernel.sites) carries_address.push_back(has_address(info.kind));
  return decode(sink.payloads.at(group), LaunchId(0), WorkGroupId(group), carries_address);
}

/// Every location of one work-item at one site, in order.
inline std::vector<std::uint64_t> locations(const WorkGroupTrace& trace, std::uint32_t item,
                                            std::uint32_t site) {
  const SiteColumn& column = trace.columns[site];
  if (column.shape_of.empty() || column.shape_of[item] == SiteColumn::kNone) return {};
  std::vector<std::uint64_t> result{column.first[item]};
  for (const DeltaRun& run : column.shapes[column.shape_of[item]])
    for (std::uint64_t step = 0; step < run.repeat; ++step)
      result.push_back(result.back() + static_cast<std::uint64_t>(run.delta));
  return result;
}

inline std::vector<bool> outcomes(const WorkGroupTrace& trace, std::uint32_t item) {
  const Path& path = trace.paths[trace.path_of[item]];
  std::vector<bool> bits;
  for (std::uint64_t at = 0; at < path.bit_count; ++at)
    bits.push_back((path.bits[at / 64] >> (at % 64) & 1) != 0);
  return bits;
}

}  // namespace warpscope::testing_support
