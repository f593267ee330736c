#pragma once
// Kernels and work-groups made by hand, for tests and benchmarks: no compiler, no capture file. The analyses
// are the textbook's set equations, slow and independent of scheduler/.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "scheduler/replay/work_group_source.h"
#include "traces/stream/stream.h"

namespace warpscope::testing {

/// A kernel under construction: blocks in reverse post-order, each with its sites and successors.
class KernelBuilder {
 public:
  SiteId site(AccessKind kind, AddressSpace space = AddressSpace::Global, std::uint32_t width = 4) {
    SiteInfo info;
    info.kind = kind;
    info.space = space;
    info.width = has_address(kind) ? width : 0;
    kernel_.sites.push_back(info);
    return SiteId(static_cast<std::uint32_t>(kernel_.sites.size() - 1));
  }
  SiteId load() { return site(AccessKind::Load); }
  SiteId store() { return site(AccessKind::Store); }
  SiteId barrier() { return site(AccessKind::Barrier); }

  /// Adds the next block.
  void block(std::vector<SiteId> sites, std::vector<std::uint32_t> successors) {
    BlockInfo info;
    info.sites = std::move(sites);
    for (const std::uint32_t s : successors) info.successors.emplace_back(s);
    kernel_.blocks.push_back(info);
  }
  /// Finds post-dominators and natural loops.
  KernelInfo finish() {
    kernel_.name = "test";
    find_post_dominators();
    find_loops();
    return kernel_;
  }

 private:
  using Set = std::set<std::uint32_t>;
  using Graph = std::vector<Set>;  ///< edges

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(kernel_.blocks.size()); }

  /// dominators[b] = blocks on every way from `root` to b along `edges`.
  static std::vector<Set> dominators(const Graph& edges, std::uint32_t root) {
    Set all;
    for (std::uint32_t b = 0; b < edges.size(); ++b) all.insert(b);
    std::vector<Set> result(edges.size(), all);
    result[root] = {root};
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t b = 0; b < edges.size(); ++b) {
        if (b == root) continue;
        Set common = all;
        for (std::uint32_t p = 0; p < edges.size(); ++p) {
          if (!edges[p].contains(b)) continue;
          std::erase_if(common, [&](std::uint32_t c) { return !result[p].contains(c); });
        }
        common.insert(b);
        changed |= common != result[b];
        result[b] = common;
      }
    }
    return result;
  }

  void find_post_dominators() {
    Graph reversed(size() + 1);
    for (std::uint32_t b = 0; b < size(); ++b) {
      for (const BlockId s : kernel_.blocks[b].successors) reversed[s.value()].insert(b);
      if (kernel_.blocks[b].successors.empty()) reversed[size()].insert(b);
    }
    const auto post = dominators(reversed, size());
    for (std::uint32_t b = 0; b < size(); ++b) {
      for (const std::uint32_t candidate :
           post[b]) {  // the strict post-dominator that all others post-dominate
        if (candidate == b || candidate == size() || post[candidate].size() + 1 != post[b].size()) continue;
        kernel_.blocks[b].immediate_post_dominator = BlockId(candidate);
      }
    }
  }

  void find_loops() {
    Graph edges(size());
    for (std::uint32_t b = 0; b < size(); ++b) {
      for (const BlockId s : kernel_.blocks[b].successors) edges[b].insert(s.value());
    }
    const auto dominating = dominators(edges, 0);
    std::map<std::uint32_t, Set> bodies;  // by header
    for (std::uint32_t tail = 0; tail < size(); ++tail) {
      for (const std::uint32_t header : edges[tail]) {
        if (!dominating[tail].contains(header)) continue;
        Set& body = bodies[header];
        body.insert(header);
        std::vector<std::uint32_t> todo{tail};
        while (!todo.empty()) {
          const std::uint32_t b = todo.back();
          todo.pop_back();
          if (!body.insert(b).second) continue;
          for (std::uint32_t p = 0; p < size(); ++p) {
            if (edges[p].contains(b)) todo.push_back(p);
          }
        }
      }
    }
    std::vector<const Set*> body_of;
    for (const auto& [header, body] : bodies) {
      LoopInfo loop;
      loop.header = BlockId(header);
      for (std::uint32_t outer = 0; outer < body_of.size();
           ++outer) {  // the smallest loop around is the parent
        if (!body_of[outer]->contains(header)) continue;
        if (!loop.parent || body_of[outer]->size() < body_of[*loop.parent]->size()) loop.parent = outer;
      }
      body_of.push_back(&body);
      kernel_.loops.push_back(loop);
    }
    for (std::uint32_t b = 0; b < size(); ++b) {
      for (std::uint32_t l = 0; l < body_of.size(); ++l) {
        auto& innermost = kernel_.blocks[b].loop;
        if (!body_of[l]->contains(b)) continue;
        if (!innermost || body_of[l]->size() < body_of[*innermost]->size()) innermost = l;
      }
    }
  }

  KernelInfo kernel_;
};

