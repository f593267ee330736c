// warpsched: puts the accesses of a capture into the order in which a GPU's warps would make them.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <memory>

#include "scheduler/assignment.h"
#include "scheduler/block_counts.h"
#include "scheduler/formation/formation.h"
#include "scheduler/schedule.h"
#include "scheduler/skipped_launches.h"
#include "tools/options/capture_input.h"
#include "tools/options/examples.h"
#include "tools/options/run_tool.h"
#include "tools/options/schedule_options.h"
#include "traces/base/error.h"
#include "traces/capture/reader.h"
#include "traces/files/output_file.h"
#include "traces/stream/stream.h"

namespace warpscope {
namespace {

namespace po = boost::program_options;

CommandOptions warpsched_options() {
  OptionGroup own{"Output", {}, {"block-counts", "partial"}};
  own.options.add_options()("output,o", po::value<std::string>()->value_name("STREAM"),
                            "where the stream goes (default -, standard output)")(
      "format", po::value<std::string>()->value_name("F")->default_value("binary"),
      "binary, or text (one line per lane: address, R or W, work-group, warp, site)")(
      "block-counts", po::value<std::string>()->value_name("FILE"),
      "how often warps and work-items enter each block, as JSON; no stream is written")(
      "partial", po::bool_switch(), "take a capture that was cut short up to its last complete work-group");
  OptionGroup order = schedule_options("Order");
  std::string help = "who forms a warp; says how full warps are:";
  for (const FormationInfo& one : formations())
    help += std::string("\n") + one.name + ": " + one.help + " (" + one.source + ")";
  order.options.add_options()("formation", po::value<std::string>()->value_name("F"), help.c_str());
  CommandOptions options("warpsched");
  options.add(std::move(own)).add(std::move(order)).add_word("capture");
  return options;
}

std::unique_ptr<WarpAccessSink> make_writer(const std::string& format, const std::string& path) {
  if (format == "text") return make_text_stream_writer(path);
  if (format != "binary") throw InputError("--format " + format + ": expected binary or text");
  if (path == "-" && isatty(STDOUT_FILENO) != 0) {
    throw InputError(
        "standard output is a terminal, expected a file or a pipe; -o names a file, --format text shows "
        "the stream");
  }
  return make_binary_stream_writer(path);
}

/// Options of a schedule, with --formation.
ScheduleOptions options_from(const po::variables_map& values) {
  ScheduleOptions options = schedule_options_from(values);
  if (values.count("formation") == 0) return options;
  options.formation = formation_named(values["formation"].as<std::string>()).formation;
  options.formation_counts = std::make_shared<FormationCounts>();
  validate(options);
  return options;
}

void write_counts(const ScheduleOptions& options, std::ostream& out) {
  if (!options.formation) return;
  const auto [warps, lanes] = *options.formation_counts;
  const double each = warps == 0 ? 0.0 : static_cast<double>(lanes) / static_cast<double>(warps);
  out << fmt::format("{}: {} warp instructions of {:.1f} work-items, {:.1f} % of {} lanes\n",
                     formations()[static_cast<std::size_t>(*options.formation)].name, warps, each,
                     100 * each / options.warp_size, options.warp_size);
}

void write_block_counts(const po::variables_map& values, const ScheduleOptions& options) {
  for (const char* other : {"output", "formation"})
    if (values.count(other) != 0)
      throw InputError(std::string("--block-counts: writes no stream, expected it without --") + other);
  OutputFile file(values["block-counts"].as<std::string>());  // fails before the work, not after
  const CaptureInput input(values["capture"].as<std::string>(), values, "warpsched");
  const CaptureReader capture(input.path(), values["partial"].as<bool>());
  file.write(
      block_counts_json(capture, options).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) +
      "\n");
  file.commit();
}

constexpr const char* kUsage =
    "Usage: warpsched CAPTURE --policy P [--gpu GPU] [--assign A] -o STREAM\n"
    "Orders the accesses of a capture as a GPU's warps would make them. - is standard input or output.\n\n";

int run(const std::vector<std::string>& words) {
  const CommandOptions options_of_tool = warpsched_options();
  const OptionValues values = options_of_tool.parse(words);
  if (options_of_tool.answers(values, kUsage, examples_of("warpsched"), std::cout)) return kExitOk;
  if (show_presets(values, std::cout)) return kExitOk;
  if (values.count("capture") == 0)
    throw InputError("no capture given, expected warpsched CAPTURE -o STREAM");
  const ScheduleOptions options = options_from(values);
  if (values.count("block-counts") != 0) {
    write_block_counts(values, options);
    return kExitOk;
  }
  require_assignment(options.assignment);
  const std::string output = values.count("output") != 0 ? values["output"].as<std::string>() : "-";
  const std::unique_ptr<WarpAccessSink> writer = make_writer(values["format"].as<std::string>(), output);
  const CaptureInput input(values["capture"].as<std::string>(), values, "warpsched");
  const CaptureReader capture(input.path(), values["partial"].as<bool>());
  const nlohmann::json skipped = run_schedule(capture, options, *writer);
  write_counts(options, std::cerr);
  return report_skipped("warpsched", skipped, std::cerr);
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) {
  return warpscope::run_tool("warpsched", [&] { return warpscope::run({argv + 1, argv + argc}); });
}
