#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <sstream>

#include "cachesim/access/coalescer.h"
#include "cachesim/l1/l1_cache.h"
#include "cachesim/sweep/run_sweep.h"
#include "scheduler/assignment.h"
#include "scheduler/skipped_launches.h"
#include "tools/cachesim/commands.h"
#include "tools/cachesim/shared_options.h"
#include "tools/options/capture_input.h"
#include "tools/options/examples.h"
#include "tools/options/schedule_options.h"
#include "traces/base/error.h"
#include "traces/base/names.h"
#include "traces/files/output_file.h"

namespace warpscope {
namespace {

namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMostKib = 1u << 20;

OptionGroup sweep_options() {
  OptionGroup group{
      "Caches: every valid combination of these lists, such as 16,32,48 or 1-16 or 8-64:8 or 8-256*2",
      {},
      {"private-write", "policy", "assign"}};
  const std::string indexes = "set indexes (default linear, or the preset's), of " + names_of(set_indexes());
  const std::string replacements =
      "replacement policies (default LRU, or the preset's), of " + names_of(replacement_policies());
  const std::string writes =
      "write policies (default WTNA, or the preset's), of " + names_of(write_policies());
  auto add = group.options.add_options();
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  add("size", text("LIST"), "capacities, KiB");
  add("ways", text("LIST"), "lines per set");
  add("sets", text("LIST"),
      "sets. Two of --size, --ways and --sets give the third; of all three, those that fit together");
  add("line", text("LIST"), "bytes per line (default 128, or the preset's)");
  add("sector", text("LIST"), "bytes per sector; 0 = whole lines (default 0, or the preset's)");
  add("index", text("NAMES"), indexes.c_str());
  add("replacement", text("NAMES"), replacements.c_str());
  add("write", text("NAMES"), writes.c_str());
  add("private-write", text("NAME"),
      "write policy of private memory (default: the preset's, or --write without a preset)");
  return group;
}

OptionGroup sweep_output_options() {
  OptionGroup group{"Run and output", {}, {"coalescing", "keep-l1", "partial", "threads", "top"}};
  auto add = group.options.add_options();
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
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
  return group;
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

/// The lists of the options about caches, with what `base` has where there is none.
SweepSpace listed_space(const OptionValues& values, const CacheConfig& base) {
  SweepSpace space;
  const auto numbers = [&](const char* name, std::uint64_t most, std::uint64_t least = 1) {
    const auto text = text_of(values, name);
    return text ? parse_number_list(std::string("--") + name, *text, most, least) : std::vector<NumberItem>{};
  };
  const auto words = [&](const char* name, const std::string& otherwise) {
    const auto text = text_of(values, name);
    return text ? parse_word_list(std::string("--") + name, *text) : std::vector<std::string>{otherwise};
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
  return space;
}

void read_space(const OptionValues& values, SweepRequest& request) {
  std::optional<CacheConfig>& own = request.preset_cache;
  SweepSpace space = listed_space(values, own.value_or(CacheConfig{}));
  if (const auto policy = text_of(values, "private-write")) {
    write_policy(*policy, kOfPrivateMemory);
    space.private_write = *policy;
    if (own) own->private_write_policy = *policy;
  }
  space.seed = number_of(values, "seed", 0, ~std::uint64_t{0}).value_or(1);
  if (own) {
    own->seed = space.seed;
    complete_from_preset(*own, space);
  }
  request.configurations = expand(space);
}

struct SweepCommand {
  SweepRequest request;
  std::optional<std::string> json, csv;  ///< files; absent = none
  std::size_t top = 10;                  ///< rows of the tables
};

SweepCommand sweep_command_from(const OptionValues& values) {
  SweepCommand command;
  SweepRequest& request = command.request;
  if (!has_option(values, "input"))
    throw InputError(
        "no input given, expected a capture or stream first (- = standard input); sweep --help lists all");
  request.input = *text_of(values, "input");
  const std::optional<GpuPreset> gpu = preset_from(values);
  if (gpu) use_gpu(request, *gpu);
  request.coalescing = coalescing_rule(text_of(values, "coalescing").value_or(request.coalescing)).name;
  request.classes = is_on(values, "classes");
  request.keep_l1 = is_on(values, "keep-l1");
  request.partial = is_on(values, "partial");
  request.threads = host_threads(values);
  command.top = number_of(values, "top", 0, 1u << 20).value_or(command.top);
  command.json = text_of(values, "json");
  command.csv = text_of(values, "csv");
  if (command.json == "-" && command.csv == "-")
    throw InputError("--json and --csv both to standard output, expected a file for one of them");
  read_space(values, request);
  request.schedule = schedule_options_from(values, gpu);
  request.sets_cores = has_option(values, "cores");
  require_assignment(request.schedule.assignment);
  return command;
}

constexpr const char* kSweepUsage =
    "Usage: cachesim sweep INPUT [options]\n"
    "Simulates many L1 caches on one schedule: LRU caches of all associativities in one pass, others in "
    "parallel.\n\n";

/// Writes how far the run is to a terminal, twice a second.
class TerminalProgress {
 public:
  TerminalProgress() : terminal_(::isatty(STDERR_FILENO) != 0) {}
  ~TerminalProgress() {
    if (shown_) std::cerr << "\r\x1b[K" << std::flush;
  }
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;
  void note(std::uint64_t transactions) {
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

int sweep_and_report(const SweepCommand& command, const OptionValues& values) {
  SweepRequest request = command.request;
  const CaptureInput input(request.input, values, "cachesim sweep");
  request.input = input.path();
  const FileKind kind = detect_file_kind(request.input);
  check_order_options(values, request.input, kind);
  check_against_input(request, kind);
  std::unique_ptr<OutputFile> json, csv;  // opened first: they fail before the work, not after
  if (command.json) json = std::make_unique<OutputFile>(*command.json);
  if (command.csv) csv = std::make_unique<OutputFile>(*command.csv);
  SweepResult result;
  {
    TerminalProgress progress;
    result = run_sweep(request, kind, [&](std::uint64_t done) { progress.note(done); });
  }
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

int run_sweep_command(const std::vector<std::string>& words) {
  CommandOptions options("cachesim sweep");
  options.add(sweep_options())
      .add(sweep_output_options())
      .add(schedule_options(
          "Order (for captures, which are scheduled here). --seed also sets random replacement"))
      .add_word("input");
  const OptionValues values = options.parse(words);
  if (options.answers(values, kSweepUsage, examples_of("cachesim sweep"), std::cout)) return kExitOk;
  if (show_presets(values, std::cout)) return kExitOk;
  return sweep_and_report(sweep_command_from(values), values);
}

}  // namespace warpscope
