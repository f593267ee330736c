#include "cachesim/result/counts_json.h"

#include "cachesim/counters/counters_json.h"
#include "cachesim/result/profiler_counters.h"

namespace warpscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr AccessKind kKinds[] = {AccessKind::Load, AccessKind::Store, AccessKind::Atomic};
constexpr const char* kOutside[] = {"local", "constant", "no_object"};
constexpr std::size_t kNoObject = 2;

Json json_of(const std::array<std::uint64_t, kPreviousAccessors>& by) {
  Json json = Json::object();
  for (std::size_t who = 0; who < kPreviousAccessors; ++who) json[kPreviousAccessorNames[who]] = by[who];
  return json;
}

void add_by_source(Json& json, const SourceCounts& counts) {
  json["reuse_by_whom"] = "has another name: reuse_by_source";  // for one release
  Json& by_source = json["reuse_by_source"] = Json::object();
  for (const AccessKind kind : kKinds)
    by_source["hits"][name_of(kind)] = json_of(counts.hits[static_cast<std::size_t>(kind)]);
  by_source["evictions"] = json_of(counts.evictions);
}

/// What the banks of local memory made of it; null where it was not used.
Json local_memory_json(const Counts& counts) {
  std::uint64_t requests = 0, wavefronts = 0, conflicts = 0;
  for (const OutsideCounts& kind : counts.outside[0]) {
    requests += kind.requests;
    wavefronts += kind.wavefronts;
    conflicts += kind.conflicts;
  }
  if (requests == 0) return nullptr;
  const std::uint64_t passes = wavefronts - conflicts;
  Json degrees = Json::object();
  for (const auto& [degree, count] : counts.degrees) degrees[std::to_string(degree)] = count;
  return {{"requests", requests},
          {"passes", passes},
          {"wavefronts", wavefronts},
          {"conflicts", conflicts},
          {"beta",
           passes == 0 ? Json(nullptr) : Json(static_cast<double>(wavefronts) / static_cast<double>(passes))},
          {"max_degree", counts.degrees.empty() ? 0 : counts.degrees.rbegin()->first},
          {"degrees", degrees}};
}

}  // namespace

nlohmann::ordered_json histogram_json(const ReuseHistogram& histogram) {
  Json bins = Json::array();
  for (const ReuseHistogram::Bin& bin : histogram.bins())
    bins.push_back({{"from", bin.from}, {"to", bin.to}, {"load", bin.loads}, {"store", bin.stores}});
  return {{"unit", "distinct lines"},
          {"capacity_lines", histogram.capacity()},
          {"cold", {{"load", histogram.cold_loads()}, {"store", histogram.cold_stores()}}},
          {"bins", bins}};
}

void add_counts(nlohmann::ordered_json& json, const Counts& counts, const ResultContext& context) {
  for (const AccessKind kind : kKinds) json[name_of(kind)] = counters_json(counts.of(kind), context.stages);
  json["miss_classes"] = context.classes ? counters_json(counts.classes) : Json(nullptr);
  if (context.classes) json["classified"] = counts.classified;
  each_line_counter([&](const char* key, std::uint64_t number) { json[key] = number; }, counts);
  const auto read = l1_to_l2_read_sectors(counts, context.cache, context.stages);
  json["l1_to_l2_read_sectors"] = read ? Json(*read) : Json(nullptr);
  if (context.by_source) add_by_source(json, counts.by_source);
  for (std::size_t place = 0; place < std::size(kOutside); ++place)
    for (const AccessKind kind : kKinds)
      json["outside_l1"][kOutside[place]][name_of(kind)] = counters_json(
          counts.outside[place][static_cast<std::size_t>(kind)], context.stages && place != kNoObject);
  if (context.stages) json["local_memory"] = local_memory_json(counts);
}

}  // namespace warpscope
