#include "scheduler/block_counts.h"

#include <bit>

#include "scheduler/replay/capture_source.h"
#include "scheduler/run_launch.h"
#include "traces/base/progress.h"
#include "traces/program/context.h"

namespace warpscope {
namespace {

class Counter final : public ReplayObserver {
 public:
  explicit Counter(std::size_t blocks) : counts_(blocks) {}
  void block(WorkGroupId /*group*/, WarpId /*warp*/, BlockId block, LaneMask lanes) override {
    BlockCount& count = counts_[block.value()];
    ++count.warps;
    count.work_items += static_cast<unsigned>(std::popcount(lanes));
  }
  void site(WorkGroupId /*group*/, WarpId /*warp*/, SiteId /*site*/, LaneMask /*lanes*/) override {}
  [[nodiscard]] const std::vector<BlockCount>& counts() const { return counts_; }

 private:
  std::vector<BlockCount> counts_;
};

/// Who wants the blocks needs no accesses.
class NoAccesses final : public WarpAccessSink {
 public:
  void begin(const StreamHeader& /*header*/) override {}
  void begin_launch(LaunchId /*launch*/) override {}
  void access(const WarpAccess& /*access*/) override {}
  void end() override {}
};

}  // namespace

std::vector<BlockCount> count_blocks(const WorkGroupSource& source, const ScheduleOptions& options) {
  ScheduleOptions one_by_one;  // one work-group at a time is kindest to the host's caches
  one_by_one.warp_size = options.warp_size;
  one_by_one.reconvergence = options.reconvergence;
  one_by_one.max_work_groups = 1;
  Counter counter(source.launch().kernel->blocks.size());
  NoAccesses nowhere;
  run_launch(source, one_by_one, nowhere, {}, &counter);
  return counter.counts();
}

nlohmann::ordered_json block_counts_json(const CaptureReader& capture, const ScheduleOptions& options) {
  validate(options);
  const std::vector<const LaunchInfo*> launches = options.launches.of(capture.launches());
  nlohmann::ordered_json json = {{"schema", 1}, {"kind", "block counts"}};
  json["context"] = program_json("warpsched");
  json["context"].update({{"capture", capture.hash()},
                          {"partial", capture.is_partial()},
                          {"warp_size", options.warp_size},
                          {"reconvergence", options.reconvergence}});
  json["launches"] = nlohmann::ordered_json::array();
  Progress progress("counting", launches.size(), "launches");
  for (const LaunchInfo* launch : launches) {
    auto blocks = nlohmann::ordered_json::array();
    for (const BlockCount& count : count_blocks(CaptureSource(capture, *launch), options))
      blocks.push_back({{"warps", count.warps}, {"work_items", count.work_items}});
    json["launches"].push_back(
        {{"id", launch->id.value()}, {"kernel", launch->kernel->name}, {"blocks", std::move(blocks)}});
    progress.update(json["launches"].size());
  }
  return json;
}

}  // namespace warpscope
