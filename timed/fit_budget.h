#pragma once
// A timed simulation of as much as a budget of work allows.
#include "cachesim/sampling/budget.h"
#include "timed/request.h"

namespace warpscope::timed {

/// Asks in `request` for a sample of launches or for first waves if all would be more than `work` (cachesim/sampling/budget.h).
BudgetChoice fit_budget(TimedRequest& request, double work);

}  // namespace warpscope::timed
