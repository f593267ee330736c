#include "cachesim/simulate/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <thread>

#include "cachesim/access/coalescer.h"
#include "cachesim/simulate/input.h"
#include "cachesim/simulate/preset_cache.h"
#include "scheduler/assignment.h"
#include "traces/base/error.h"
#include "traces/base/parse_number.h"

namespace warpscope {
namespace po = boost::program_options;

bool lists_launches(const po::variables_map& values) {
  if (values.count("launches") == 0) return true;
  const std::string& which = values["launches"].as<std::string>();
  if (which == "all" || which == "groups") return which == "all";
  throw InputError(fmt::format("--launches '{}': expected all or groups", which));
}

namespace {

constexpr std::array kPositional = {"input", "size-kib", "line", "ways", "replacement", "write"};
/// What only a schedule made here can obey.
constexpr std::array kScheduleOnly = {"policy",         "warp-size",  "core",          "assign",
                                      "max-workgroups", "registers",  "reconvergence", "buffer-base",
                                      "buffer-align",   "layout-seed"};

std::uint64_t number(const po::variables_map& values, const std::string& name, const std::string& text_name,
                     std::uint64_t least, std::uint64_t most) {
  const std::string& text = values[name].as<std::string>();
  if (const auto value = parse_number(text, least, most)) return *value;
  throw InputError(
      fmt::format("{}: '{}', expected a whole number from {} to {}", text_name, text, least, most));
}

template <class Table>
std::string names_and_help(const char* lead, const Table& table) {
  std::string text = lead;
  for (const auto& entry : table) text += fmt::format("\n{}: {}", entry.name, entry.help);
  return text;
}

po::options_description own_options(bool coalesce_only) {
  po::options_description own(coalesce_only ? "Coalescing" : "Cache simulation");
  const std::string rules =
      names_and_help("coalescing rule (default fermi, or the preset's)", coalescing_rules());
  const std::string indexes = names_and_help("set index (default linear, or the preset's)", set_indexes());
  auto add = own.add_options();
  add("help,h", "this text");
  add("version", "version and commit");
  add("check-options", po::bool_switch(), "check the options of a simulation, read and write nothing");
  add("coalescing", po::value<std::string>()->value_name("RULE"), rules.c_str());
  add("sector", po::value<std::string>()->value_name("BYTES"),
      "sector size: what a miss brings in and a transaction is (default 0 = the whole line, or the "
      "preset's)");
  add("no-wavefronts", po::bool_switch(),
      "do not count bank conflicts, tag look-ups and wavefronts: faster where patterns rarely repeat");
  add("partial", po::bool_switch(), "take an input that was cut short up to its last intact part");
  if (coalesce_only) {
    add("output,o", po::value<std::string>()->value_name("FILE"),
        "where the transactions go (- = standard output)");
    add("line", po::value<std::string>()->value_name("BYTES"), "line size (default 128, or the preset's)");
    return own;
  }
  add("set-index", po::value<std::string>()->value_name("INDEX"), indexes.c_str());
  add("private-write", po::value<std::string>()->value_name("WRITE"),
      "write policy of stores to private memory (default: the preset's; without a preset WRITE)");
  add("runs", po::value<std::string>()->value_name("N"),
      "repeat with seeds --seed, --seed + 1, …: median and relative standard deviation; for text streams "
      "(other "
      "work-groups per run) and for random replacement");
  add("repeat", po::value<std::string>()->value_name("N"),
      "simulate N times with other layouts of the buffers, placements of the work-groups and seeds of random "
      "replacement, where the input leaves them open: every rate with minimum, median and maximum");
  add("json", po::value<std::string>()->value_name("FILE"),
      "write the result as JSON (cachesim/RESULT.md; - = standard output)");
  add("launches", po::value<std::string>()->value_name("all|groups"),
      "launches in the JSON: each one (default), or only groups of launches that are alike");
  add("reuse-histogram", po::bool_switch(), "histogram of reuse distances");
  add("reuse-by-whom", po::bool_switch(),
      "class each hit and each eviction by who used the line before: same lane, same warp, same work-group, "
      "another one; slower");
  add("no-classes", po::bool_switch(), "do not classify misses: faster");
  add("keep-l1", po::bool_switch(), "keep the L1's content from launch to launch");
  add("threads", po::value<std::string>()->value_name("N"),
      "threads that share the cores of a capture or transaction stream file (default: all of this machine)");
  add("top", po::value<std::string>()->value_name("N"),
      "memory instructions and buffers in the tables (default 10)");
  return own;
}

po::options_description schedule_options() {
  po::options_description schedule(
      "Order (for captures, which are scheduled here; --gpu also sets the cache, --seed also random "
      "replacement,\n"
      "--cores N of a text stream: this core gets ceil(groups / N) work-groups at random)");
  add_schedule_options(schedule);
  return schedule;
}

void read_cache(const po::variables_map& values, CommandLine& command) {
  CacheConfig& cache = command.simulation.cache;
  if (values.count("size-kib") != 0) {
    if (values.count("write") == 0)
      throw InputError(
          "the cache needs five values, expected SIZE_KIB LINE WAYS REPLACEMENT WRITE, for example "
          "16 128 4 LRU WTNA, or none of them and --gpu");
    cache.size_kib = number(values, "size-kib", "cache size", 0, ~std::uint64_t{0});
    cache.line_bytes = static_cast<std::uint32_t>(number(values, "line", "cache line", 0, 0xffffffff));
    cache.ways = static_cast<std::uint32_t>(number(values, "ways", "cache ways", 0, 0xffffffff));
    cache.replacement = values["replacement"].as<std::string>();
    cache.write_policy = values["write"].as<std::string>();
  } else if (!command.preset && !command.coalesce_only) {
    throw InputError(
        "no cache given, expected SIZE_KIB LINE WAYS REPLACEMENT WRITE, for example 16 128 4 LRU WTNA, "
        "or --gpu");
  }
  if (values.count("sector") != 0)
    cache.sector_bytes = static_cast<std::uint32_t>(number(values, "sector", "--sector", 0, 0xffffffff));
  if (values.count("private-write") != 0)
    cache.private_write_policy = values["private-write"].as<std::string>();
  if (values.count("set-index") != 0) cache.set_index = values["set-index"].as<std::string>();
  cache.set_index = set_index(cache.set_index).name;
}

/// Where local memory takes its part of the L1: the cache of a launch. `registers` as given.
void follow_local_memory(CommandLine& command) {
  if (!command.preset || command.values.count("size-kib") != 0) return;
  command.simulation.cache_of = launch_cache(*command.preset, command.simulation.cache,
                                             schedule_options_from(command.values).registers);
}

void read_preset(const po::variables_map& values, CommandLine& command) {
  command.preset = preset_from(values);
  if (!command.preset) return;
  CacheConfig& cache = command.simulation.cache;
  const GpuPreset& preset = *command.preset;
  command.coalescing = preset.coalescing;
  command.stages = stage_rules(preset);
  command.takes = preset_takes(preset);
  if (preset.l1_size_kib == 0) return;  // nothing reaches the cache that is there instead
  cache = preset_cache(preset);
}

/// A schedule's options are wrong whatever the input is.
void check_schedule(const CommandLine& command) {
  require_assignment(schedule_options_from(command.values).assignment);
}

void read_switches(const po::variables_map& values, CommandLine& command) {
  command.simulation.self_check = values["self-check"].as<bool>();
  command.partial = values["partial"].as<bool>();
  command.check_only = values["check-options"].as<bool>();
  if (values.count("cores") != 0)
    command.cores = static_cast<std::uint32_t>(number(values, "cores", "--cores", 1, 1u << 16));
  if (values.count("seed") != 0)
    command.simulation.cache.seed = number(values, "seed", "--seed", 0, ~std::uint64_t{0});
  if (values["no-wavefronts"].as<bool>()) command.stages.reset();
  if (command.coalesce_only) return;
  command.simulation.classes = !values["no-classes"].as<bool>();
  command.simulation.reuse_histogram = values["reuse-histogram"].as<bool>();
  command.simulation.by_whom = values["reuse-by-whom"].as<bool>();
  command.simulation.keep_l1 = values["keep-l1"].as<bool>();
  if (values.count("runs") != 0)
    command.runs = static_cast<std::uint32_t>(number(values, "runs", "--runs", 1, 10000));
  if (values.count("repeat") != 0) {
    command.repeat = static_cast<std::uint32_t>(number(values, "repeat", "--repeat", 2, 10000));
    if (values.count("runs") != 0)
      throw InputError("--repeat and --runs: both repeat the simulation, expected one of them");
  }
  command.threads = values.count("threads") != 0
                        ? static_cast<std::uint32_t>(number(values, "threads", "--threads", 1, 1024))
                        : std::max(1u, std::thread::hardware_concurrency());
  if (values.count("top") != 0) command.top = number(values, "top", "--top", 0, 1u << 20);
  if (values.count("json") != 0) command.json = values["json"].as<std::string>();
  command.lists_launches = lists_launches(values);
}

}  // namespace

void Variation::apply(ScheduleOptions& schedule) const {
  if (seed) schedule.seed = *seed;
  if (random_placement) schedule.assignment = "random";
  apply(schedule.layout);
}

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine command;
  std::vector<std::string> words(argv + 1, argv + argc);
  command.coalesce_only = !words.empty() && words.front() == "coalesce";
  if (command.coalesce_only) words.erase(words.begin());
  po::options_description all, hidden;
  po::positional_options_description positional;
  for (const char* name : kPositional) {
    if (command.coalesce_only && std::string(name) != "input") continue;
    hidden.add_options()(name, po::value<std::string>());
    positional.add(name, 1);
  }
  all.add(own_options(command.coalesce_only)).add(schedule_options()).add(hidden);
  po::store(po::command_line_parser(words).options(all).positional(positional).run(), command.values);
  const po::variables_map& values = command.values;
  command.help = values.count("help") != 0;
  std::ostringstream shown;
  if (show_presets(values, shown)) command.shown = shown.str();
  if (command.help || command.shown) return command;
  if (values.count("input") == 0)
    throw InputError(
        "no input given, expected a capture or stream first (- = standard input); --help lists all");
  command.input = values["input"].as<std::string>();
  read_preset(values, command);
  read_switches(values, command);
  if (command.coalesce_only) {
    if (values.count("output") == 0)
      throw InputError("no output given, expected -o FILE (- = standard output)");
    command.output = values["output"].as<std::string>();
    if (values.count("line") != 0)
      command.simulation.cache.line_bytes =
          static_cast<std::uint32_t>(number(values, "line", "--line", 4, 65536));
  }
  read_cache(values, command);
  if (values.count("coalescing") != 0) command.coalescing = values["coalescing"].as<std::string>();
  command.coalescing = coalescing_rule(command.coalescing).name;
  validate(command.simulation.cache);
  if (command.stages) command.stages->line_bytes = command.simulation.cache.line_bytes;
  follow_local_memory(command);
  check_schedule(command);
  return command;
}

