#include "cachesim/sweep/sweep_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "cachesim/counters/counters_json.h"
#include "cachesim/result/context_json.h"

namespace warpscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSweepSchema = 1;
constexpr double kBetter = 0.99;  // of the misses of smaller caches
constexpr AccessKind kSweepKinds[] = {AccessKind::Load, AccessKind::Store, AccessKind::Atomic};

Json sweep_context(const SweepResult& result) {
  Json launches = Json::array();
  for (const LaunchInfo& launch : result.header.launches)
    launches.push_back({{"launch", launch.id.value()},
                        {"kernel", launch.kernel->name},
                        {"global", {launch.global.x, launch.global.y, launch.global.z}},
                        {"local", {launch.local.x, launch.local.y, launch.local.z}}});
  Json json = context_json({"cachesim sweep", result.input_name, result.input_kind, result.coalescing,
                            result.preset, result.header.cores, result.seed, result.partial},
                           result.header);
  json["keep_l1"] = result.keep_l1;
  json["launches"] = std::move(launches);
  return json;
}

Json json_of(const SweepResult::Traffic& traffic) {
  Json json = {{"transaction_bytes", traffic.transaction_bytes}};
  for (const AccessKind kind : kSweepKinds) json[name_of(kind)] = traffic_json(traffic.counts.of(kind));
  return json;
}

Json cell_json(const SweepCell& cell, bool classes) {
  constexpr std::size_t kMostKeys = 15;
  const CacheConfig& config = cell.config;
  Json json = {{"size_kib", config.size_kib},
               {"line_bytes", config.line_bytes},
               {"sector_bytes", config.transaction_bytes()},
               {"ways", config.ways},
               {"sets", config.sets()},
               {"set_index", config.set_index},
               {"replacement", config.replacement},
               {"write_policy", config.write_policy}};
  json.get_ref<Json::object_t&>().reserve(kMostKeys);  // growing copies the keys
  for (const AccessKind kind : kSweepKinds) json[name_of(kind)] = outcome_json(cell.counts.of(kind));
  json["evictions"] = cell.counts.evictions;
  json["write_backs"] = cell.counts.write_backs;
  if (classes) json["miss_classes"] = counters_json(cell.counts.classes);
  const auto rate = load_miss_rate(cell);
  json["load_miss_rate_percent"] = rate ? Json(*rate) : Json(nullptr);
  return json;
}

/// Columns of the table, each with a comma before it.
std::string outcome_names(const char* kind) {
  std::string names;
#define OUTCOME_COUNTER(name, ...) names += fmt::format(",{}_" #name, kind);
#include "cachesim/access/counters.def"
  return names;
}
std::string outcomes(const KindCounts& counts) {
  std::string numbers;
#define OUTCOME_COUNTER(name, ...) numbers += fmt::format(",{}", counts.name);
#include "cachesim/access/counters.def"
  return numbers;
}

/// All but the ways.
auto curve_key(const CacheConfig& config) {
  return std::tuple(config.line_bytes, config.transaction_bytes(), config.set_index, config.replacement,
                    config.write_policy, config.sets());
}

/// A point of no curve.
bool has_several_sizes(const SweepResult& result, std::size_t cell) {
  return result.preset_cell == cell && !result.preset_kib.empty();
}

void derive_best(SweepResult& result) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < result.cells.size(); ++i)
    if (load_miss_rate(result.cells[i]) && !has_several_sizes(result, i)) order.push_back(i);
  const auto rank = [&](std::size_t i) {
    const SweepCell& cell = result.cells[i];
    return std::tuple(cell.config.size_kib, *load_miss_rate(cell), cell.config.ways, i);
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  for (const std::size_t i : order)
    if (result.best.empty() ||
        *load_miss_rate(result.cells[i]) < kBetter * *load_miss_rate(result.cells[result.best.back()]))
      result.best.push_back(i);
}

