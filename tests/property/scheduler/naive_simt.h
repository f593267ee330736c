#pragma once
// A SIMT machine in the textbook's words, lane by lane: the witness for scheduler/. It works on expanded
// work-items (lists of block, site and location) and shares nothing with the replay but the kernel
// description.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tests/unit/scheduler/kernel_builder.h"

namespace warpscope::testing {

/// A lane's run: blocks entered, in order, and accesses made.
struct LaneRun {
  std::vector<std::uint32_t> blocks;
  std::vector<ItemAccess> accesses;
};

inline LaneRun lane_run(const KernelInfo& kernel, const Outcomes& outcomes, std::uint32_t group,
                        std::uint32_t item, const AddressOf& address) {
  LaneRun run;
  run.accesses = expand(kernel, outcomes, group, item, address);
  std::size_t used = 0;
  std::uint32_t b = 0;
  for (;;) {
    run.blocks.push_back(b);
    const auto& successors = kernel.blocks[b].successors;
    if (successors.empty()) return run;
    b = successors[successors.size() == 1 ? 0 : outcomes[used++]].value();
  }
}

/// What a warp does in a moment: all lanes in `lanes` make an access at `site`, each at its own location.
struct NaiveStep {
  SiteId site;
  AccessKind kind;
  std::map<std::uint32_t, std::uint64_t> keys;  ///< lane -> location
};

/// Recursive form of immediate post-dominator reconvergence: run(lanes, from, until) executes the lanes from
/// block `from` until each of them enters block `until`. Where they part, the parts run one after the other
/// up to the common post-dominator, lowest block first.
class NaiveIpdom {
 public:
  NaiveIpdom(const KernelInfo& kernel, const std::vector<LaneRun>& lanes) : kernel_(kernel), lanes_(lanes) {
    for (std::uint32_t l = 0; l < lanes.size(); ++l) {
      at_block_[l] = 0;
      at_access_[l] = 0;
    }
  }
  std::vector<NaiveStep> run() {
    std::vector<std::uint32_t> all;
    for (const auto& [lane, position] : at_block_) all.push_back(lane);
    run(all, 0, std::nullopt);
    return steps_;
  }

 private:
  void run(const std::vector<std::uint32_t>& lanes, std::uint32_t from, std::optional<std::uint32_t> until) {
    std::uint32_t b = from;
    while (!until || b != *until) {
      for (const SiteId site : kernel_.blocks[b].sites) execute(lanes, b, site);
      if (kernel_.blocks[b].successors.empty()) return;
      std::map<std::uint32_t, std::vector<std::uint32_t>> parts;  // by next block, ascending
      for (const std::uint32_t lane : lanes) parts[lanes_[lane].blocks.at(++at_block_[lane])].push_back(lane);
      if (parts.size() == 1) {
        b = parts.begin()->first;
        continue;
      }
      const auto& meeting = kernel_.blocks[b].immediate_post_dominator;
      const auto stop = meeting ? std::optional(meeting->value()) : std::nullopt;
      for (const auto& [next, part] : parts) run(part, next, stop);
      if (!stop) return;
      b = *stop;
    }
  }
  void execute(const std::vector<std::uint32_t>& lanes, std::uint32_t block, SiteId site) {
    NaiveStep step{site, kernel_.sites[site.value()].kind, {}};
    for (const std::uint32_t lane : lanes) {
      const ItemAccess& access = lanes_[lane].accesses.at(at_access_[lane]++);
      if (access.block != block || access.site != site) std::abort();  // the witness itself is wrong
      step.keys[lane] = access.key;
    }
    steps_.push_back(step);
  }

  const KernelInfo& kernel_;
  const std::vector<LaneRun>& lanes_;
  std::map<std::uint32_t, std::size_t> at_block_, at_access_;
  std::vector<NaiveStep> steps_;
};

/// The rule of Crawford 2014, from its text: of all lanes' next accesses take the earliest by loop snapshot
/// and instruction, together with every lane that has the same.
class NaiveLoops {
 public:
  NaiveLoops(const KernelInfo& kernel, const std::vector<LaneRun>& lanes) : kernel_(kernel), lanes_(lanes) {}

  std::vector<NaiveStep> run() {
    std::vector<std::vector<Stamped>> stamped;
    for (const LaneRun& lane : lanes_) stamped.push_back(stamp(lane));
    std::vector<std::size_t> next(lanes_.size(), 0);
    std::vector<NaiveStep> steps;
    for (;;) {
      const Stamped* earliest = nullptr;
      for (std::size_t l = 0; l < lanes_.size(); ++l) {
        if (next[l] == stamped[l].size()) continue;
        const Stamped& candidate = stamped[l][next[l]];
        if (earliest == nullptr || candidate.time < earliest->time) earliest = &candidate;
      }
      if (earliest == nullptr) return steps;
      NaiveStep step{earliest->access.site, earliest->access.kind, {}};
      const auto time = earliest->time;
      for (std::size_t l = 0; l < lanes_.size(); ++l) {
        if (next[l] == stamped[l].size() || stamped[l][next[l]].time != time) continue;
        step.keys[static_cast<std::uint32_t>(l)] = stamped[l][next[l]++].access.key;
      }
      steps.push_back(step);
    }
  }

 private:
  struct Stamped {
    ItemAccess access;
    std::vector<std::uint64_t> time;  ///< header, iteration, header, iteration, …, block, position in block
  };

  [[nodiscard]] std::vector<std::uint32_t> nest(std::uint32_t block) const {
    std::vector<std::uint32_t> loops;
    for (auto l = kernel_.blocks[block].loop; l; l = kernel_.loops[*l].parent)
      loops.insert(loops.begin(), *l);
    return loops;
  }
  [[nodiscard]] std::vector<Stamped> stamp(const LaneRun& lane) const {
    std::vector<Stamped> result;
    std::map<std::uint32_t, std::uint64_t> iterations;  // of the loops that the lane is in
    std::size_t access = 0;
    for (const std::uint32_t block : lane.blocks) {
      std::map<std::uint32_t, std::uint64_t> now;
      for (const std::uint32_t loop : nest(block)) {
        const auto before = iterations.find(loop);
        now[loop] = before == iterations.end() ? 0 : before->second;
        if (before != iterations.end() && kernel_.loops[loop].header.value() == block) ++now[loop];
      }
      iterations = now;
      std::uint64_t position = 0;
      for (const SiteId site : kernel_.blocks[block].sites) {
        Stamped one{lane.accesses.at(access++), {}};
        if (one.access.site != site) std::abort();
        for (const std::uint32_t loop : nest(block)) {
          one.time.push_back(kernel_.loops[loop].header.value());
          one.time.push_back(now[loop]);
        }
        one.time.push_back(block);
        one.time.push_back(position++);
        result.push_back(one);
      }
    }
    return result;
  }

  const KernelInfo& kernel_;
  const std::vector<LaneRun>& lanes_;
};

}  // namespace warpscope::testing
