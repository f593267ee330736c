#include "cachesim/sweep/sweep_main.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>

#include "cachesim/simulate/input.h"
#include "cachesim/simulate/preset_cache.h"
#include "cachesim/sweep/sweep_engine.h"
#include "cachesim/sweep/sweep_options.h"
#include "cachesim/sweep/sweep_result.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "cachesim/transactions/transaction_file.h"
#include "cachesim/transactions/transaction_filter.h"
#include "scheduler/skipped_launches.h"
#include "traces/base/error.h"
#include "traces/capture/reader.h"
#include "traces/files/output_file.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<int> stop_signal = 0;

/// Ends the run between two chunks, so that unfinished output files go.
class Stopped : public std::exception {};

/// The first SIGINT or SIGTERM stops in order, a second one at once. Signals that are ignored stay so.
class StopOnSignal {
 public:
  StopOnSignal() {
    struct sigaction action {};
    action.sa_handler = [](int signal) { stop_signal = signal; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signal : {SIGINT, SIGTERM}) {
      struct sigaction before {};
      sigaction(signal, &action, &before);
      if (before.sa_handler == SIG_IGN) sigaction(signal, &before, nullptr);
    }
  }
};

/// Writes how far the run is to a terminal, twice a second; throws Stopped after a signal.
class Progress {
 public:
  Progress() : terminal_(::isatty(STDERR_FILENO) != 0) {}
  ~Progress() {
    if (shown_) std::cerr << "\r\x1b[K" << std::flush;
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void note(std::uint64_t transactions) {
    if (stop_signal != 0) throw Stopped();
    const auto now = Clock::now();
    if (!terminal_ || now - last_ < std::chrono::milliseconds(500)) return;
    last_ = now;
    shown_ = true;
    const double seconds = std::chrono::duration<double>(now - began_).count();
    const double millions = static_cast<double>(transactions) / 1e6;
    std::cerr << fmt::format("\r{:.0f} M transactions, {:.1f} M/s \x1b[K", millions, millions / seconds)
              << std::flush;
  }

 private:
  bool terminal_, shown_ = false;
  Clock::time_point began_ = Clock::now(), last_ = began_;
};

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

  Engines(const SweepCommand& command, bool takes_any_size, TaskPool& pool, Progress& progress) {
    Groups groups;
    for (const CacheConfig& config : command.configurations.caches) {
      const auto group = group_of(groups, config.transaction_bytes());
      group == groups.end() ? groups.push_back({config}) : group->push_back(config);
    }
    SweepEngineOptions options;
    if (command.preset_cache) {
      options.own_of = launch_cache(*command.preset, *command.preset_cache,
                                    schedule_options_from(command.values).registers);
      own = place_of(*command.preset_cache, options.own_of != nullptr, takes_any_size, groups);
    }
    options.keep_l1 = command.keep_l1;
    options.classes = command.classes;
    options.most_bytes /= groups.size();
    for (const auto& group : groups) {
      if (own && own->group == all.size()) options.own = own->cell;
      // The first one's progress is the run's: all get the same accesses.
      if (all.empty()) options.progress = [&progress](std::uint64_t done) { progress.note(done); };
      all.push_back(std::make_unique<SweepEngine>(group, options, pool));
      options.progress = nullptr;
      options.own.reset();
    }
  }
};

/// Whether the input was cut short.
bool feed_engines(const SweepCommand& command, FileKind kind, const Engines& engines) {
  const LaunchSelection launches = launches_from(command.values);
  if (kind == FileKind::TransactionStream) {
    if (engines.all.size() > 1)
      throw InputError(
          fmt::format("{}: transactions of one size, but the caches need several (--line, --sector); "
                      "expected one, or a capture or "
                      "stream of warpsched",
                      command.input));
    TransactionFilter filter(launches, *engines.all.front());
    return read_transactions(command.input, filter, command.partial);
  }
  AccessFanOut fan_out(engines.all, coalescing_rule(command.coalescing), command.takes);
  if (kind == FileKind::Capture) {
    const ScheduleOptions options = schedule_options_from(command.values);
    const CaptureReader capture(command.input, command.partial);
    run_schedule(capture, options, fan_out);
    return capture.is_partial();
  }
  LaunchFilter filter(launches, fan_out);
  read_stream(command.input, filter, command.partial);
  return false;
}

SweepResult result_of(const SweepCommand& command, FileKind kind, const Engines& engines) {
  SweepResult result;
  result.input_name = command.input == "-" ? "-" : std::filesystem::path(command.input).filename().string();
  result.input_kind = input_kind_name(kind);
  result.preset = command.preset;
  result.seed = command.values.count("seed") == 0 ? 1 : command.configurations.caches.front().seed;
  result.keep_l1 = command.keep_l1;
  result.classes = command.classes;
  result.refused = command.configurations.refused;
  result.why_refused = command.configurations.why;
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
  result.partial = context.is_object() && context.contains("partial") && context.at("partial") == true;
  derive(result);
  return result;
}

int sweep(const SweepCommand& command) {
  const FileKind kind = detect_file_kind(command.input);
  check_against_input(command, kind);
  std::unique_ptr<OutputFile> json, csv;  // opened first: they fail before the work, not after
  if (command.json) json = std::make_unique<OutputFile>(*command.json);
  if (command.csv) csv = std::make_unique<OutputFile>(*command.csv);
  const auto began = Clock::now();
  SweepResult result;
  {
    Progress progress;
    TaskPool pool(command.threads);
    const Engines engines(command, kind != FileKind::TransactionStream, pool, progress);
    const bool cut = feed_engines(command, kind, engines);
    result = result_of(command, kind, engines);
    result.partial |= cut;
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  if (json)
    json->write(sweep_json(result).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  if (csv) csv->write(sweep_csv(result));
  if (json) json->commit();
  if (csv) csv->commit();
  if (::isatty(STDERR_FILENO) != 0) std::cerr << fmt::format("{:.2f} s\n", result.seconds);
  write_sweep_report(result, command.top, command.json == "-" || command.csv == "-" ? std::cerr : std::cout);
  return report_skipped("cachesim", skipped_in(result.header.context), std::cerr);
}

}  // namespace

int run_sweep(const std::vector<std::string>& arguments) {
  const SweepCommand command = parse_sweep_command(arguments);
  if (command.help) {
    std::cout << sweep_help();
    return kExitOk;
  }
  if (command.shown) {
    std::cout << *command.shown;
    return kExitOk;
  }
  const StopOnSignal stop;
  try {
    return sweep(command);
  } catch (const Stopped&) {
    return 128 + stop_signal;
  }
}

}  // namespace warpscope