/// Outcomes of one work-item's terminators with several successors, in order.
using Outcomes = std::vector<std::uint32_t>;
/// Location of execution `count` (from 0) of `site` by work-item `item` of `group`.
using AddressOf =
    std::function<std::uint64_t(std::uint32_t group, std::uint32_t item, SiteId site, std::uint64_t count)>;

/// One step of one work-item: what the expanded trace holds.
struct ItemAccess {
  std::uint32_t block;
  SiteId site;
  AccessKind kind;
  std::uint64_t key;  ///< 0 for barriers and fences
};

/// Runs one work-item from entry to return.
inline std::vector<ItemAccess> expand(const KernelInfo& kernel, const Outcomes& outcomes, std::uint32_t group,
                                      std::uint32_t item, const AddressOf& address) {
  std::vector<ItemAccess> accesses;
  std::vector<std::uint64_t> count(kernel.sites.size(), 0);
  std::size_t used = 0;
  for (std::uint32_t b = 0;;) {
    const BlockInfo& block = kernel.blocks.at(b);
    for (const SiteId s : block.sites) {
      const AccessKind kind = kernel.sites.at(s.value()).kind;
      const std::uint64_t executed = count[s.value()]++;
      accesses.push_back({b, s, kind, has_address(kind) ? address(group, item, s, executed) : 0});
    }
    if (block.successors.empty()) return accesses;
    b = block.successors.at(block.successors.size() == 1 ? 0 : outcomes.at(used++)).value();
  }
}

/// Packs work-items as a capture does: equal paths and equal address differences once each.
inline WorkGroupTrace make_group(
    const KernelInfo& kernel, std::uint32_t group, std::uint32_t items,
    const std::function<Outcomes(std::uint32_t group, std::uint32_t item)>& outcomes_of,
    const AddressOf& address) {
  WorkGroupTrace trace;
  trace.group = WorkGroupId(group);
  trace.work_items = items;
  trace.columns.resize(kernel.sites.size());
  trace.recorded_order.resize(items);
  std::map<std::vector<bool>, std::uint32_t> paths;
  std::vector<std::map<std::vector<std::int64_t>, std::uint32_t>> shapes(kernel.sites.size());
  for (std::uint32_t item = 0; item < items; ++item) {
    const Outcomes outcomes = outcomes_of(group, item);
    const auto accesses = expand(kernel, outcomes, group, item, address);
    std::vector<bool> bits;
    std::uint32_t b = 0;
    for (std::size_t used = 0; !kernel.blocks[b].successors.empty();) {
      const auto& successors = kernel.blocks[b].successors;
      const std::uint32_t outcome = successors.size() == 1 ? 0 : outcomes[used++];
      for (std::uint32_t k = 0; k < outcome_bits(successors.size()); ++k)
        bits.push_back((outcome >> k & 1) != 0);
      b = successors[outcome].value();
    }
    std::vector<std::vector<std::uint64_t>> keys(kernel.sites.size());
    std::vector<std::uint64_t> counts(kernel.sites.size(), 0);
    for (const ItemAccess& access : accesses) {
      ++counts[access.site.value()];
      trace.recorded_order[item].push_back(access.site);
      if (has_address(access.kind)) keys[access.site.value()].push_back(access.key);
    }
    const auto [path, is_new] = paths.try_emplace(bits, static_cast<std::uint32_t>(trace.paths.size()));
    if (is_new) {
      Path packed;
      packed.bit_count = bits.size();
      packed.bits.resize((bits.size() + 63) / 64);
      for (std::size_t i = 0; i < bits.size(); ++i) packed.bits[i / 64] |= std::uint64_t{bits[i]} << (i % 64);
      packed.site_counts = counts;
      trace.paths.push_back(packed);
    }
    trace.path_of.push_back(path->second);
    for (std::size_t s = 0; s < keys.size(); ++s) {
      if (keys[s].empty()) continue;
      SiteColumn& column = trace.columns[s];
      column.shape_of.resize(items, SiteColumn::kNone);
      column.first.resize(items, 0);
      std::vector<std::int64_t> deltas;
      for (std::size_t i = 1; i < keys[s].size(); ++i) {
        deltas.push_back(static_cast<std::int64_t>(keys[s][i] - keys[s][i - 1]));
      }
      const auto [shape, new_shape] =
          shapes[s].try_emplace(deltas, static_cast<std::uint32_t>(column.shapes.size()));
      if (new_shape) {
        std::vector<DeltaRun> runs;
        for (const std::int64_t delta : deltas) {
          if (runs.empty() || runs.back().delta != delta) runs.push_back({delta, 0});
          ++runs.back().repeat;
        }
        column.shapes.add(runs);
      }
      column.shape_of[item] = shape->second;
      column.first[item] = keys[s][0];
    }
  }
  return trace;
}

