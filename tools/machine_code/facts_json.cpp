#include "tools/machine_code/facts_json.h"

#include "traces/base/printable.h"

namespace warpscope::machine {
namespace {

using Json = nlohmann::ordered_json;

void add_tally(Json& json, const Tally& tally) {
  json["instructions"] = tally.instructions;
  Json& classes = json["classes"] = Json::object();
  for (std::size_t pipe = 0; pipe < Tally::kPipes; ++pipe)
    if (tally.by_pipe[pipe] != 0) classes[name_of(static_cast<Pipe>(pipe))] = tally.by_pipe[pipe];
  if (tally.unknown != 0) classes["unknown"] = tally.unknown;
  Json& accesses = json["accesses"] = Json::array();
  for (const auto& [access, count] : tally.accesses) {
    accesses.push_back(json_of(access));
    accesses.back()["instructions"] = count;
  }
  json["spills"] = {{"stores", tally.spills.stores},
                    {"store_bytes", tally.spills.store_bytes},
                    {"loads", tally.spills.loads},
                    {"load_bytes", tally.spills.load_bytes}};
}

}  // namespace

Json json_of(const AccessClass& access) {
  return {{"memory", name_of(access.space)}, {"kind", name_of(access.kind)}, {"bytes", access.bytes}};
}

Json counts_json(const Cubin& cubin, const Function& function) {
  if (!Decoder::supports(cubin.architecture())) return nullptr;
  const FunctionCounts counts = count(cubin, function);
  Json json;
  add_tally(json, counts.total);
  Json& lines = json["lines"] = Json::array();
  for (const LineTally& line : counts.lines) {
    Json row = {{"file", printable(line.file)}, {"line", line.line}};
    add_tally(row, line.tally);
    lines.push_back(std::move(row));
  }
  return json;
}

}  // namespace warpscope::machine
