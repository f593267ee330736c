// cachesim INPUT --compare-generations: the simulation that the other words ask for, on a GPU of every generation.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <sstream>

#include "cachesim/run/generations.h"
#include "scheduler/skipped_launches.h"
#include "tools/cachesim/commands.h"
#include "tools/cachesim/shared_options.h"
#include "tools/cachesim/simulate_command.h"
#include "tools/options/capture_input.h"
#include "tools/options/gpu_options.h"
#include "traces/base/error.h"
#include "traces/files/output_file.h"

namespace warpscope {
namespace {

/// Takes `--name VALUE` or `--name=VALUE` out of the words.
std::optional<std::string> take_option(std::vector<std::string>& words, const std::string& name) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (word->starts_with(name + "=")) {
      const std::string value = word->substr(name.size() + 1);
      words.erase(word);
      return value;
    }
    if (*word != name) continue;
    if (std::next(word) == words.end()) throw InputError(name + ": no value given, expected one");
    const std::string value = *std::next(word);
    words.erase(word, word + 2);
    return value;
  }
  return std::nullopt;
}

std::vector<std::string> presets_from(const std::optional<std::string>& list) {
  if (!list) return generation_presets();
  std::vector<std::string> names;
  std::stringstream text(*list);
  for (std::string name; std::getline(text, name, ',');) {
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end())
      throw InputError(
          fmt::format("--generations {}: expected different presets, separated by commas", *list));
    names.push_back(name);
  }
  if (names.empty()) throw InputError("--generations: empty, expected presets, separated by commas");
  return names;
}

/// What would be the same for every generation, or is of one run only.
void refuse_what_does_not_fit(const OptionValues& values) {
  for (const char* option : {"gpu", "preset", "carveout", "coalescing", "set-index", "sector", "runs",
                             "repeat", "no-wavefronts", "sample-cores", "sample-launches", "budget"})
    if (has_option(values, option) && !values[option].defaulted())
      throw InputError(fmt::format(
          "--{}: {} is what differs between generations or belongs to one of them, expected no such option "
          "(--generations says which presets)",
          option, kCompareGenerations));
}

std::vector<SimulationRequest> requests_for(const std::vector<std::string>& presets,
                                            const OptionValues& values) {
  const std::vector<PresetChange> changes = preset_changes(values);
  std::vector<SimulationRequest> requests;
  requests.reserve(presets.size());
  for (const std::string& preset : presets)
    requests.push_back(simulation_request(values, load_preset(preset, changes), Purpose::Simulate));
  if (has_option(values, "size-kib"))
    throw InputError(fmt::format("{}: the caches come from the presets, expected only INPUT and options",
                                 kCompareGenerations));
  if (requests.front().input == "-")
    throw InputError(
        fmt::format("{}: reads its input once per generation, expected a file", kCompareGenerations));
  return requests;
}

void check_generations_input(const std::vector<SimulationRequest>& requests, const OptionValues& values,
                             FileKind kind) {
  const std::string& input = requests.front().input;
  if (kind == FileKind::TransactionStream)
    throw InputError(
        input + ": is coalesced for one generation already, expected a capture or a stream of warpsched");
  check_order_options(values, input, kind);
  for (const SimulationRequest& request : requests) check_against_input(request, kind);
}

}  // namespace

int run_compare_command(std::vector<std::string> words) {
  std::erase(words, kCompareGenerations);
  const std::vector<std::string> presets = presets_from(take_option(words, "--generations"));
  const std::optional<std::string> file = take_option(words, "--json");
  const OptionValues values = simulation_values(words, Purpose::Simulate);
  if (asks_about_options(values) || is_on(values, "list-presets") || has_option(values, "show-preset"))
    return run_simulate_command(words);
  refuse_what_does_not_fit(values);
  std::vector<SimulationRequest> requests = requests_for(presets, values);
  const CaptureInput input(requests.front().input, values, "cachesim");
  for (SimulationRequest& request : requests) request.input = input.path();
  const FileKind kind = detect_file_kind(requests.front().input);
  check_generations_input(requests, values, kind);
  std::unique_ptr<OutputFile> output;
  if (file) output = std::make_unique<OutputFile>(*file);
  const nlohmann::ordered_json comparison = compare_generations(requests, kind);
  if (output) {
    output->write(comparison.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    output->commit();
  }
  write_generations_report(comparison, file == "-" ? std::cerr : std::cout);
  int status = comparison.at("refused").empty() ? kExitOk : kExitNotTraceable;
  for (const auto& one : comparison.at("generations"))
    status = std::max(status, report_skipped("cachesim", one.at("skipped"), std::cerr));
  return status;
}

}  // namespace warpscope
