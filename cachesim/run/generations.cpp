#include "cachesim/run/generations.h"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <ostream>

#include "cachesim/result/result_json.h"
#include "cachesim/result/text_table.h"
#include "cachesim/result/total_tables.h"
#include "cachesim/simulate/input.h"
#include "cachesim/simulate/simulation.h"
#include "traces/base/error.h"
#include "traces/base/printable.h"
#include "traces/program/context.h"

namespace warpscope {
namespace {

using Json = nlohmann::ordered_json;

Json generation_json(const SimulationRequest& request, FileKind kind) {
  const Simulated simulated = simulate(request, kind);
  ResultContext context;
  context.cache = request.simulation.cache;
  context.coalescing = simulated.header.coalescing;
  context.preset = request.preset;
  context.l1_of_preset = true;
  context.cores = simulated.header.stream.cores;
  context.classes = request.simulation.classes;
  context.stages = true;
  const Json result = make_result(context, simulated.header.stream, simulated.runs.front(), {}).json;
  const bool has_l1 = request.preset->l1_size_kib != 0;
  const auto l1_kib = has_l1 ? result.at("context").at("l1_kib").at("most").get<std::uint64_t>() : 0;
  Json json = {{"preset", request.preset->name},
               {"description", request.preset->description},
               {"generation", request.preset->generation},
               {"compute_capability", request.preset->compute_capability.value_or("")},
               {"coalescing", context.coalescing},
               {"cores", context.cores},
               {"l1_kib", l1_kib},
               {"partial", simulated.partial},
               {"skipped", result.at("context").at("skipped")},
               {"cache", result.at("context").at("cache")}};
  if (!request.preset->not_validated.empty()) json["not_validated"] = request.preset->not_validated;
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
  TextTable table({std::string(kind) + "s", "GPU", "coalescing", heading_of("requests"),
                   heading_of("transactions"), kPerAccess, "bytes", "sectors", heading_of("tag_lookups"),
                   heading_of("wavefronts"), "L1 KiB", "hit rate"});
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

}  // namespace

void write_generations_report(const Json& comparison, std::ostream& out) {
  const Json& generations = comparison.at("generations");
  out << fmt::format(
      "{} on {} generations{}\n\n", quotable(comparison.at("context").at("input").get<std::string>()),
      generations.size(),
      comparison.at("context").at("partial").get<bool>() ? "; INPUT CUT SHORT, intact part only" : "");
  for (const char* kind : {"load", "store", "atomic"}) write_kind(generations, kind, out);
  write_banks(generations, out);
  for (const Json& one : generations)
    if (one.contains("not_validated"))
      out << fmt::format("not validated: {} ({})\n", printable(one.at("not_validated").get<std::string>()),
                         one.at("preset").get<std::string>());
  for (const Json& one : comparison.at("refused"))
    out << fmt::format("{} cannot run it: {}\n", one.at("preset").get<std::string>(),
                       printable_message(one.at("reason").get<std::string>()));
  out << "transaction: a line, a sector of 32 bytes (Maxwell and later), or a segment of 32 to 128 bytes "
         "(G80, GT200). "
         "wavefronts:\ncycles that the L1 is occupied. -: the generation has none, or lets these accesses "
         "bypass its "
         "L1 (docs/reference/counters.md).\n";
}

const std::vector<std::string>& generation_presets() {
  static const std::vector<std::string> names = {"8800gtx", "gtx280",  "gtx480", "k40",
                                                 "gtx980",  "p100",    "v100",   "t4",
                                                 "a100",    "rtx4090", "h100",   "rtx5090"};
  return names;
}

nlohmann::ordered_json compare_generations(const std::vector<SimulationRequest>& requests, FileKind kind) {
  Json comparison = {{"schema", 1},
                     {"context", program_json("cachesim")},
                     {"generations", Json::array()},
                     {"refused", Json::array()}};
  comparison["context"].update({{"input", std::filesystem::path(requests.front().input).filename().string()},
                                {"kind", input_kind_name(kind)},
                                {"partial", false}});
  std::exception_ptr refused;
  for (const SimulationRequest& request : requests) {
    try {
      Json one = generation_json(request, kind);
      if (one.at("partial").get<bool>()) comparison["context"]["partial"] = true;
      comparison["generations"].push_back(std::move(one));
    } catch (const InputError& error) {  // a kernel may be too large for some GPUs
      if (!refused) refused = std::current_exception();
      comparison["refused"].push_back({{"preset", request.preset->name}, {"reason", error.what()}});
    }
  }
  if (comparison["generations"].empty()) std::rethrow_exception(refused);
  return comparison;
}

}  // namespace warpscope