void check_against_input(const CommandLine& command, FileKind kind) {
  const std::string name = input_kind_name(kind);
  if (kind == FileKind::CrawfordTrace || kind == FileKind::Unknown || kind == FileKind::Empty) {
    const std::string found = kind == FileKind::Empty           ? "is empty"
                              : kind == FileKind::CrawfordTrace ? "is a " + name
                                                                : "is no file of this project";
    throw InputError(fmt::format("{}: {}, expected a capture, a stream of warpsched or a transaction stream",
                                 command.input, found));
  }
  if (kind == FileKind::Capture) {
    if (command.runs > 1 && !replacement_policy(command.simulation.cache.replacement).random)
      throw InputError(
          "--runs: a schedule says which core makes each access, so only random replacement can differ "
          "between runs; expected Rand, or run warpsched again with another --seed");
    return;
  }
  for (const char* option : kScheduleOnly)
    if (command.values.count(option) != 0)
      throw InputError(
          fmt::format("--{}: {} is a {} and has its order already, expected a capture; give the option to "
                      "warpsched",
                      option, command.input, name));
  if (kind == FileKind::TransactionStream && command.values.count("coalescing") != 0)
    throw InputError(
        "--coalescing: transactions are coalesced already, expected a capture or a stream of warpsched");
  if (kind == FileKind::TransactionStream && command.simulation.by_whom)
    throw InputError(fmt::format(
        "--reuse-by-whom: {} does not say which lanes made its transactions, expected a capture or "
        "a stream of warpsched",
        command.input));
  if (kind == FileKind::TextStream) return;
  if (command.cores)
    throw InputError(
        fmt::format("--cores: {} says which core makes each access, expected a text stream or a capture; "
                    "give the option to warpsched",
                    command.input));
  if (command.runs > 1 && !replacement_policy(command.simulation.cache.replacement).random)
    throw InputError(
        fmt::format("--runs: {} says which core makes each access, so only random replacement can differ "
                    "between runs; expected Rand, or run warpsched again with another --seed",
                    command.input));
}

