#include "cachesim/simulate/fan_out.h"

namespace warpscope {

void WorkGroupFanOut::begin(const StreamHeader& header) {
  share_ = (header.work_groups + cores_ - 1) / cores_;
  for (std::size_t run = 0; run < coalescers_.size(); ++run) {
    if (cores_ > 1) filters_.emplace_back(header.work_groups, share_, seed_ + run);
    coalescers_[run]->begin(header);
  }
}

void WorkGroupFanOut::begin_launch(LaunchId launch) {
  for (const auto& coalescer : coalescers_) coalescer->begin_launch(launch);
}

void WorkGroupFanOut::access(const WarpAccess& access) {
  for (std::size_t run = 0; run < coalescers_.size(); ++run)
    if (filters_.empty() || filters_[run].chosen(access.group)) coalescers_[run]->access(access);
}

void WorkGroupFanOut::end() {
  for (const auto& coalescer : coalescers_) coalescer->end();
}

}  // namespace warpscope
