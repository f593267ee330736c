#include "cachesim/infer/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpscope::infer {
namespace {

constexpr std::size_t kShown = 6;  // of a list in the text; the JSON has all

const char* status_name(Status status) {
  return status == Status::Found ? "found" : status == Status::Ambiguous ? "ambiguous" : "not told";
}

void append(std::string& text, const char* word, const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < std::min(lines.size(), kShown); ++i)
    text += fmt::format("    {:9}{}\n", i == 0 ? word : "", lines[i]);
  if (lines.size() > kShown) text += fmt::format("    {:9}and {} more (--json)\n", "", lines.size() - kShown);
}

}  // namespace

std::string text_report(const std::vector<Finding>& findings, const Table& table) {
  std::string text;
  if (table.miss_cycles() != 0)
    text +=
        fmt::format("A hit takes {:.1f} cycles, a miss {:.1f}.\n\n", table.hit_cycles(), table.miss_cycles());
  for (const Finding& finding : findings) {
    std::string said = finding.text;
    if (finding.status == Status::Ambiguous) said.insert(0, "not decided: ");
    if (finding.status == Status::Unknown)
      said.insert(0, said.empty() ? "does not follow from this file" : "does not follow from this file: ");
    text += fmt::format("{}: {}\n", finding.title, said);
    append(text, "since", finding.evidence);
    append(text, "not", finding.excluded);
    std::vector<std::string> wanted;
    wanted.reserve(finding.measure.size());
    for (const Pattern& pattern : finding.measure) wanted.push_back(pattern.text());
    append(text, "measure", wanted);
  }
  return text;
}

nlohmann::ordered_json report_json(const std::vector<Finding>& findings, const Table& table,
                                   const std::string& input) {
  nlohmann::ordered_json result{
      {"schema", 1}, {"kind", "infer"}, {"input", input}, {"rows", table.rows().size()}};
  if (table.miss_cycles() != 0) {
    result["hit_cycles"] = table.hit_cycles();
    result["miss_cycles"] = table.miss_cycles();
  }
  nlohmann::ordered_json& properties = result["properties"];
  for (const Finding& finding : findings) {
    std::vector<std::string> wanted;
    wanted.reserve(finding.measure.size());
    for (const Pattern& pattern : finding.measure) wanted.push_back(pattern.text());
    properties[finding.name] = {
        {"status", status_name(finding.status)}, {"value", finding.value},       {"text", finding.text},
        {"evidence", finding.evidence},          {"excluded", finding.excluded}, {"measure", wanted}};
  }
  return result;
}

}  // namespace warpscope::infer
