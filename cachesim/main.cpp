// cachesim: the L1 caches of a GPU on a schedule of warp accesses.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "cachesim/coalescer.h"
#include "cachesim/coalescing_sink.h"
#include "cachesim/fan_out.h"
#include "cachesim/input.h"
#include "cachesim/options.h"
#include "cachesim/result_json.h"
#include "cachesim/text_report.h"
#include "cachesim/transaction_file.h"
#include "traces/error.h"
#include "traces/output_file.h"
#include "traces/reader.h"

namespace warpscope {
namespace {

/// Feeds the accesses of a capture or stream to `sink`; whether the input was cut short.
bool feed(const CommandLine& command, FileKind kind, WarpAccessSink& sink) {
  if (kind == FileKind::Capture) {
    const ScheduleOptions options = schedule_options_from(command.values);
    const CaptureReader capture(command.input, command.partial);
    run_schedule(capture, options, sink);
    return capture.is_partial();
  }
  read_stream(command.input, sink, command.partial);
  return false;
}

bool partial_in(const nlohmann::json& context) {
  return context.is_object() && context.contains("partial") && context.at("partial") == true;
}

int run_coalesce(const CommandLine& command, FileKind kind) {
  if (kind == FileKind::TransactionStream)
    throw InputError(command.input + ": is coalesced already, expected a capture or a stream of warpsched");
  const auto writer = make_transaction_writer(command.output);
  CoalescingSink sink(command.simulation.cache.line_bytes, coalescing_rule(command.coalescing), *writer);
  feed(command, kind, sink);
  return kExitOk;
}

/// One simulator per run.
std::vector<std::unique_ptr<L1Simulator>> make_simulators(const CommandLine& command) {
  std::vector<std::unique_ptr<L1Simulator>> simulators;
  for (std::uint32_t run = 0; run < command.runs; ++run) {
    SimulationOptions options = command.simulation;
    options.cache.seed += run;
    simulators.push_back(std::make_unique<L1Simulator>(options));
  }
  return simulators;
}

struct Simulated {
  bool partial = false;
  std::optional<std::uint64_t> work_groups;  ///< chosen per run
};

Simulated simulate(const CommandLine& command, FileKind kind,
                   const std::vector<std::unique_ptr<L1Simulator>>& simulators) {
  Simulated simulated;
  if (kind == FileKind::TransactionStream) {
    TransactionFanOut fan_out(simulators);
    simulated.partial = read_transactions(command.input, fan_out, command.partial);
  } else if (kind == FileKind::TextStream) {
    WorkGroupFanOut fan_out(command.cores.value_or(1), command.simulation.cache,
                            coalescing_rule(command.coalescing), simulators);
    feed(command, kind, fan_out);
    if (command.cores.value_or(1) > 1) simulated.work_groups = fan_out.share();
  } else {
    TransactionFanOut fan_out(simulators);
    CoalescingSink sink(command.simulation.cache.line_bytes, coalescing_rule(command.coalescing), fan_out);
    simulated.partial = feed(command, kind, sink);
  }
  return simulated;
}

int run_simulation(const CommandLine& command, FileKind kind) {
  if (kind == FileKind::TextStream && command.runs > 1 && command.cores.value_or(1) == 1 &&
      command.simulation.cache.replacement != "Rand")
    throw InputError(
        "--runs: with one core every work-group is simulated and nothing is random, expected --cores N or "
        "random replacement");
  std::unique_ptr<OutputFile> json;
  if (command.json) json = std::make_unique<OutputFile>(*command.json);  // fails before the work, not after
  const auto simulators = make_simulators(command);
  const Simulated simulated = simulate(command, kind, simulators);
  std::vector<Counts> totals;
  totals.reserve(simulators.size());
  for (const auto& simulator : simulators) totals.push_back(simulator->result().total());
  std::optional<RunStatistics> runs;
  if (command.runs > 1) {
    runs = run_statistics(totals, command.simulation.classes, command.simulation.cache.seed);
    runs->work_groups = simulated.work_groups;
  }
  const L1Simulator& shown = *simulators[runs ? runs->shown : 0];
  const StreamHeader& header = shown.header().stream;
  ResultContext context;
  context.input_name = command.input == "-" ? "-" : std::filesystem::path(command.input).filename().string();
  context.input_kind = input_kind_name(kind);
  context.cache = command.simulation.cache;
  context.coalescing = shown.header().coalescing;
  context.preset = command.preset;
  context.cores = kind == FileKind::TextStream ? command.cores.value_or(1) : header.cores;
  context.seed = command.simulation.cache.seed;
  context.partial = simulated.partial || partial_in(header.context);
  context.classes = command.simulation.classes;
  context.reuse_histogram = command.simulation.reuse_histogram;
  const nlohmann::ordered_json result = result_json(context, header, shown.result(), runs);
  if (json) {
    json->write(result.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    json->commit();
  }
  write_text_report(result, command.top, command.json == "-" ? std::cerr : std::cout);
  return kExitOk;
}

int run(int argc, char** argv) {
  const CommandLine command = parse_command_line(argc, argv);
  if (command.help) {
    std::cout << help_text(command.coalesce_only);
    return kExitOk;
  }
  if (command.shown) {
    std::cout << *command.shown;
    return kExitOk;
  }
  const FileKind kind = detect_file_kind(command.input);
  check_against_input(command, kind);
  return command.coalesce_only ? run_coalesce(command, kind) : run_simulation(command, kind);
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) {
  return warpscope::run_tool("cachesim", [&] { return warpscope::run(argc, argv); });
}
