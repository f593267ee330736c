// trace-change: the capture that another layout of its memory objects would have given.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/options/command_options.h"
#include "tools/options/run_tool.h"
#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/base/printable.h"
#include "traces/capture/reader.h"
#include "traces/files/output_file.h"
#include "whatif/change.h"
#include "whatif/rewrite.h"

namespace warpscope::whatif {
namespace {

namespace po = boost::program_options;

OptionGroup change_options() {
  OptionGroup changes{"Changes (each may be repeated; they are made in the order given)",
                      {},
                      {"offset", "sort-index", "widen"}};
  for (const ChangeForm& form : change_forms())
    changes.options.add_options()(form.name, po::value<std::vector<std::string>>()->value_name(form.form),
                                  form.help);
  return changes;
}

OptionGroup other_options() {
  OptionGroup other{"Output", {}, {"check-options", "json", "partial"}};
  other.options.add_options()("output,o", po::value<std::string>()->value_name("FILE"),
                              "the changed capture (- = standard output)")(
      "json", po::value<std::string>()->value_name("FILE"), "what was done, as JSON (- = standard output)")(
      "check-options", po::bool_switch(), "check the changes' form, read and write nothing")(
      "partial", po::bool_switch(), "take a capture that was cut short up to its last intact work-group");
  return other;
}

constexpr const char* kUsage =
    "Usage: trace-change CAPTURE CHANGE... -o FILE\n"
    "Writes the capture that a changed kernel would have given: the same accesses in the same order, "
    "to\n"
    "other places. OBJECT is a buffer, an argument, or a local or private array.\n\n"
    "Examples:\n"
    "  trace-change mt.wtrace --pad tile=+1 -o padded.wtrace\n"
    "  trace-change nbody.wtrace --split bodies=16 -o arrays.wtrace\n"
    "  trace-change mm.wtrace --pitch A=1024:1056 --groups tile:4x4 -o changed.wtrace\n\n";
constexpr const char* kStatus = "\nExit status: 0; 2 bad input; 3 an access does not fit the change.\n";

/// In the order of the command line.
std::vector<Change> changes_of(const po::parsed_options& parsed) {
  std::vector<Change> changes;
  for (const auto& option : parsed.options)
    for (const ChangeForm& form : change_forms())
      if (option.string_key == form.name)
        for (const std::string& value : option.value) changes.push_back(parse_change(form, value));
  return changes;
}

nlohmann::ordered_json to_json(const std::vector<Change>& changes, const Plan& plan,
                               const CaptureReader& capture) {
  nlohmann::ordered_json result{{"schema", 1}, {"capture", capture.hash()}};
  result["changes"] = nlohmann::json::array();
  for (const Change& change : changes) result["changes"].push_back(change.text);
  result["done"] = plan.said;
  result["not_simulated"] = plan.not_simulated;
  return result;
}

void report(const Plan& plan, std::ostream& out) {
  for (const std::string& line : plan.said) out << printable(line) << "\n";
  for (const std::string& line : plan.not_simulated) out << "not simulated: " << printable(line) << "\n";
}

int change_capture(const OptionValues& values, const std::vector<Change>& changes) {
  if (!has_option(values, "capture"))
    throw InputError(
        "no capture given, expected trace-change CAPTURE CHANGE... -o FILE; --help has examples");
  if (changes.empty())
    throw InputError("no change given, expected one such as --pad tile=+1; --help lists them");
  if (!has_option(values, "output")) throw InputError("no output given, expected -o FILE");
  const std::string path = *text_of(values, "output");
  const auto json_path = text_of(values, "json");
  if (path == "-" && json_path == "-")
    throw InputError("-o - and --json -: both are standard output, expected one of them to be a file");
  std::unique_ptr<OutputFile> json;
  if (json_path) json = std::make_unique<OutputFile>(*json_path);  // fails before the work, not after
  const CaptureReader capture(*text_of(values, "capture"), is_on(values, "partial"));
  Plan plan = make_plan(capture, changes);
  const KernelFits fits = fit(capture, plan);
  std::string made;
  if (const auto found = capture.file_header().find("options"); found != capture.file_header().end())
    made = found->get<std::string>() + "; ";
  for (const Change& change : changes) made += change.text + " ";
  made.pop_back();
  rewrite(capture, plan, fits, path, made);
  if (json) {
    json->write(to_json(changes, plan, capture).dump(2) + "\n");
    json->commit();
  }
  report(plan, path == "-" || json_path == "-" ? std::cerr : std::cout);
  return kExitOk;
}

int run(const std::vector<std::string>& words) {
  CommandOptions options("trace-change");
  options.add(change_options()).add(other_options()).add_word("capture");
  const po::parsed_options parsed = options.parse_in_order(words);
  OptionValues values;
  po::store(parsed, values);
  if (options.answers(values, kUsage, kStatus, std::cout)) return kExitOk;
  const std::vector<Change> changes = changes_of(parsed);
  return is_on(values, "check-options") ? kExitOk : change_capture(values, changes);
}

}  // namespace
}  // namespace warpscope::whatif

int main(int argc, char** argv) {
  return warpscope::run_tool("trace-change", [&] { return warpscope::whatif::run({argv + 1, argv + argc}); });
}
