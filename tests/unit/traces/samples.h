#pragma once
// Small captures for tests: a kernel with a loop, a branch, a barrier and a local array, and random walks
// through it.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/random.h"
#include "tests/unit/temporary_folder.h"
#include "traces/capture/writer.h"
#include "traces/program/capture.h"
#include "traces/program/delta_runs.h"
#include "traces/program/work_group_trace.h"

namespace warpscope::testing {

using warpscope::TemporaryFolder;

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// entry(0) -> loop(1) -> { odd(2) -> latch(3) | latch(3) } -> { exit(4) | loop(1) }
/// Sites: 0 load in the loop, 1 store in odd, 2 barrier in the exit, 3 local load in the exit, 4 atomic in
/// odd.
inline KernelInfo sample_kernel() {
  KernelInfo kernel;
  kernel.name = "sample";
  kernel.arguments = {{"in", "__global float*", AddressSpace::Global, true},
                      {"n", "int", AddressSpace::Private, false}};
  kernel.objects = {{"tile", AddressSpace::Local, 1024}};
  const auto block = [](std::vector<std::uint32_t> successors, std::vector<std::uint32_t> sites) {
    BlockInfo info;
    for (const auto id : successors) info.successors.emplace_back(id);
    for (const auto id : sites) info.sites.emplace_back(id);
    info.instructions = 5;
    info.mix = {{"int_alu", 3}, {"branch", 1}};
    return info;
  };
  kernel.blocks = {block({1}, {}), block({2, 3}, {0}), block({3}, {1, 4}), block({4, 1}, {}),
                   block({}, {2, 3})};
  kernel.loops = {{BlockId(1), {}}};
  for (const std::uint32_t inside : {1u, 2u, 3u}) kernel.blocks[inside].loop = 0;
  kernel.blocks[0].immediate_post_dominator = BlockId(1);
  kernel.blocks[1].immediate_post_dominator = BlockId(3);
  kernel.blocks[2].immediate_post_dominator = BlockId(3);
  kernel.blocks[3].immediate_post_dominator = BlockId(4);
  const auto site = [](AccessKind kind, AddressSpace space, std::uint32_t width, std::uint32_t in_block,
                       std::uint32_t position) {
    SiteInfo info;
    info.kind = kind;
    info.space = space;
    info.width = width;
    info.alignment = width == 0 ? 1 : width;
    info.function = "sample";
    info.locations = {{"sample.cl", 10 + in_block, 3 + position}};
    info.point = {BlockId(in_block), position};
    return info;
  };
  kernel.sites = {site(AccessKind::Load, AddressSpace::Global, 4, 1, 0),
                  site(AccessKind::Store, AddressSpace::Global, 4, 2, 0),
                  site(AccessKind::Barrier, AddressSpace::Local, 0, 4, 0),
                  site(AccessKind::Load, AddressSpace::Local, 4, 4, 1),
                  site(AccessKind::Atomic, AddressSpace::Global, 4, 2, 1)};
  kernel.sites[0].object = {StaticObject::Kind::Argument, 0};
  kernel.sites[0].consumers = {{BlockId(2), 0}};
  kernel.sites[0].earliest = ProgramPoint{BlockId(1), 0};
  kernel.sites[2].operation = "local";
  kernel.sites[4].operation = "add";
  return kernel;
}

inline LaunchInfo sample_launch(std::uint32_t id, std::uint64_t groups, std::uint64_t local) {
  LaunchInfo launch;
  launch.id = LaunchId(id);
  launch.kernel = sample_kernel();
  launch.global = {groups * local, 1, 1};
  launch.local = {local, 1, 1};
  launch.arguments = {{BufferId(1), 0, ""}, {BufferId(0), 0, "17"}};
  launch.objects = {BufferId(2)};
  launch.source_name = "sample.cl";
  launch.source = "__kernel void sample(__global float* in, int n) {}\n";
  return launch;
}

inline std::vector<BufferInfo> sample_buffers() {
  return {{BufferId(1), "in", AddressSpace::Global, 1u << 16, "read_write"},
          {BufferId(2), "tile", AddressSpace::Local, 1024, ""}};
}

inline const std::vector<bool>& sample_carries_address() {
  static const std::vector<bool> kCarries = {true, true, false, true, true};
  return kCarries;
}

/// Builds a canonical work-group from the accesses of its work-items, one after the other.
class TraceBuilder {
 public:
  TraceBuilder(std::uint32_t launch, std::uint32_t group, std::uint32_t work_items) {
    trace_.launch = LaunchId(launch);
    trace_.group = WorkGroupId(group);
    trace_.work_items = work_items;
    trace_.columns.resize(sample_carries_address().size());
  }

  /// The next work-item: its outcomes, and per site the locations it accesses (for sites without address:
  /// any).
  void item(const std::vector<bool>& outcomes, const std::vector<std::vector<std::uint64_t>>& locations) {
    const auto index = static_cast<std::uint32_t>(trace_.path_of.size());
    trace_.path_of.push_back(path_index(outcomes, locations));
    for (std::size_t site = 0; site < locations.size(); ++site) {
      if (!sample_carries_address()[site] || locations[site].empty()) continue;
      SiteColumn& column = trace_.columns[site];
      column.shape_of.resize(trace_.work_items, SiteColumn::kNone);
      column.first.resize(trace_.work_items, 0);
      column.first[index] = locations[site][0];
      column.shape_of[index] = shape_index(column, runs_between(locations[site]));
    }
  }

