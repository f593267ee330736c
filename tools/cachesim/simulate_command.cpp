#include "tools/cachesim/simulate_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <sstream>

#include "cachesim/access/coalescer.h"
#include "cachesim/l1/l1_cache.h"
#include "cachesim/result/text_report.h"
#include "cachesim/run/run_simulation.h"
#include "cachesim/sampling/budget.h"
#include "cachesim/simulate/simulation.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "cachesim/transactions/transaction_file.h"
#include "scheduler/skipped_launches.h"
#include "tools/cachesim/commands.h"
#include "tools/cachesim/shared_options.h"
#include "tools/options/capture_input.h"
#include "tools/options/examples.h"
#include "tools/options/schedule_options.h"
#include "traces/base/error.h"
#include "traces/files/output_file.h"

namespace warpscope {
namespace po = boost::program_options;

namespace {

constexpr std::array kPositional = {"input", "size-kib", "line", "ways", "replacement", "write"};

template <class Table>
std::string names_and_help(const char* lead, const Table& table) {
  std::string text = lead;
  for (const auto& entry : table) text += fmt::format("\n{}: {}", entry.name, entry.help);
  return text;
}

OptionGroup simulation_options(Purpose purpose) {
  const bool coalesces = purpose == Purpose::Coalesce;
  OptionGroup group{coalesces ? "Coalescing" : "Cache simulation",
                    {},
                    {"check-options", "no-wavefronts", "sector", "partial", "assign"}};
  if (coalesces)
    group.rare.emplace_back("policy");
  else
    group.rare.insert(group.rare.end(), {"coalescing", "set-index", "private-write", "runs", "keep-l1",
                                         "threads", "top", "launches", "no-classes"});
  const std::string rules =
      names_and_help("coalescing rule (default fermi, or the preset's)", coalescing_rules());
  const std::string indexes = names_and_help("set index (default linear, or the preset's)", set_indexes());
  auto add = group.options.add_options();
  add("check-options", po::bool_switch(), "check the options of a simulation, read and write nothing");
  add("coalescing", po::value<std::string>()->value_name("RULE"), rules.c_str());
  add("sector", po::value<std::string>()->value_name("BYTES"),
      "sector size: the unit of misses and of transactions (default 0 = the whole line, or the preset's)");
  add("no-wavefronts", po::bool_switch(),
      "do not count bank conflicts, tag look-ups and wavefronts: faster if patterns rarely repeat");
  add("partial", po::bool_switch(), "take an input that was cut short up to its last intact part");
  if (purpose == Purpose::Coalesce) {
    add("output,o", po::value<std::string>()->value_name("FILE"),
        "where the transactions go (- = standard output)");
    add("line", po::value<std::string>()->value_name("BYTES"), "line size (default 128, or the preset's)");
    return group;
  }
  add("set-index", po::value<std::string>()->value_name("INDEX"), indexes.c_str());
  add("private-write", po::value<std::string>()->value_name("WRITE"),
      "write policy of stores to private memory (default: the preset's, or WRITE without a preset)");
  add("runs", po::value<std::string>()->value_name("N"),
      "repeat with the seeds --seed, --seed + 1, … and print the median and the relative standard deviation. "
      "For text streams, of which each run takes other work-groups, and for random replacement");
  add("repeat", po::value<std::string>()->value_name("N"),
      "simulate N times, and print the minimum, median and maximum of every rate. Buffer layout, work-group "
      "placement and the seed of random replacement vary, unless the input fixes them");
  add("sample-cores", po::value<std::string>()->value_name("N"),
      "simulate only N cores (6 or more), drawn at random with --seed, and estimate what all cores would "
      "count, "
      "with 95 % intervals; captures only");
  add("sample-launches", po::value<std::string>()->value_name("N|P%"),
      "simulate only N launches (6 or more), or P percent of them, drawn at random with --seed from strata "
      "of "
      "launches that are alike, and estimate what all would count, with 95 % intervals; captures only");
  add("budget", po::value<std::string>()->value_name("WORK"),
      "how many look-ups and memory instructions may be simulated, such as 50M or 2G: a sample of launches "
      "or "
      "cores "
      "if all would be more. A line says which; captures only");
  add("json", po::value<std::string>()->value_name("FILE"),
      "write the result as JSON (cachesim/RESULT.md; - = standard output)");
  add("launches", po::value<std::string>()->value_name("all|groups"),
      "launches in the JSON: each one (default), or only groups of identical launches");
  add("reuse-histogram", po::bool_switch(), "histogram of reuse distances");
  add("reuse-by-source", po::bool_switch(),
      "classify each hit and each eviction by the previous accessor of the line: same lane, same warp, same "
      "work-group, another one; slower");
  add("no-classes", po::bool_switch(), "do not classify misses: faster");
  add("keep-l1", po::bool_switch(), "keep the L1's content from launch to launch");
  add("threads", po::value<std::string>()->value_name("N"),
      "host threads, for captures and files of transactions (default: all)");
  add("top", po::value<std::string>()->value_name("N"),
      "memory instructions and buffers in the tables (default 10)");
  return group;
}

CommandOptions simulation_command(Purpose purpose) {
  CommandOptions options(purpose == Purpose::Coalesce ? "cachesim coalesce" : "cachesim");
  options.add(simulation_options(purpose))
      .add(schedule_options(
          "Order (for captures, which are scheduled here). --gpu also sets the cache, --seed also random "
          "replacement. Of a text stream, --cores N takes ceil(groups / N) work-groups at random"));
  for (const char* name : kPositional)
    if (purpose == Purpose::Simulate || std::string(name) == "input") options.add_word(name);
  return options;
}

void read_five_words(const OptionValues& values, SimulationRequest& request) {
  if (!has_option(values, "write"))
    throw InputError(
        "the cache needs five values, expected SIZE_KIB LINE WAYS REPLACEMENT WRITE, for example "
        "16 128 4 LRU WTNA, or none of them and --gpu");
  CacheConfig& cache = request.simulation.cache;
  const auto number = [&](const char* name, const char* what, std::uint64_t most) {
    return whole_number(what, *text_of(values, name), 0, most);
  };
  cache.size_kib = number("size-kib", "cache size", ~std::uint64_t{0});
  cache.line_bytes = static_cast<std::uint32_t>(number("line", "cache line", 0xffffffff));
  cache.ways = static_cast<std::uint32_t>(number("ways", "cache ways", 0xffffffff));
  cache.tag_sets = 0;
  cache.replacement = *text_of(values, "replacement");
  cache.write_policy = *text_of(values, "write");
  request.cache_of_preset = false;
}

void read_cache(const OptionValues& values, Purpose purpose, SimulationRequest& request) {
  CacheConfig& cache = request.simulation.cache;
  if (has_option(values, "size-kib")) {
    read_five_words(values, request);
  } else if (!request.preset && purpose == Purpose::Simulate) {
    throw InputError(
        "no cache given, expected SIZE_KIB LINE WAYS REPLACEMENT WRITE, for example 16 128 4 LRU WTNA, "
        "or --gpu");
  }
  cache.sector_bytes = number32_of(values, "sector", 0, 0xffffffff).value_or(cache.sector_bytes);
  cache.private_write_policy = text_of(values, "private-write").value_or(cache.private_write_policy);
  cache.set_index = text_of(values, "set-index").value_or(cache.set_index);
}

void read_what_is_counted(const OptionValues& values, SimulationRequest& request) {
  SimulationOptions& simulation = request.simulation;
  simulation.classes = !is_on(values, "no-classes");
  simulation.reuse_histogram = is_on(values, "reuse-histogram");
  simulation.by_source = is_on(values, "reuse-by-source");
  simulation.keep_l1 = is_on(values, "keep-l1");
  request.runs = number32_of(values, "runs", 1, 10000).value_or(1);
  request.repeat = number32_of(values, "repeat", 2, 10000).value_or(1);
  if (request.repeat > 1 && has_option(values, "runs"))
    throw InputError("--repeat and --runs: both repeat the simulation, expected one of them");
  request.threads = host_threads(values);
  request.lists_launches = lists_launches(values);
}

void read_run(const OptionValues& values, Purpose purpose, SimulationRequest& request) {
  request.simulation.self_check = is_on(values, "self-check");
  request.partial = is_on(values, "partial");
  request.cores = number32_of(values, "cores", 1, 1u << 16);
  CacheConfig& cache = request.simulation.cache;
  cache.seed = number_of(values, "seed", 0, ~std::uint64_t{0}).value_or(cache.seed);
  if (is_on(values, "no-wavefronts")) request.stages.reset();
  if (purpose == Purpose::Simulate)
    read_what_is_counted(values, request);
  else
    cache.line_bytes = number32_of(values, "line", 4, 65536).value_or(cache.line_bytes);
}

void read_sample(const OptionValues& values, SimulationRequest& request) {
  refuse_with_sample_launches(values, {"sample-cores", "keep-l1", "repeat", "runs"});
  request.sample_launches = sample_launches(values);
  static_cast<void>(
      budget_of(values, {"sample-cores", "sample-launches", "keep-l1", "repeat", "runs", "core"}));
  if (!has_option(values, "sample-cores")) return;
  request.schedule.sample_count =
      number32_of(values, "sample-cores", kLeastSampledCores, kMostScheduledCores).value_or(0);
  for (const char* other : {"repeat", "runs"})
    if (has_option(values, other))
      throw InputError(
          fmt::format("--sample-cores and --{}: the interval of one says nothing of the other's range, "
                      "expected one of them",
                      other));
}

std::string simulation_usage(Purpose purpose) {
  std::ostringstream text;
  if (purpose == Purpose::Coalesce) {
    text << "Usage: cachesim coalesce INPUT -o FILE [options]\n"
            "Writes the transactions of a capture or stream as a transaction stream (traces/FORMAT.md).\n\n";
  } else {
    text << "Usage: cachesim INPUT SIZE_KIB LINE WAYS REPLACEMENT WRITE [options]\n"
            "       cachesim INPUT --gpu GPU [options]\n"
            "       cachesim INPUT --compare-generations [--generations GPU,…]   one stream on many GPUs\n"
            "       cachesim coalesce INPUT -o FILE [options]   writes its transactions to a file\n"
            "       cachesim sweep INPUT [options]              many caches at once\n"
            "       cachesim timed CAPTURE --gpu GPU            cycle by cycle\n"
            "       cachesim infer FILE.csv [options]           which cache explains measurements\n"
            "Each of the last four has a --help of its own.\n"
            "Simulates the L1 caches of a GPU. INPUT: a capture, a stream of warpsched (binary or text), a "
            "transaction\n"
            "stream, or - for standard input.\n\n"
         << names_and_help("REPLACEMENT", replacement_policies()) << "\n\n"
         << names_and_help("WRITE", write_policies()) << "\n\n";
  }
  return text.str();
}

int coalesce(const SimulateCommand& command, FileKind kind) {
  const SimulationRequest& request = command.request;
  if (kind == FileKind::TransactionStream)
    throw InputError(request.input + ": is coalesced already, expected a capture or a stream of warpsched");
  const auto writer = make_transaction_writer(command.output);
  CoalescingSink sink(request.simulation.cache.transaction_bytes(), coalescing_rule(request.coalescing),
                      *writer, request.takes, request.stages);
  return report_skipped("cachesim", feed_accesses(request, kind, sink).skipped, std::cerr);
}

int simulate_and_report(const SimulateCommand& command, FileKind kind) {
  std::unique_ptr<OutputFile> json;
  if (command.json) json = std::make_unique<OutputFile>(*command.json);  // fails before the work, not after
  SimulationRequest request = command.request;
  std::optional<BudgetChoice> chosen;
  if (const auto budget = budget_of(command.values, {})) {
    // First: where it fails, nothing has been said yet.
    chosen = fit_request(request, {.work = *budget}, /*draws_cores=*/true);
    std::cerr << "cachesim: " << chosen->text() << std::endl;
  }
  ResultJson result = run_simulation(request, kind);
  if (chosen) result.json["context"]["budget"] = chosen->json();
  if (json) {
    write_json(result, *json);
    json->commit();
  }
  write_text_report(result.json, command.top, command.json == "-" ? std::cerr : std::cout);
  return report_skipped("cachesim", result.json.at("context").at("skipped"), std::cerr);
}

int run_simulation_command(const std::vector<std::string>& words, Purpose purpose) {
  SimulateCommand command = simulate_command_from(words, purpose);
  if (simulation_command(purpose).answers(
          command.values, simulation_usage(purpose),
          examples_of(purpose == Purpose::Coalesce ? "cachesim coalesce" : "cachesim"), std::cout))
    return kExitOk;
  if (command.shown) {
    std::cout << *command.shown;
    return kExitOk;
  }
  if (command.check_only) return kExitOk;
  const CaptureInput input(command.request.input, command.values, "cachesim");
  command.request.input = input.path();
  const FileKind kind = detect_file_kind(command.request.input);
  check_order_options(command.values, command.request.input, kind);
  check_against_input(command.request, kind);
  return purpose == Purpose::Coalesce ? coalesce(command, kind) : simulate_and_report(command, kind);
}

}  // namespace

OptionValues simulation_values(const std::vector<std::string>& words, Purpose purpose) {
  return simulation_command(purpose).parse(words);
}

bool asks_about_options(const OptionValues& values) {
  return has_option(values, "help") || has_option(values, "help-all") || has_option(values, "options-json");
}

SimulationRequest simulation_request(const OptionValues& values, const std::optional<GpuPreset>& gpu,
                                     Purpose purpose) {
  SimulationRequest request;
  if (!has_option(values, "input"))
    throw InputError(
        "no input given, expected a capture or stream first (- = standard input); --help lists all");
  request.input = *text_of(values, "input");
  if (gpu) use_gpu(request, *gpu);
  read_run(values, purpose, request);
  read_cache(values, purpose, request);
  request.coalescing = text_of(values, "coalescing").value_or(request.coalescing);
  request.schedule = schedule_options_from(values, gpu);
  if (purpose == Purpose::Simulate) read_sample(values, request);
  complete(request);
  return request;
}

SimulateCommand simulate_command_from(const std::vector<std::string>& words, Purpose purpose) {
  SimulateCommand command;
  command.values = simulation_values(words, purpose);
  const OptionValues& values = command.values;
  std::ostringstream shown;
  if (show_presets(values, shown)) command.shown = shown.str();
  if (asks_about_options(values) || command.shown) return command;
  command.check_only = is_on(values, "check-options");
  command.json = text_of(values, "json");
  command.top = number_of(values, "top", 0, 1u << 20).value_or(command.top);
  command.request = simulation_request(values, preset_from(values), purpose);
  if (purpose == Purpose::Simulate) return command;
  if (!has_option(values, "output"))
    throw InputError("no output given, expected -o FILE (- = standard output)");
  command.output = *text_of(values, "output");
  return command;
}

int run_simulate_command(const std::vector<std::string>& words) {
  return run_simulation_command(words, Purpose::Simulate);
}

int run_coalesce_command(const std::vector<std::string>& words) {
  return run_simulation_command(words, Purpose::Coalesce);
}

}  // namespace warpscope