void derive_curves(SweepResult& result) {
  std::map<decltype(curve_key(CacheConfig{})), std::size_t>
      known;  // to the curve's number, in order of cells
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    if (!load_miss_rate(result.cells[i]) || has_several_sizes(result, i)) continue;
    const auto [place, added] = known.emplace(curve_key(result.cells[i].config), result.curves.size());
    if (added) result.curves.emplace_back();
    result.curves[place->second].cells.push_back(i);
  }
  std::erase_if(result.curves, [](const SweepCurve& curve) { return curve.cells.size() < 3; });
  for (SweepCurve& curve : result.curves) {
    const auto size = [&](std::size_t cell) { return result.cells[cell].config.size_kib; };
    std::sort(curve.cells.begin(), curve.cells.end(),
              [&](std::size_t a, std::size_t b) { return size(a) < size(b); });
    std::vector<CurvePoint> points;
    points.reserve(curve.cells.size());
    for (const std::size_t cell : curve.cells)
      points.push_back({static_cast<double>(size(cell)), *load_miss_rate(result.cells[cell])});
    for (const std::size_t place : knees(points)) curve.knees.push_back(curve.cells[place]);
  }
}

}  // namespace

std::optional<double> load_miss_rate(const SweepCell& cell) {
  const KindCounts& loads = cell.counts.of(AccessKind::Load);
  const std::uint64_t missed = loads.misses + loads.sector_misses, all = loads.hits + missed;
  if (all == 0) return std::nullopt;
  return 100.0 * static_cast<double>(missed) / static_cast<double>(all);
}

void derive(SweepResult& result) {
  derive_best(result);
  derive_curves(result);
}

nlohmann::ordered_json sweep_json(const SweepResult& result) {
  Json json = {{"schema", kSweepSchema}, {"kind", "sweep"}, {"context", sweep_context(result)}};
  json["method"] = {{"one_pass_lists", result.stacks}, {"simulated_one_by_one", result.single}};
  json["combinations_without_cache"] = result.refused;
  json["traffic"] = Json::array();
  for (const auto& traffic : result.traffic) json["traffic"].push_back(json_of(traffic));
  json["cells"] = Json::array();
  for (const SweepCell& cell : result.cells) json["cells"].push_back(cell_json(cell, result.classes));
  json["preset_cell"] = result.preset_cell ? Json(*result.preset_cell) : Json(nullptr);
  json["preset_l1_kib"] = result.preset_kib.empty() ? Json(nullptr) : Json(result.preset_kib);
  json["best"] = result.best;
  json["curves"] = Json::array();
  for (const SweepCurve& curve : result.curves)
    json["curves"].push_back({{"cells", curve.cells}, {"knees", curve.knees}});
  return json;
}

std::string sweep_csv(const SweepResult& result) {
  std::string text = fmt::format(
      "size_kib,line_bytes,sector_bytes,ways,sets,set_index,replacement,write_policy{},load_miss_rate_"
      "percent{}"
      ",evictions,write_backs,preset",
      outcome_names("load"), outcome_names("store"));
  const auto add_name = [&](const char* name, std::uint64_t) { text += fmt::format(",{}", name); };
  const auto add_number = [&](const char*, std::uint64_t number) { text += fmt::format(",{}", number); };
  if (result.classes) each_class_counter(add_name, MissClasses{});
  text += '\n';
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const SweepCell& cell = result.cells[i];
    const CacheConfig& config = cell.config;
    const auto rate = load_miss_rate(cell);
    text += fmt::format("{},{},{},{},{},{},{},{}{},{}{},{},{},{}", config.size_kib, config.line_bytes,
                        config.transaction_bytes(), config.ways, config.sets(), config.set_index,
                        config.replacement, config.write_policy, outcomes(cell.counts.of(AccessKind::Load)),
                        rate ? fmt::format("{:.6f}", *rate) : "", outcomes(cell.counts.of(AccessKind::Store)),
                        cell.counts.evictions, cell.counts.write_backs, result.preset_cell == i ? 1 : 0);
    if (result.classes) each_class_counter(add_number, cell.counts.classes);
    text += '\n';
  }
  return text;
}

}  // namespace warpscope
