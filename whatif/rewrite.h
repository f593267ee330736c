#pragma once
// Writes the capture that a changed layout would have given.
#include <string>

#include "whatif/fit.h"

namespace warpscope::whatif {

/// Reads `capture` work-group by work-group and writes `path` ("-" = standard output). `options_text`: how it
/// was made, for its header. On any error nothing is left of it. Throws InputError (full disk, damage, an
/// order of work-groups for a launch that holds only some, an index that no address depends on); Refused: an
/// index that cannot be sorted. Says in `plan` what was sorted.
void rewrite(const CaptureReader& capture, Plan& plan, const KernelFits& fits, const std::string& path,
             const std::string& options_text);

/// The trace of a work-group after the change.
WorkGroupTrace changed_trace(const WorkGroupTrace& trace, const std::vector<SiteFit>& fits, const Plan& plan);

}  // namespace warpscope::whatif