  [[nodiscard]] WorkGroupTrace& trace() { return trace_; }

 private:
  static std::uint32_t shape_index(SiteColumn& column, const std::vector<DeltaRun>& shape) {
    for (std::uint32_t index = 0; index < column.shapes.size(); ++index) {
      if (std::ranges::equal(column.shapes[index], shape)) return index;
    }
    column.shapes.add(shape);
    return static_cast<std::uint32_t>(column.shapes.size() - 1);
  }

  std::uint32_t path_index(const std::vector<bool>& outcomes,
                           const std::vector<std::vector<std::uint64_t>>& locations) {
    const auto next = static_cast<std::uint32_t>(trace_.paths.size());
    const auto [entry, is_new] = known_paths_.try_emplace(outcomes, next);
    if (!is_new) return entry->second;
    Path path;
    path.bit_count = outcomes.size();
    path.bits.resize((outcomes.size() + 63) / 64);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      path.bits[i / 64] |= std::uint64_t{outcomes[i]} << (i % 64);
    }
    for (const auto& site : locations) path.site_counts.push_back(site.size());
    trace_.paths.push_back(std::move(path));
    return next;
  }

  WorkGroupTrace trace_;
  std::map<std::vector<bool>, std::uint32_t> known_paths_;
};

/// Random walks through the sample kernel: 1 to 6 iterations, mostly regular addresses.
inline WorkGroupTrace random_trace(Random& random, std::uint32_t launch, std::uint32_t group,
                                   std::uint32_t work_items, bool record_order = false) {
  TraceBuilder builder(launch, group, work_items);
  std::vector<std::vector<SiteId>> orders;
  for (std::uint32_t item = 0; item < work_items; ++item) {
    std::vector<bool> outcomes;
    std::vector<std::vector<std::uint64_t>> locations(5);
    std::vector<SiteId> order;
    const auto execute = [&](std::uint32_t site, std::uint64_t location) {
      locations[site].push_back(location);
      order.emplace_back(site);
    };
    const std::uint64_t iterations = 1 + random.below(random.below(4) == 0 ? 6 : 2);
    for (std::uint64_t i = 0; i < iterations; ++i) {
      const std::uint64_t offset = random.below(8) == 0 ? random.below(1u << 14) * 4 : item * 4 + i * 256;
      execute(0, BufferAddr(BufferId(1), offset).key());
      const bool even = random.below(3) != 0;
      outcomes.push_back(even);
      if (!even) {
        execute(1, BufferAddr(BufferId(1), item * 4).key());
        execute(4, BufferAddr(BufferId(1), 0).key());
      }
      outcomes.push_back(i + 1 < iterations);
    }
    execute(2, 0);
    execute(3, BufferAddr(BufferId(2), item % 256 * 4).key());
    builder.item(outcomes, locations);
    orders.push_back(std::move(order));
  }
  if (record_order) builder.trace().recorded_order = std::move(orders);
  return std::move(builder.trace());
}

/// Walks of any content; they need not fit the paths.
inline void add_random_walks(WorkGroupTrace& trace, Random& random) {
  for (std::uint32_t warp = 0; warp * kLanesOfWalks < trace.work_items; ++warp) {
    WarpWalk walk;
    walk.hash = static_cast<std::uint32_t>(random.below(3)) * 0x01020304;
    for (std::uint64_t turns = random.below(3); turns > 0; --turns)
      walk.turns.push_back(
          {static_cast<std::uint32_t>(1 + random.below(~std::uint32_t{0})), 1 + random.below(300)});
    trace.walks.add(walk);
  }
}

/// A capture with two launches of `groups` work-groups of 8 work-items each. Returns what it holds.
inline std::vector<WorkGroupTrace> write_sample_capture(const std::string& path, std::uint64_t seed,
                                                        std::uint32_t groups = 4) {
  Random random(seed);
  std::vector<WorkGroupTrace> traces;
  CaptureWriter writer(path, {.options_text = "sample"});
  for (const BufferInfo& buffer : sample_buffers()) writer.add_buffer(buffer);
  for (const std::uint32_t launch : {0u, 1u}) {
    writer.add_launch(sample_launch(launch, groups, 8));
    for (std::uint32_t group = 0; group < groups; ++group) {
      traces.push_back(random_trace(random, launch, group, 8));
      writer.add_work_group(LaunchId(launch), WorkGroupId(group), encode(traces.back()));
    }
  }
  writer.finish();
  return traces;
}

inline bool same(const WorkGroupTrace& a, const WorkGroupTrace& b) {
  const auto same_path = [](const Path& x, const Path& y) {
    return x.bits == y.bits && x.bit_count == y.bit_count && x.site_counts == y.site_counts;
  };
  const auto same_column = [](const SiteColumn& x, const SiteColumn& y) {
    return x.shapes == y.shapes && x.shape_of == y.shape_of && x.first == y.first;
  };
  return a.launch == b.launch && a.group == b.group && a.work_items == b.work_items &&
         a.path_of == b.path_of && a.walks.walks == b.walks.walks && a.walks.walk_of == b.walks.walk_of &&
         a.recorded_order == b.recorded_order &&
         std::equal(a.paths.begin(), a.paths.end(), b.paths.begin(), b.paths.end(), same_path) &&
         std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(), same_column);
}

}  // namespace warpscope::testing
