#include "tools/cachesim/resume.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "cachesim/simulate/input.h"
#include "tools/options/interruption.h"
#include "traces/base/error.h"
#include "traces/base/printable.h"

namespace warpscope {
namespace {

/// What only says where the result goes, who works on it, and which file the capture is in.
constexpr std::array kIndifferent = {"resume",   "json",  "csv",           "top",        "threads",
                                     "launches", "input", "check-options", "keep-resume"};

std::string text_of_value(const boost::program_options::variable_value& value) {
  if (const auto* text = boost::any_cast<std::string>(&value.value())) return *text;
  if (const auto* is_on = boost::any_cast<bool>(&value.value())) return *is_on ? "on" : "off";
  std::string all;
  for (const std::string& one : value.as<std::vector<std::string>>()) all += one + "\n";
  return all;
}

/// Everything that the result depends on, but for the capture.
nlohmann::json options_json(const OptionValues& values, const nlohmann::json& gpu) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, value] : values)
    if (std::find(kIndifferent.begin(), kIndifferent.end(), name) == kIndifferent.end())
      json["--" + name] = text_of_value(value);
  json["--gpu"] = gpu;
  json.erase("--preset");
  const auto assignment = text_of(values, "assign");
  if (assignment && ::access(assignment->c_str(), R_OK) == 0) json["--assign"] = content_hash(*assignment);
  return json;
}

}  // namespace

KeptWork kept_work(const std::string& tool, const OptionValues& values, const ResultFile& result,
                   const nlohmann::json& gpu) {
  if (!is_on(values, "resume")) {
    if (is_on(values, "keep-resume"))
      throw InputError("--keep-resume: has no effect here, expected --resume as well");
    return {};
  }
  if (!result.path || *result.path == "-" || is_special_file(*result.path))
    throw InputError(fmt::format("--resume: what is done is kept next to the result, expected {} as well",
                                 result.expected));
  KeptWork kept{open_resume_file(*result.path + ".resume", tool, *text_of(values, "input"),
                                 is_on(values, "partial"), options_json(values, gpu)),
                0};
  say_when_interrupted(printable_message(
      fmt::format("{}: interrupted; the same command goes on from {}", tool, kept.file->path())));
  return kept;
}

void end_kept_work(const KeptWork& kept, const OptionValues& values) {
  if (kept.file && !is_on(values, "keep-resume")) kept.file->remove();
}

void refuse_to_resume(const OptionValues& values, const std::string& input, FileKind kind) {
  if (is_on(values, "resume") && kind != FileKind::Capture)
    throw InputError(fmt::format("--resume: {} is a {} and is read in one go, expected a capture", input,
                                 input_kind_name(kind)));
}

void refuse_with_resume(const OptionValues& values, std::initializer_list<const char*> others) {
  if (!is_on(values, "resume")) return;
  for (const char* other : others)
    if (has_option(values, other))
      throw InputError(
          fmt::format("--resume and --{}: a run that goes on would choose anew, expected one of them; the "
                      "line of a run with --{} names options that repeat its choice",
                      other, other));
}

}  // namespace warpscope
