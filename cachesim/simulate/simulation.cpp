#include "cachesim/simulate/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <thread>

#include "cachesim/simulate/fan_out.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "cachesim/transactions/transaction_file.h"
#include "cachesim/transactions/transaction_filter.h"
#include "scheduler/skipped_launches.h"
#include "traces/base/error.h"
#include "traces/capture/reader.h"
#include "traces/files/file_io.h"

namespace warpscope {
namespace {

/// Gives a stream's buffers the layout of a repetition.
class OtherLayout final : public WarpAccessSink {
 public:
  OtherLayout(const Variation& variation, WarpAccessSink& sink) : variation_(variation), sink_(sink) {}
  void begin(const StreamHeader& header) override {
    StreamHeader other = header;
    variation_.apply(other.layout);
    sink_.begin(other);
    skipped_ = skipped_in(header.context);
  }
  void begin_launch(LaunchId launch) override { sink_.begin_launch(launch); }
  void access(const WarpAccess& access) override { sink_.access(access); }
  void end() override { sink_.end(); }
  [[nodiscard]] const nlohmann::json& skipped() const { return skipped_; }

 private:
  const Variation& variation_;
  WarpAccessSink& sink_;
  nlohmann::json skipped_ = nlohmann::json::array();
};

/// One simulator per run.
std::vector<std::unique_ptr<L1Simulator>> make_simulators(const SimulationRequest& request) {
  std::vector<std::unique_ptr<L1Simulator>> simulators;
  for (std::uint32_t run = 0; run < request.runs; ++run) {
    SimulationOptions options = request.simulation;
    options.cache.seed += run;
    simulators.push_back(std::make_unique<L1Simulator>(options));
  }
  return simulators;
}

Simulated collect(const std::vector<std::unique_ptr<L1Simulator>>& simulators, bool partial) {
  Simulated simulated;
  for (const auto& simulator : simulators) simulated.runs.push_back(simulator->result());
  simulated.header = simulators.front()->header();
  simulated.partial = partial;
  return simulated;
}

/// Text streams carry no cores: each run takes work-groups of its own choice.
Simulated simulate_text(const SimulationRequest& request) {
  const auto simulators = make_simulators(request);
  WorkGroupFanOut fan_out(request.cores.value_or(1), request.simulation.cache,
                          coalescing_rule(request.coalescing), simulators, request.takes, request.stages);
  if (request.simulation.by_source) fan_out.name_accessors();
  feed_accesses(request, FileKind::TextStream, fan_out);
  Simulated simulated = collect(simulators, false);
  if (request.cores.value_or(1) > 1) simulated.work_groups = fan_out.share();
  return simulated;
}

Simulated simulate_transactions(const SimulationRequest& request, CoreShare share) {
  const auto simulators = make_simulators(request);
  TransactionFanOut fan_out(simulators);
  TransactionFilter filter(request.schedule.launches, fan_out);
  const bool partial = read_transactions(request.input, filter, request.partial, share);
  return collect(simulators, partial);
}

Simulated simulate_capture(const SimulationRequest& request, const CaptureReader& capture, CoreShare share) {
  const auto simulators = make_simulators(request);
  TransactionFanOut fan_out(simulators);
  CoalescingSink sink(request.simulation.cache.transaction_bytes(), coalescing_rule(request.coalescing),
                      fan_out, request.takes, request.stages);
  if (request.simulation.by_source) sink.name_accessors();
  ScheduleOptions options = request.schedule;
  request.variation.apply(options);
  options.share = share;
  run_schedule(capture, options, sink);
  return collect(simulators, capture.is_partial());
}

Simulated simulate_stream(const SimulationRequest& request, FileKind kind) {
  const auto simulators = make_simulators(request);
  TransactionFanOut fan_out(simulators);
  CoalescingSink sink(request.simulation.cache.transaction_bytes(), coalescing_rule(request.coalescing),
                      fan_out, request.takes, request.stages);
  if (request.simulation.by_source) sink.name_accessors();
  return collect(simulators, feed_accesses(request, kind, sink).partial);
}

void add(Simulated& sum, const Simulated& share) {
  for (std::size_t run = 0; run < sum.runs.size(); ++run) sum.runs[run] += share.runs[run];
}

/// Calls `simulate_share` for every share in a thread of its own and adds up what they return.
template <class SimulateShare>
Simulated in_threads(std::uint32_t threads, const SimulateShare& simulate_share) {
  std::vector<Simulated> shares(threads);
  std::vector<std::exception_ptr> failures(threads);
  const auto work = [&](std::uint32_t number) {
    try {
      shares[number] = simulate_share(CoreShare{number, threads});
    } catch (...) {
      failures[number] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (std::uint32_t number = 1; number < threads; ++number) others.emplace_back(work, number);
  work(0);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  for (std::uint32_t number = 1; number < threads; ++number) add(shares[0], shares[number]);
  return std::move(shares[0]);
}

/// As many threads as asked for. When the input is at fault, one thread alone looks again: which of several
/// finds what first would change the message.
template <class SimulateShare>
Simulated shared_among(std::uint32_t threads, const SimulateShare& simulate_share) {
  if (threads > 1) {
    try {
      return in_threads(threads, simulate_share);
    } catch (const InputError&) {
    }
  }
  return simulate_share(CoreShare{});
}

}  // namespace

Fed feed_accesses(const SimulationRequest& request, FileKind kind, WarpAccessSink& sink) {
  if (kind == FileKind::Capture) {
    ScheduleOptions options = request.schedule;
    request.variation.apply(options);
    const CaptureReader capture(request.input, request.partial);
    nlohmann::json skipped = run_schedule(capture, options, sink);
    return {capture.is_partial(), std::move(skipped)};
  }
  OtherLayout other(request.variation, sink);
  LaunchFilter filter(request.schedule.launches, other);
  read_stream(request.input, filter, request.partial);
  return {false, other.skipped()};
}

Simulated simulate(const SimulationRequest& request, FileKind kind) {
  const bool seekable = request.input != "-" && !is_special_file(request.input);
  switch (kind) {
    case FileKind::TextStream:
      return simulate_text(request);
    case FileKind::Capture: {
      const CaptureReader capture(request.input, request.partial);
      return shared_among(std::min(request.threads, request.schedule.cores),
                          [&](CoreShare share) { return simulate_capture(request, capture, share); });
    }
    case FileKind::TransactionStream:
      return shared_among(seekable ? request.threads : 1,
                          [&](CoreShare share) { return simulate_transactions(request, share); });
    default:
      return simulate_stream(request, kind);
  }
}

}  // namespace warpscope
