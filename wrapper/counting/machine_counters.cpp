#include "wrapper/counting/machine_counters.h"

#include <algorithm>
#include <memory>

#include "cachesim/counters/transaction_counter.h"
#include "cachesim/result/profiler_counters.h"
#include "cachesim/simulate/request.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "traces/files/output_file.h"
#include "wrapper/counting/access_stream.h"

namespace warpscope {
namespace {

/// What one thread counts.
class ThreadCounter {
 public:
  ThreadCounter(const SimulationRequest& request, const StreamHeader& header, const MachineRun& run,
                const MachineKernel& kernel, const LaunchObjects& objects, GroupProgress& progress)
      : sink_(request.simulation.cache.transaction_bytes(), coalescing_rule(request.coalescing), counter_,
              request.takes, request.stages),
        stream_(run, kernel, objects, progress, sink_) {
    sink_.begin(header);
    sink_.begin_launch(header.launches.front().id);
  }

  [[nodiscard]] machine::Observer& observer() { return stream_; }
  /// After the run.
  void add_to(Counts& counts, RecorderTotals& totals) {
    sink_.end();
    counts += counter_.counts();
    totals.work_groups += stream_.totals().work_groups;
    totals.sites.resize(stream_.totals().sites.size());
    for (std::size_t site = 0; site < totals.sites.size(); ++site)
      totals.sites[site] += stream_.totals().sites[site];
  }

 private:
  TransactionCounter counter_;
  CoalescingSink sink_;
  AccessStream stream_;
};

}  // namespace

MachineCounters count_machine_launch(MachineRun& run, const MachineKernel& kernel, const LaunchInfo& info,
                                     const LaunchObjects& objects, const CaptureSettings& settings,
                                     const GpuPreset& gpu) {
  SimulationRequest request;
  use_gpu(request, gpu);
  complete(request);
  StreamHeader header;
  for (const BufferInfo& buffer : objects.buffers) header.buffers.push_back(buffer);
  header.launches.push_back(info);
  header.work_groups = info.groups().count();
  const MachinePart part = part_of(info, settings);
  GroupProgress progress(kernel.described.info.name, part.groups);
  std::vector<std::unique_ptr<ThreadCounter>> counters;
  const auto begin = [&](unsigned count) {
    counters.clear();
    progress.restart();
    std::vector<machine::Observer*> all;
    for (unsigned number = 0; number < count; ++number) {
      counters.push_back(std::make_unique<ThreadCounter>(request, header, run, kernel, objects, progress));
      all.push_back(&counters.back()->observer());
    }
    return all;
  };
  MachineCounters found;
  const auto start = Recorder::Clock::now();
  found.in_turns = run_on_threads(
      run, part.threads, [&] { return begin(part.threads); }, [&] { return begin(1); }, progress, part.part);
  found.seconds = std::chrono::duration<double>(Recorder::Clock::now() - start).count();
  Counts counts;
  for (const auto& one : counters) one->add_to(counts, found.totals);
  const MachineCode code = code_with_order(run, kernel);
  found.order_dependent = order_dependence(code);
  ProfiledCounts profiled{counts, request.simulation.cache, request.stages.has_value(), true};
  profiled.executed = executed_counters(code, totals_of(run));
  profiled.has_cache = false;
  found.profiler = profiler_json(profiled, gpu);
  return found;
}

void write_counters(const MachineCounters& counters, const LaunchInfo& info, const GpuPreset& gpu,
                    std::uint64_t instructions, const std::string& path) {
  nlohmann::ordered_json json{{"kernel", info.kernel->name},
                              {"gpu", gpu.name},
                              {"machine_code", info.kernel->machine_code},
                              {"registers", info.kernel->registers_estimate},
                              {"work_groups", info.groups().count()},
                              {"counted", counters.totals.work_groups},
                              {"sampling", *info.sampling},
                              {"instructions", instructions}};
  if (!counters.order_dependent.empty()) json["order_dependent"] = counters.order_dependent;
  json["profiler"] = counters.profiler;
  OutputFile file(path);
  file.write(json.dump(1) + "\n");
  file.commit();
}

}  // namespace warpscope
