// cachesim: the L1 caches of a GPU on a schedule of warp accesses.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string_view>

#include "cachesim/access/coalescer.h"
#include "cachesim/generations.h"
#include "cachesim/infer/infer_main.h"
#include "cachesim/result/result_json.h"
#include "cachesim/result/text_report.h"
#include "cachesim/simulate/input.h"
#include "cachesim/simulate/options.h"
#include "cachesim/simulate/repeat.h"
#include "cachesim/simulate/simulation.h"
#include "cachesim/sweep/sweep_main.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "cachesim/transactions/transaction_file.h"
#include "scheduler/skipped_launches.h"
#include "timed/command.h"
#include "traces/base/error.h"
#include "traces/base/version.h"
#include "traces/files/output_file.h"

namespace warpscope {
namespace {

bool partial_in(const nlohmann::json& context) {
  return context.is_object() && context.contains("partial") && context.at("partial") == true;
}

int run_coalesce(const CommandLine& command, FileKind kind) {
  if (kind == FileKind::TransactionStream)
    throw InputError(command.input + ": is coalesced already, expected a capture or a stream of warpsched");
  const auto writer = make_transaction_writer(command.output);
  CoalescingSink sink(command.simulation.cache.transaction_bytes(), coalescing_rule(command.coalescing),
                      *writer, command.takes, command.stages);
  return report_skipped("cachesim", feed_accesses(command, kind, sink).skipped, std::cerr);
}

ResultJson result_of(const CommandLine& command, FileKind kind) {
  const Simulated simulated = simulate(command, kind);
  std::vector<Counts> totals;
  totals.reserve(simulated.runs.size());
  for (const SimulationResult& run : simulated.runs) totals.push_back(run.total());
  std::optional<RunStatistics> runs;
  if (command.runs > 1) {
    runs = run_statistics(totals, command.simulation.classes, command.simulation.cache.seed);
    runs->work_groups = simulated.work_groups;
  }
  const SimulationResult& shown = simulated.runs[runs ? runs->shown : 0];
  const StreamHeader& header = simulated.header.stream;
  ResultContext context;
  context.input_name = command.input == "-" ? "-" : std::filesystem::path(command.input).filename().string();
  context.input_kind = input_kind_name(kind);
  context.cache = command.simulation.cache;
  context.coalescing = simulated.header.coalescing;
  context.preset = command.preset;
  context.cores = kind == FileKind::TextStream ? command.cores.value_or(1) : header.cores;
  context.seed = command.simulation.cache.seed;
  context.partial = simulated.partial || partial_in(header.context);
  context.classes = command.simulation.classes;
  context.stages = simulated.header.stages;
  context.reuse_histogram = command.simulation.reuse_histogram;
  context.by_whom = command.simulation.by_whom;
  return make_result(context, header, shown, runs, command.lists_launches);
}

/// The result as asked for, with the ranges of the repetitions.
ResultJson repeated_result(const CommandLine& command, FileKind kind) {
  const RepeatPlan plan = plan_repetitions(command, kind);
  return repeated(plan,
                  [&](std::uint32_t number) { return result_of(repetition(command, plan, number), kind); });
}

int run_simulation(const CommandLine& command, FileKind kind) {
  if (kind == FileKind::TextStream && command.runs > 1 && command.cores.value_or(1) == 1 &&
      !replacement_policy(command.simulation.cache.replacement).random)
    throw InputError(
        "--runs: with one core every work-group is simulated and nothing is random, expected --cores N or "
        "random replacement");
  std::unique_ptr<OutputFile> json;
  if (command.json) json = std::make_unique<OutputFile>(*command.json);  // fails before the work, not after
  const ResultJson result = command.repeat > 1 ? repeated_result(command, kind) : result_of(command, kind);
  if (json) {
    write_json(result, *json);
    json->commit();
  }
  write_text_report(result.json, command.top, command.json == "-" ? std::cerr : std::cout);
  return report_skipped("cachesim", result.json.at("context").at("skipped"), std::cerr);
}

bool asks_for_version(int argc, char** argv) {
  return std::find(argv + 1, argv + argc, std::string_view("--version")) != argv + argc;
}

int run(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "sweep") return run_sweep({argv + 2, argv + argc});
  if (argc > 1 && std::string(argv[1]) == "infer") return infer::run_infer({argv + 2, argv + argc});
  if (std::find(argv + 1, argv + argc, std::string_view(kCompareGenerations)) != argv + argc)
    return run_compare_generations({argv + 1, argv + argc});
  const CommandLine command = parse_command_line(argc, argv);
  if (command.help) {
    std::cout << help_text(command.coalesce_only);
    return kExitOk;
  }
  if (command.shown) {
    std::cout << *command.shown;
    return kExitOk;
  }
  if (command.check_only) return kExitOk;
  const FileKind kind = detect_file_kind(command.input);
  check_against_input(command, kind);
  return command.coalesce_only ? run_coalesce(command, kind) : run_simulation(command, kind);
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) {
  return warpscope::run_tool("cachesim", [&] {
    if (warpscope::asks_for_version(argc, argv)) {
      std::cout << warpscope::version_line("cachesim");
      return warpscope::kExitOk;
    }
    const bool is_timed = argc > 1 && std::string_view(argv[1]) == "timed";
    return is_timed ? warpscope::timed::run_command(argc, argv) : warpscope::run(argc, argv);
  });
}
