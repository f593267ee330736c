#include "cachesim/sweep/sweep_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <thread>

#include "cachesim/access/coalescer.h"
#include "cachesim/l1/l1_cache.h"
#include "cachesim/simulate/input.h"
#include "cachesim/simulate/preset_cache.h"
#include "scheduler/assignment.h"
#include "traces/base/error.h"
#include "traces/base/names.h"
#include "traces/base/parse_number.h"

namespace warpscope {
namespace {

namespace po = boost::program_options;

constexpr std::uint64_t kMostKib = 1u << 20;

po::options_description sweep_options() {
  po::options_description own(
      "Caches: every combination that makes one; lists like 16,32,48 or 1-16 or 8-64:8 or 8-256*2");
  const std::string indexes = "set indexes (default linear, or the preset's), of " + names_of(set_indexes());
  const std::string replacements =
      "replacement policies (default LRU, or the preset's), of " + names_of(replacement_policies());
  const std::string writes =
      "write policies (default WTNA, or the preset's), of " + names_of(write_policies());
  auto add = own.add_options();
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  add("size", text("LIST"), "capacities, KiB");
  add("ways", text("LIST"), "lines of a set");
  add("sets", text("LIST"), "sets. Two of --size, --ways, --sets give the third; of all three, what fits");
  add("line", text("LIST"), "bytes of a line (default 128, or the preset's)");
  add("sector", text("LIST"), "bytes of a sector; 0 = whole lines (default 0, or the preset's)");
  add("index", text("NAMES"), indexes.c_str());
  add("replacement", text("NAMES"), replacements.c_str());
  add("write", text("NAMES"), writes.c_str());
  add("private-write", text("NAME"),
      "write policy of private memory (default: the preset's; without a preset that of --write)");
  return own;
}

po::options_description output_options() {
  po::options_description own("Run and output");
  auto add = own.add_options();
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  add("help,h", "this text");
  add("version", "version and commit");
  add("csv", text("FILE"), "write the cells as a table (- = standard output)");
  add("json", text("FILE"),
      "write cells, curves and knees as JSON (docs/tools/sweep.md; - = standard output)");
  add("threads", text("N"), "host threads (default: all)");
  add("top", text("N"), "rows of the tables (default 10)");
  add("coalescing", text("RULE"), ("coalescing rule, of " + names_of(coalescing_rules())).c_str());
  add("classes", po::bool_switch(),
      "miss classes of every cache (cold, invalidated, capacity, conflict): slower, since then every cache "
      "is "
      "simulated by itself");
  add("keep-l1", po::bool_switch(), "keep the L1's content from launch to launch");
  add("partial", po::bool_switch(), "take an input that was cut short up to its last intact part");
  return own;
}

po::options_description order_options() {
  po::options_description schedule(
      "Order (for captures, which are scheduled here; --seed also of random replacement)");
  add_schedule_options(schedule);
  return schedule;
}

std::uint64_t sweep_number(const po::variables_map& values, const char* name, std::uint64_t least,
                           std::uint64_t most, std::uint64_t otherwise) {
  if (values.count(name) == 0) return otherwise;
  const std::string& text = values[name].as<std::string>();
  if (const auto value = parse_number(text, least, most)) return *value;
  throw InputError(fmt::format("--{}: '{}', expected a whole number from {} to {}", name, text, least, most));
}

void read_sweep_preset(SweepCommand& command) {
  command.preset = preset_from(command.values);
  if (!command.preset) return;
  const GpuPreset& preset = *command.preset;
  CacheConfig own = preset_cache(preset);
  own.set_index = set_index(own.set_index).name;
  if (own.sector_bytes == own.line_bytes) own.sector_bytes = 0;
  validate(own);
  command.preset_cache = own;
  command.coalescing = preset.coalescing;
  command.takes = preset_takes(preset);
}

NumberItem single(std::uint64_t value) {
  return {std::to_string(value), {value}};
}

/// With a preset one of size, ways and sets is enough; the preset's own ways, or sets, complete it.
void complete_from_preset(const CacheConfig& preset, SweepSpace& space) {
  const bool size = !space.sizes_kib.empty(), ways = !space.ways.empty(), sets = !space.sets.empty();
  if (int{size} + int{ways} + int{sets} != 1) return;
  if (ways)
    space.sets.push_back(single(preset.sets()));
  else
    space.ways.push_back(single(preset.ways));
}

void read_space(SweepCommand& command) {
  const auto& values = command.values;
  const CacheConfig base = command.preset_cache.value_or(CacheConfig{});
  SweepSpace space;
  const auto numbers = [&](const char* name, std::uint64_t most, std::uint64_t least = 1) {
    return values.count(name) == 0
               ? std::vector<NumberItem>{}
               : parse_number_list(std::string("--") + name, values[name].as<std::string>(), most, least);
  };
  const auto words = [&](const char* name, const std::string& otherwise) {
    return values.count(name) == 0
               ? std::vector<std::string>{otherwise}
               : parse_word_list(std::string("--") + name, values[name].as<std::string>());
  };
  space.sizes_kib = numbers("size", kMostKib);
  space.ways = numbers("ways", kMostKib);
  space.sets = numbers("sets", kMostKib);
  space.lines = numbers("line", 65536);
  if (space.lines.empty()) space.lines.push_back(single(base.line_bytes));
  space.sectors = numbers("sector", 65536, 0);
  if (space.sectors.empty()) space.sectors.push_back(single(base.sector_bytes));
  space.indexes = words("index", base.set_index);
  for (std::string& name : space.indexes) name = set_index(name).name;
  space.replacements = words("replacement", base.replacement);
  for (const std::string& name : space.replacements) replacement_policy(name);
  space.writes = words("write", base.write_policy);
  for (const std::string& name : space.writes) write_policy(name);
  space.private_write = base.private_write_policy;
  if (values.count("private-write") != 0) {
    space.private_write = values["private-write"].as<std::string>();
    write_policy(space.private_write, kOfPrivateMemory);
    if (command.preset_cache) command.preset_cache->private_write_policy = space.private_write;
  }
  space.seed = sweep_number(values, "seed", 0, ~std::uint64_t{0}, 1);
  if (command.preset_cache) {
    command.preset_cache->seed = space.seed;
    complete_from_preset(*command.preset_cache, space);
  }
  command.configurations = expand(space);
}

}  // namespace

SweepCommand parse_sweep_command(const std::vector<std::string>& arguments) {
  SweepCommand command;
  po::options_description all, hidden;
  hidden.add_options()("input", po::value<std::string>());
  po::positional_options_description positional;
  positional.add("input", 1);
  all.add(sweep_options()).add(output_options()).add(order_options()).add(hidden);
  po::store(po::command_line_parser(arguments).options(all).positional(positional).run(), command.values);
  const po::variables_map& values = command.values;
  command.help = values.count("help") != 0;
  std::ostringstream shown;
  if (show_presets(values, shown)) command.shown = shown.str();
  if (command.help || command.shown) return command;
  if (values.count("input") == 0)
    throw InputError(
        "no input given, expected a capture or stream first (- = standard input); sweep --help lists all");
  command.input = values["input"].as<std::string>();
  read_sweep_preset(command);
  if (values.count("coalescing") != 0) command.coalescing = values["coalescing"].as<std::string>();
  command.coalescing = coalescing_rule(command.coalescing).name;
  command.classes = values["classes"].as<bool>();
  command.keep_l1 = values["keep-l1"].as<bool>();
  command.partial = values["partial"].as<bool>();
  const std::uint32_t all_threads = std::max(1u, std::thread::hardware_concurrency());
  command.threads = static_cast<std::uint32_t>(sweep_number(values, "threads", 1, 1024, all_threads));
  command.top = sweep_number(values, "top", 0, 1u << 20, 10);
  if (values.count("json") != 0) command.json = values["json"].as<std::string>();
  if (values.count("csv") != 0) command.csv = values["csv"].as<std::string>();
  if (command.json == "-" && command.csv == "-")
    throw InputError("--json and --csv both to standard output, expected a file for one of them");
  read_space(command);
  require_assignment(schedule_options_from(values).assignment);
  return command;
}

void check_against_input(const SweepCommand& command, FileKind kind) {
  CommandLine same;  // what holds for a single simulation
  same.input = command.input;
  same.values = command.values;
  if (command.values.count("cores") != 0) {
    if (kind == FileKind::TextStream)
      throw InputError(
          "--cores: a sweep takes a text stream as one core's, expected a capture, or a stream of warpsched "
          "--format binary");
    same.cores = 1;
  }
  check_against_input(same, kind);
}

std::string sweep_help() {
  std::ostringstream text;
  text
      << "Usage: cachesim sweep INPUT [options]\n"
         "Simulates many L1 caches on one schedule: LRU caches of all associativities in one pass, others in "
         "parallel.\n"
         "Example: cachesim sweep mm.wtrace --gpu gtx480 --size 16,32,48 --ways 1-16 --csv mm.csv\n\n"
      << sweep_options() << "\n"
      << output_options() << "\n"
      << order_options();
  return text.str();
}

}  // namespace warpscope
