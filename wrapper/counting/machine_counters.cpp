#include "wrapper/counting/machine_counters.h"

#include "cachesim/counters/transaction_counter.h"
#include "cachesim/result/profiler_counters.h"
#include "cachesim/simulate/request.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "traces/files/output_file.h"
#include "wrapper/counting/access_stream.h"

namespace warpscope {

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
  TransactionCounter counter;
  CoalescingSink sink(request.simulation.cache.transaction_bytes(), coalescing_rule(request.coalescing),
                      counter, request.takes, request.stages);
  sink.begin(header);
  sink.begin_launch(info.id);
  const MachinePart part = part_of(info, settings);
  MachineCounters found;
  const auto start = Recorder::Clock::now();
  AccessStream stream(run, kernel, objects, part.groups, sink);
  run.run(&stream, part.part);
  found.seconds = std::chrono::duration<double>(Recorder::Clock::now() - start).count();
  sink.end();
  found.totals = stream.totals();
  const MachineCode code = code_with_order(run, kernel);
  found.order_dependent = order_dependence(code);
  ProfiledCounts profiled{counter.counts(), request.simulation.cache, request.stages.has_value(), true};
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