/// Work-groups held in memory.
class VectorSource final : public WorkGroupSource {
 public:
  VectorSource(const KernelInfo& kernel, Dim3 groups, Dim3 local) {
    launch_.kernel = kernel;
    launch_.local = local;
    launch_.global = {groups.x * local.x, groups.y * local.y, groups.z * local.z};
    launch_.dimensions = 3;
  }
  void add(WorkGroupTrace trace) {
    groups_.push_back(trace.group);
    traces_.emplace(trace.group, std::move(trace));
  }
  LaunchInfo& mutable_launch() { return launch_; }
  WorkGroupTrace& trace(std::uint32_t group) { return traces_.at(WorkGroupId(group)); }

  [[nodiscard]] const LaunchInfo& launch() const override { return launch_; }
  [[nodiscard]] const std::vector<WorkGroupId>& groups() const override { return groups_; }
  using WorkGroupSource::read;
  [[nodiscard]] WorkGroupTrace read(WorkGroupId group) const override {
    reads_.push_back(group);
    return traces_.at(group);
  }
  [[nodiscard]] const std::vector<WorkGroupId>& reads() const { return reads_; }

 private:
  LaunchInfo launch_;
  std::vector<WorkGroupId> groups_;
  std::map<WorkGroupId, WorkGroupTrace> traces_;
  mutable std::vector<WorkGroupId> reads_;
};

/// One warp access with its addresses spelt out.
struct Seen {
  std::uint32_t core = 0, group = 0, warp = 0, site = 0;
  LaneMask mask = 0;
  std::vector<std::uint64_t> keys;  ///< in lane order
  bool operator==(const Seen&) const = default;
};

/// Keeps every access, and checks what WarpAccess promises.
class RecordingSink final : public WarpAccessSink {
 public:
  void begin(const StreamHeader& header) override { headers.push_back(header); }
  void begin_launch(LaunchId launch) override { launches.push_back(launch.value()); }
  void end() override { ended = true; }
  void access(const WarpAccess& access) override {
    const LanePattern& pattern = *access.pattern;
    Seen one{access.core.value(), access.group.value(), access.warp.value(),
             access.site.value(), pattern.mask,         {}};
    const auto lanes = static_cast<std::uint32_t>(std::popcount(pattern.mask));
    const auto bounds = std::minmax_element(pattern.offset.begin(), pattern.offset.begin() + lanes);
    patterns_hold &= lanes > 0 && lanes == pattern.lanes && pattern.offset[0] == 0 &&
                     pattern.min_offset == *bounds.first && pattern.max_offset == *bounds.second;
    for (std::uint32_t l = 0; l < pattern.lanes; ++l) {
      one.keys.push_back(access.base.key() + static_cast<std::uint64_t>(pattern.offset[l]));
    }
    if (access.pattern_id != 0) {
      std::vector<std::int64_t> content(pattern.offset.begin(), pattern.offset.begin() + lanes);
      content.push_back(static_cast<std::int64_t>(pattern.mask));
      patterns_hold &= known.try_emplace(access.pattern_id, content).first->second == content;
    }
    seen.push_back(one);
  }

  std::vector<Seen> seen;
  std::vector<StreamHeader> headers;
  std::vector<std::uint32_t> launches;
  std::map<std::uint32_t, std::vector<std::int64_t>> known;  ///< patterns by id
  bool patterns_hold = true;
  bool ended = false;
};

}  // namespace warpscope::testing
