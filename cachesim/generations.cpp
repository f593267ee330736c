#include "cachesim/generations.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

#include "cachesim/result/result_json.h"
#include "cachesim/result/text_table.h"
#include "cachesim/simulate/input.h"
#include "cachesim/simulate/options.h"
#include "cachesim/simulate/simulation.h"
#include "scheduler/skipped_launches.h"
#include "traces/base/error.h"
#include "traces/base/printable.h"
#include "traces/base/version.h"
#include "traces/files/output_file.h"

namespace warpscope {
namespace {

using Json = nlohmann::ordered_json;

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

CommandLine parsed_for(const std::string& preset, const std::vector<std::string>& words) {
  std::vector<std::string> all = {"cachesim"};
  all.insert(all.end(), words.begin(), words.end());
  all.insert(all.end(), {"--gpu", preset});
  std::vector<char*> argv;
  argv.reserve(all.size());
  for (std::string& word : all) argv.push_back(word.data());
  return parse_command_line(static_cast<int>(argv.size()), argv.data());
}

/// What would be the same for every generation, or is of one run only.
void refuse_what_does_not_fit(const std::vector<std::string>& words) {
  for (const char* option : {"--gpu", "--preset", "--coalescing", "--set-index", "--sector", "--runs",
                             "--repeat", "--no-wavefronts"})
    for (const std::string& word : words)
      if (word == option || word.starts_with(std::string(option) + "="))
        throw InputError(fmt::format(
            "{}: {} is what differs between generations or belongs to one of them, expected no such option "
            "(--generations says which presets)",
            option, kCompareGenerations));
}

void check_command(const CommandLine& command) {
  if (command.values.count("size-kib") != 0)
    throw InputError(fmt::format("{}: the caches come from the presets, expected only INPUT and options",
                                 kCompareGenerations));
  if (command.input == "-")
    throw InputError(
        fmt::format("{}: reads its input once per generation, expected a file", kCompareGenerations));
}

Json generation_json(const CommandLine& command, FileKind kind) {
  const Simulated simulated = simulate(command, kind);
  ResultContext context;
  context.cache = command.simulation.cache;
  context.coalescing = simulated.header.coalescing;
  context.preset = command.preset;
  context.cores = simulated.header.stream.cores;
  context.classes = command.simulation.classes;
  context.stages = true;
  const Json result = make_result(context, simulated.header.stream, simulated.runs.front(), {}).json;
  const bool has_l1 = command.preset->l1_size_kib != 0;
  const auto l1_kib = has_l1 ? result.at("context").at("l1_kib").at("most").get<std::uint64_t>() : 0;
  Json json = {{"preset", command.preset->name},
               {"description", command.preset->description},
               {"generation", command.preset->generation},
               {"compute_capability", command.preset->compute_capability.value_or("")},
               {"coalescing", context.coalescing},
               {"cores", context.cores},
               {"l1_kib", l1_kib},
               {"partial", simulated.partial},
               {"skipped", result.at("context").at("skipped")},
               {"cache", result.at("context").at("cache")}};
  json.update(result.at("total"));
  return json;
}

std::uint64_t count(const Json& json, const char* key) {
  return json.at(key).get<std::uint64_t>();
}

std::string counted(std::uint64_t value) {
  return value == 0 ? "-" : grouped(value);
}

void write_kind(const Json& generations, const char* kind, std::ostream& out) {
  TextTable table({std::string(kind) + "s", "GPU", "coalescing", "requests", "transactions", "per request",
                   "bytes", "sectors", "tag look-ups", "wavefronts", "L1 KiB", "hit rate"});
  for (const Json& one : generations) {
    const Json& c = one.at(kind);
    if (count(c, "requests") == 0) continue;
    const std::uint64_t looked_up = count(c, "transactions") - count(c, "bypasses");
    table.add({one.at("generation").get<std::string>(), one.at("preset").get<std::string>(),
               one.at("coalescing").get<std::string>(), grouped(count(c, "requests")),
               grouped(count(c, "transactions")), ratio(count(c, "transactions"), count(c, "requests")),
               grouped(count(c, "bytes")), grouped(count(c, "sectors")), counted(count(c, "tag_lookups")),
               counted(count(c, "wavefronts")), counted(count(one, "l1_kib")),
               percent(count(c, "hits") + count(c, "hits_pending"), looked_up)});
  }
  if (table.empty()) return;
  table.write(out);
  out << "\n";
}

void write_banks(const Json& generations, std::ostream& out) {
  TextTable table({"local memory", "GPU", "requests", "wavefronts", "conflicts", "mean degree", "worst"});
  for (const Json& one : generations) {
    const Json& local = one.at("local_memory");
    if (local.is_null()) continue;
    table.add({one.at("generation").get<std::string>(), one.at("preset").get<std::string>(),
               grouped(count(local, "requests")), grouped(count(local, "wavefronts")),
               grouped(count(local, "conflicts")), ratio(count(local, "wavefronts"), count(local, "passes")),
               grouped(count(local, "max_degree"))});
  }
  if (table.empty()) return;
  table.write(out);
  out << "\n";
}

void write_comparison(const Json& comparison, std::ostream& out) {
  const Json& generations = comparison.at("generations");
  out << fmt::format(
      "{} on {} generations{}\n\n", quotable(comparison.at("context").at("input").get<std::string>()),
      generations.size(),
      comparison.at("context").at("partial").get<bool>() ? "; INPUT CUT SHORT, intact part only" : "");
  for (const char* kind : {"load", "store", "atomic"}) write_kind(generations, kind, out);
  write_banks(generations, out);
  for (const Json& one : comparison.at("refused"))
    out << fmt::format("{} cannot run it: {}\n", one.at("preset").get<std::string>(),
                       printable_message(one.at("reason").get<std::string>()));
  out << "transaction: a line, a sector of 32 bytes (Maxwell and later), or a segment of 32 to 128 bytes "
         "(G80, GT200). "
         "wavefronts:\ncycles that the L1 is occupied. -: the generation has none, or lets these accesses "
         "pass by its "
         "L1 (docs/reference/counters.md).\n";
}

}  // namespace

const std::vector<std::string>& generation_presets() {
  static const std::vector<std::string> names = {"8800gtx", "gtx280", "gtx480", "k40",     "gtx980", "p100",
                                                 "v100",    "t4",     "a100",   "rtx4090", "h100"};
  return names;
}

int run_compare_generations(std::vector<std::string> words) {
  std::erase(words, kCompareGenerations);
  const std::vector<std::string> presets = presets_from(take_option(words, "--generations"));
  const std::optional<std::string> file = take_option(words, "--json");
  refuse_what_does_not_fit(words);
  std::vector<CommandLine> commands;
  commands.reserve(presets.size());
  for (const std::string& preset : presets) commands.push_back(parsed_for(preset, words));
  for (const CommandLine& command : commands) check_command(command);
  const FileKind kind = detect_file_kind(commands.front().input);
  if (kind == FileKind::TransactionStream)
    throw InputError(
        commands.front().input +
        ": is coalesced for one generation already, expected a capture or a stream of warpsched");
  for (const CommandLine& command : commands) check_against_input(command, kind);
  std::unique_ptr<OutputFile> output;
  if (file) output = std::make_unique<OutputFile>(*file);
  Json comparison = {{"schema", 1},
                     {"context",
                      {{"tool", "cachesim"},
                       {"version", version()},
                       {"commit", commit()},
                       {"input", std::filesystem::path(commands.front().input).filename().string()},
                       {"kind", input_kind_name(kind)},
                       {"partial", false}}},
                     {"generations", Json::array()},
                     {"refused", Json::array()}};
  std::exception_ptr refused;
  for (const CommandLine& command : commands) {
    try {
      Json one = generation_json(command, kind);
      if (one.at("partial").get<bool>()) comparison["context"]["partial"] = true;
      comparison["generations"].push_back(std::move(one));
    } catch (const InputError& error) {  // a kernel may be too large for some GPUs
      if (!refused) refused = std::current_exception();
      comparison["refused"].push_back({{"preset", command.preset->name}, {"reason", error.what()}});
    }
  }
  if (comparison["generations"].empty()) std::rethrow_exception(refused);
  if (output) {
    output->write(comparison.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    output->commit();
  }
  write_comparison(comparison, file == "-" ? std::cerr : std::cout);
  int status = comparison["refused"].empty() ? kExitOk : kExitNotTraceable;
  for (const Json& one : comparison["generations"])
    status = std::max(status, report_skipped("cachesim", one.at("skipped"), std::cerr));
  return status;
}

}  // namespace warpscope
