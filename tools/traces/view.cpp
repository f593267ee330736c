// trace-view: shows what is in a capture.
#include <fmt/format.h>

#include <iostream>

#include "tools/options/capture_input.h"
#include "tools/options/command_options.h"
#include "tools/options/examples.h"
#include "tools/options/run_tool.h"
#include "tools/traces/listing.h"
#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/base/parse_number.h"
#include "traces/crawford/crawford_trace.h"
#include "traces/faults/faults.h"
#include "traces/program/launch_selection.h"
#include "traces/races/races.h"

namespace warpscope {
namespace {

namespace po = boost::program_options;

CommandOptions view_options() {
  OptionGroup own{
      "What is shown",
      {},
      {"partial", "race-groups", "warp-size", "format", "output", "buffer-base", "element-bytes"}};
  own.options.add_options()("summary", "loads, stores, atomics, barriers and bytes of every launch")(
      "sites", "table of memory instructions")(
      "cfg", "control-flow graph: blocks, successors, immediate post-dominators, loops, instruction mix")(
      "instructions", "machine code, with how often the launch executed each instruction")(
      "sum", "only the first launch of each kernel; --instructions: sums of all of them")(
      "source", "the kernel's source text")("json", "JSON instead of tables")(
      "launch", po::value<std::string>()->value_name("LIST"), "only these launches, counted from 0: 0,3-7")(
      "kernel", po::value<std::string>()->value_name("NAME[,NAME]"),
      "only launches of these kernels: whole names, or regular expressions found in a name")(
      "races", "accesses to local memory that race; exit status 4 if there are any")(
      "faults",
      "what kernels do wrong, in all work-groups, as warpscope check has it; exit status 4 if there are "
      "errors")("race-groups", po::value<std::string>()->value_name("N|all"),
                "work-groups of each launch that --races checks (default 4, of 4 launches of a kernel); all: "
                "everything")("warp-size", po::value<std::uint32_t>()->default_value(32)->value_name("N"),
                              "of --races and --faults in OpenCL kernels; CUDA's is 32")(
      "work-item", po::value<std::string>()->value_name("GROUP:ITEM"),
      "accesses of one work-item in order; GROUP and ITEM are linear numbers")(
      "format", po::value<std::string>()->default_value("table")->value_name("F"),
      "table, or crawford: the launch as scheduler input of Crawford 2014 (listing 5.1)")(
      "output,o", po::value<std::string>()->default_value("-")->value_name("FILE"),
      "output file of the format crawford")("buffer-base", po::value<std::uint64_t>()->value_name("ADDRESS"),
                                            "first simulated address")(
      "partial", "show what is left of a capture that was cut short");
  add_element_bytes(own.options);
  CommandOptions options("trace-view");
  options.add(std::move(own)).add_word("capture");
  return options;
}

struct GroupAndItem {
  WorkGroupId group;
  WorkItemId item;
};

GroupAndItem parse_work_item(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos) {
    const auto group = parse_number(std::string_view(text).substr(0, colon), 0, 0xffffffffu);
    const auto item = parse_number(std::string_view(text).substr(colon + 1), 0, 0xffffffffu);
    if (group && item)
      return {WorkGroupId(static_cast<std::uint32_t>(*group)), WorkItemId(static_cast<std::uint32_t>(*item))};
  }
  throw InputError(fmt::format("--work-item is '{}', expected GROUP:ITEM, for example 0:31", text));
}

LaunchSelection selection_from(const po::variables_map& values) {
  const auto text = [&](const char* name) {
    return values.count(name) != 0 ? std::optional(values[name].as<std::string>()) : std::nullopt;
  };
  return {text("launch"), text("kernel")};
}

const LaunchInfo& only_launch(const std::vector<const LaunchInfo*>& launches) {
  if (launches.size() != 1) {
    throw InputError(
        fmt::format("the capture has {} launches, expected one: choose it with --launch", launches.size()));
  }
  return *launches.front();
}

/// Whether a --format is that of Crawford 2014; "root-text" is what it was called before.
bool is_crawford(const std::string& format) {
  return format == "crawford" || format == "root-text";
}

RaceOptions race_options(const po::variables_map& values) {
  RaceOptions options;
  if (values.count("race-groups") != 0) {
    const auto text = values["race-groups"].as<std::string>();
    const auto number = parse_number(text, 1, 0xffffffffu);
    if (text != "all" && !number)
      throw InputError(fmt::format("--race-groups is '{}', expected a number from 1, or all", text));
    options = RaceOptions::everything();
    if (number) options.groups = *number;
  }
  options.warp_size = values["warp-size"].as<std::uint32_t>();
  if (options.warp_size == 0 || options.warp_size > kMaxWarpSize)
    throw InputError(fmt::format("--warp-size is {}, expected 1 to {}", options.warp_size, kMaxWarpSize));
  return options;
}

/// What is wrong with the options, before anything is read.
void check_options(const po::variables_map& values) {
  const auto& format = values["format"].as<std::string>();
  if (format != "table" && !is_crawford(format))
    throw InputError(fmt::format("--format is '{}', expected table or crawford", format));
  if (values.count("work-item") != 0) parse_work_item(values["work-item"].as<std::string>());
  (void)selection_from(values);
  (void)race_options(values);
}

/// Says which accesses race; the exit status.
int show_races(const CaptureReader& capture, const po::variables_map& values) {
  const RaceReport report =
      find_races(capture, selection_from(values).of(capture.launches()), race_options(values));
  if (values.count("json") != 0)
    fmt::print("{}\n", to_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else
    list_races(report);
  return report.count() != 0 ? kExitThreshold : kExitOk;
}

/// Says what kernels do wrong; the exit status.
int show_faults(const CaptureReader& capture, const po::variables_map& values) {
  const FaultReport report =
      find_faults(capture, selection_from(values).of(capture.launches()), race_options(values).warp_size);
  if (values.count("json") != 0)
    fmt::print("{}\n", to_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else
    list_faults(report);
  return report.has_errors() ? kExitThreshold : kExitOk;
}

void show(const CaptureReader& capture, const std::string& path, const po::variables_map& values) {
  const auto launches = selection_from(values).of(capture.launches());
  const auto wants = [&](const char* option) { return values.count(option) != 0; };
  const ListingParts parts{wants("summary"), wants("sites"),        wants("cfg"),
                           wants("source"),  wants("instructions"), wants("sum")};
  LayoutOptions layout;
  if (wants("buffer-base")) layout.base = values["buffer-base"].as<std::uint64_t>();
  if (is_crawford(values["format"].as<std::string>())) {
    write_crawford_trace(capture, only_launch(launches).id, layout, values["output"].as<std::string>());
  } else if (wants("work-item")) {
    const GroupAndItem chosen = parse_work_item(values["work-item"].as<std::string>());
    list_work_item(capture, only_launch(launches), chosen.group, chosen.item, layout);
  } else if (wants("json")) {
    list_json(capture, launches, parts);
  } else {
    list_capture(capture, path, launches, parts);
  }
}

constexpr const char* kUsage =
    "trace-view CAPTURE: shows the header of a capture (- = standard input), or what the options ask "
    "for.\n\n";

int run(const std::vector<std::string>& words) {
  const CommandOptions options = view_options();
  const OptionValues values = options.parse(words);
  if (options.answers(values, kUsage, examples_of("trace-view"), std::cout)) return kExitOk;
  if (values.count("capture") == 0) throw InputError("no capture given, expected: trace-view CAPTURE");
  const auto path = values["capture"].as<std::string>();
  check_options(values);
  const CaptureInput input(path, values, "trace-view");
  const CaptureReader capture(input.path(), values.count("partial") != 0);
  if (values.count("races") != 0) return show_races(capture, values);
  if (values.count("faults") != 0) return show_faults(capture, values);
  show(capture, path, values);
  return kExitOk;
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) {
  return warpscope::run_tool("trace-view", [&] { return warpscope::run({argv + 1, argv + argc}); });
}
