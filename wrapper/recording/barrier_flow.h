#pragma once
// Whether the work-items of a group agree on the branches that decide which barriers they come to. OpenCL
// asks for that; where they do not agree, PoCL lets all of them follow one, and what is recorded is of no
// kernel.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/program/kernel_info.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {

class BarrierFlow {
 public:
  explicit BarrierFlow(const KernelInfo& kernel);

  /// Whether some branch decides about a barrier; otherwise nothing needs to be checked.
  [[nodiscard]] bool has_branches() const { return !decisions_.empty(); }
  /// A barrier that some branch decides about.
  [[nodiscard]] std::optional<SiteId> barrier() const;
  /// Where two paths part, or one does not fit the kernel: the barrier in question. Nothing if all agree.
  struct Divergence {
    std::uint32_t first_path = 0, second_path = 0;  ///< equal if that path does not fit the kernel
    SiteId barrier;
  };
  [[nodiscard]] std::optional<Divergence> check(const std::vector<Path>& paths) const;

 private:
  struct Decisions;
  [[nodiscard]] Decisions follow(const Path& path) const;
  [[nodiscard]] SiteId parting(const Path& a, const Path& b) const;

  const KernelInfo& kernel_;
  std::vector<std::uint32_t> decisions_;  ///< per block the barrier that its branch decides about, or kNone
};

}  // namespace warpscope
