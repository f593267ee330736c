#pragma once
// What must hold in every capture beyond what its coding enforces.
#include <cstdint>
#include <string>
#include <vector>

#include "traces/capture/reader.h"

namespace warpscope {

struct CheckResult {
  std::vector<std::string> violations;  ///< the first few, each with its place
  std::uint64_t violation_count = 0;
  std::uint64_t work_groups = 0;
  std::uint64_t work_items = 0;
  std::uint64_t accesses = 0;              ///< accesses of all address spaces
  std::uint64_t outside_every_object = 0;  ///< accesses whose location has buffer id 0; not a violation
};

/// Checks: every work-group there exactly once (all of them, unless sampled or partial); on every path the
/// walk through the control-flow graph uses up the outcomes and executes each site as often as recorded;
/// every access is inside its buffer; a recorded order equals the walked one. Damaged work-groups are
/// violations, too.
CheckResult check_capture(const CaptureReader& capture);

/// As check_capture() for one work-group; adds to `result`.
void check_work_group(const KernelInfo& kernel, const std::vector<BufferInfo>& buffers,
                      const WorkGroupTrace& trace, CheckResult& result);

}  // namespace warpscope
