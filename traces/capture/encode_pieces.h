#pragma once
#include <cstdint>
#include <vector>

#include "traces/program/work_group_trace.h"

namespace warpscope {

// What encode() writes, piece by piece, for a work-group whose shapes are not in memory. Behind the front comes, for each
// site with accesses, the number of its shapes, each as its number of runs and the runs, and its members; then the orders.

/// Bits of a payload's flags.
constexpr std::uint64_t kHasOrders = 1, kHasWalks = 2;

/// Everything before the columns. `trace` needs no columns.
void put_front(std::vector<std::uint8_t>& out, const WorkGroupTrace& trace);
/// Which shape each work-item has, and where it begins. `column` needs no shapes.
void put_members(std::vector<std::uint8_t>& out, const SiteColumn& column);
/// The recorded orders, if there are any.
void put_orders(std::vector<std::uint8_t>& out, const WorkGroupTrace& trace);

}  // namespace warpscope
