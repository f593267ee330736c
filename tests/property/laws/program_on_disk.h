#pragma once
// Captures of programs with several launches, made without a compiler, and the ways to simulate them.
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cachesim/simulate/l1_simulator.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "scheduler/schedule.h"
#include "tests/unit/scheduler/kernel_builder.h"
#include "traces/capture/writer.h"

namespace warpscope::testing {

/// A program: its buffers, and its launches in order.
struct Program {
  std::vector<BufferInfo> buffers;
  std::vector<VectorSource> launches;
  bool mixes_buffers = false;  ///< lanes of one access may be in different buffers

  void add_buffer(const std::string& name, AddressSpace space, std::uint64_t size) {
    BufferInfo buffer;
    buffer.id = BufferId(static_cast<std::uint32_t>(buffers.size() + 1));
    buffer.name = name;
    buffer.space = space;
    buffer.size = size;
    buffers.push_back(buffer);
  }
  void write(const std::string& path) {
    CaptureWriter writer(path, {});
    for (const BufferInfo& buffer : buffers) writer.add_buffer(buffer);
    for (std::uint32_t l = 0; l < launches.size(); ++l) {
      VectorSource& source = launches[l];
      source.mutable_launch().id = LaunchId(l);
      writer.add_launch(source.launch());
      for (const WorkGroupId group : source.groups()) {
        WorkGroupTrace trace = source.read(group);
        trace.launch = LaunchId(l);
        const std::vector<std::uint8_t> payload = encode(trace);
        writer.add_work_group(LaunchId(l), group, payload);
      }
    }
    writer.finish();
  }
};

/// For messages of failed tests.
inline std::string shown(const Counts& counts) {
  std::string text;
  for (const KindCounts& kind : counts.kind)
    text +=
        fmt::format("[requests {} lanes {} transactions {} hits {} sector misses {} misses {} bypasses {}] ",
                    kind.requests, kind.lanes, kind.transactions, kind.hits, kind.sector_misses, kind.misses,
                    kind.bypasses);
  return text + fmt::format("evictions {} write-backs {} in sectors {}", counts.evictions, counts.write_backs,
                            counts.write_back_sectors);
}

inline std::string shown(const CacheConfig& cache) {
  return fmt::format("{} KiB, lines of {} in sectors of {}, {} ways, {} {} (private {}) {}", cache.size_kib,
                     cache.line_bytes, cache.sector_bytes, cache.ways, cache.replacement, cache.write_policy,
                     cache.private_write_policy, cache.set_index);
}

/// What is simulated.
struct Machine {
  ScheduleOptions schedule;
  std::string rule = "fermi";
  SimulationOptions simulation;
  L1Takes takes = L1Takes::Everything;
  std::optional<StageRules> stages;

  [[nodiscard]] std::string shown() const {
    return fmt::format("{}; rule {}, takes {}, policy {}, {} cores, warps of {}, {} {}, preset {}",
                       testing::shown(simulation.cache), rule, static_cast<int>(takes), schedule.policy,
                       schedule.cores, schedule.warp_size, schedule.assignment, schedule.reconvergence,
                       schedule.limits ? schedule.limits->name : "none");
  }
};

/// From accesses to counters, fed by `feed(WarpAccessSink&)`.
template <class Feed>
SimulationResult simulate(const Machine& machine, const Feed& feed) {
  L1Simulator simulator(machine.simulation);
  CoalescingSink sink(machine.simulation.cache.transaction_bytes(), coalescing_rule(machine.rule), simulator,
                      machine.takes, machine.stages);
  if (machine.simulation.by_source) sink.name_accessors();
  feed(sink);
  return simulator.result();
}

inline SimulationResult simulate_capture(const CaptureReader& capture, const Machine& machine) {
  return simulate(machine, [&](WarpAccessSink& sink) { run_schedule(capture, machine.schedule, sink); });
}

}  // namespace warpscope::testing