std::string help_text(bool coalesce_only) {
  std::ostringstream text;
  if (coalesce_only) {
    text << "Usage: cachesim coalesce INPUT -o FILE [options]\n"
            "Writes the transactions of a capture or stream as a transaction stream (traces/FORMAT.md).\n\n";
  } else {
    text << "Usage: cachesim INPUT SIZE_KIB LINE WAYS REPLACEMENT WRITE [options]\n"
            "       cachesim INPUT --gpu GPU [options]\n"
            "       cachesim INPUT --compare-generations [--generations GPU,…]   one stream on many GPUs\n"
            "       cachesim coalesce INPUT -o FILE [options]   its transactions, for later\n"
            "       cachesim sweep INPUT [options]              many caches at once\n"
            "       cachesim timed CAPTURE --gpu GPU            cycle by cycle\n"
            "       cachesim infer FILE.csv [options]           which cache do measurements force\n"
            "Each of the last four has a --help of its own.\n"
            "Simulates the L1 caches of a GPU. INPUT: a capture, a stream of warpsched (binary or text), a "
            "transaction\n"
            "stream, or - for standard input. Example: cachesim mm.wsched 16 128 4 LRU WTNA\n\n"
         << names_and_help("REPLACEMENT", replacement_policies()) << "\n\n"
         << names_and_help("WRITE", write_policies()) << "\n\n";
  }
  text << own_options(coalesce_only) << "\n" << schedule_options();
  return text.str();
}

}  // namespace warpscope
