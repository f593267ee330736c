#include "cachesim/sweep/run_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "cachesim/counters/launch_records.h"
#include "cachesim/simulate/input.h"
#include "cachesim/simulate/preset_cache.h"
#include "cachesim/sweep/sweep_engine.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "cachesim/transactions/transaction_file.h"
#include "cachesim/transactions/transaction_filter.h"
#include "traces/base/error.h"
#include "traces/capture/reader.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

/// One schedule, coalesced for every size of transactions.
class AccessFanOut final : public WarpAccessSink {
 public:
  AccessFanOut(const std::vector<std::unique_ptr<SweepEngine>>& engines, const CoalescingRule& rule,
               L1Takes takes) {
    for (const auto& engine : engines)
      coalescers_.push_back(
          std::make_unique<CoalescingSink>(engine->transaction_bytes(), rule, *engine, takes));
  }
  void begin(const StreamHeader& header) override {
    for (const auto& coalescer : coalescers_) coalescer->begin(header);
  }
  void begin_launch(LaunchId launch) override {
    for (const auto& coalescer : coalescers_) coalescer->begin_launch(launch);
  }
  void access(const WarpAccess& access) override {
    for (const auto& coalescer : coalescers_) coalescer->access(access);
  }
  void end() override {
    for (const auto& coalescer : coalescers_) coalescer->end();
  }

 private:
  std::vector<std::unique_ptr<CoalescingSink>> coalescers_;
};

/// Configurations by size of their transactions (lines or sectors).
using Groups = std::vector<std::vector<CacheConfig>>;

Groups::iterator group_of(Groups& groups, std::uint32_t bytes) {
  return std::find_if(groups.begin(), groups.end(),
                      [&](const auto& group) { return group.front().transaction_bytes() == bytes; });
}

struct Place {
  std::size_t group = 0, cell = 0;
};

/// Where `own` is among the groups, or has been added. Nowhere if only a new group would take it, and may
/// not.
std::optional<Place> place_of(const CacheConfig& own, bool always_add, bool may_add_group, Groups& groups) {
  auto group = group_of(groups, own.transaction_bytes());
  if (group == groups.end()) {
    if (!may_add_group) return std::nullopt;
    group = groups.insert(group, std::vector<CacheConfig>{});
  }
  auto cell = always_add ? group->end() : std::find(group->begin(), group->end(), own);
  if (cell == group->end()) cell = group->insert(cell, own);
  return Place{static_cast<std::size_t>(group - groups.begin()),
               static_cast<std::size_t>(cell - group->begin())};
}

/// An engine per group.
struct Engines {
  std::vector<std::unique_ptr<SweepEngine>> all;
  std::optional<Place> own;  ///< the preset's

  /// `options`: with the progress; the rest follows from the request.
  Engines(const SweepRequest& request, bool takes_any_size, TaskPool& pool, SweepEngineOptions options) {
    Groups groups;
    for (const CacheConfig& config : request.configurations.caches) {
      const auto group = group_of(groups, config.transaction_bytes());
      group == groups.end() ? groups.push_back({config}) : group->push_back(config);
    }
    if (request.preset_cache) {
      options.own_of = launch_cache(*request.preset, *request.preset_cache, request.schedule.registers);
      own = place_of(*request.preset_cache, options.own_of != nullptr, takes_any_size, groups);
    }
    options.keep_l1 = request.keep_l1;
    options.classes = request.classes;
    options.most_bytes /= groups.size();
    for (const auto& group : groups) {
      if (own && own->group == all.size()) options.own = own->cell;
      all.push_back(std::make_unique<SweepEngine>(group, options, pool));
      options.progress = nullptr;  // the first one's is the run's: all get the same accesses
      options.own.reset();
    }
  }
};

void feed(const SweepRequest& request, const CaptureReader& capture, const ScheduleOptions& schedule,
          const Engines& engines) {
  AccessFanOut fan_out(engines.all, coalescing_rule(request.coalescing), request.takes);
  run_schedule(capture, schedule, fan_out);
}

/// Whether the input was cut short.
bool feed_engines(const SweepRequest& request, FileKind kind, const Engines& engines) {
  const LaunchSelection& launches = request.schedule.launches;
  if (kind == FileKind::TransactionStream) {
    if (engines.all.size() > 1)
      throw InputError(
          fmt::format("{}: transactions of one size, but the caches need several (--line, --sector); "
                      "expected one, or a capture or "
                      "stream of warpsched",
                      request.input));
    TransactionFilter filter(launches, *engines.all.front());
    return read_transactions(request.input, filter, request.partial);
  }
  if (kind == FileKind::Capture) {
    const CaptureReader capture(request.input, request.partial);
    feed(request, capture, request.schedule, engines);
    return capture.is_partial();
  }
  AccessFanOut fan_out(engines.all, coalescing_rule(request.coalescing), request.takes);
  LaunchFilter filter(launches, fan_out);
  read_stream(request.input, filter, request.partial);
  return false;
}

/// Without best caches and curves.
SweepResult result_of(const SweepRequest& request, FileKind kind, const Engines& engines, bool cut) {
  SweepResult result;
  result.input_name = request.input == "-" ? "-" : std::filesystem::path(request.input).filename().string();
  result.input_kind = input_kind_name(kind);
  result.preset = request.preset;
  result.seed = request.configurations.caches.front().seed;
  result.keep_l1 = request.keep_l1;
  result.classes = request.classes;
  result.refused = request.configurations.refused;
  result.why_refused = request.configurations.why;
  for (std::size_t group = 0; group < engines.all.size(); ++group) {
    const auto& engine = engines.all[group];
    if (engines.own && engines.own->group == group) {
      result.preset_cell = result.cells.size() + engine->own().value();
      result.preset_kib = engine->own_kib();
    }
    result.header = engine->header().stream;
    result.coalescing = engine->header().coalescing;
    result.traffic.push_back({engine->transaction_bytes(), engine->traffic()});
    result.cells.insert(result.cells.end(), engine->cells().begin(), engine->cells().end());
    result.stacks += engine->stacks();
    result.single += engine->units() - engine->stacks();
  }
  const nlohmann::json& context = result.header.context;
  result.partial =
      cut || (context.is_object() && context.contains("partial") && context.at("partial") == true);
  return result;
}

SweepResult sweep_at_once(const SweepRequest& request, FileKind kind,
                          const std::function<void(std::uint64_t)>& progress) {
  TaskPool pool(request.threads);
  const Engines engines(request, kind != FileKind::TransactionStream, pool, {.progress = progress});
  const bool cut = feed_engines(request, kind, engines);
  return result_of(request, kind, engines, cut);
}

}  // namespace

SweepResult run_sweep(const SweepRequest& request, FileKind kind,
                      const std::function<void(std::uint64_t)>& progress) {
  const auto began = Clock::now();
  SweepResult result = sweep_at_once(request, kind, progress);
  derive(result);
  result.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return result;
}

}  // namespace warpscope
