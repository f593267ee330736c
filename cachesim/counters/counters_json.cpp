#include "cachesim/counters/counters_json.h"

namespace warpscope {

using Json = nlohmann::ordered_json;

namespace {

/// With what is derived from them.
struct Stages : StageCounts {
  void put(Json& json) const {
#define STAGE_COUNTER(name, ...) json[#name] = name;
#define STAGE_DERIVED(name, expression, ...) json[#name] = expression;
#include "cachesim/access/counters.def"
  }
};

}  // namespace

Json counters_json(const KindCounts& counts, bool stages) {
  Json json = Json::object();
#define KIND_COUNTER(name, ...) json[#name] = counts.name;
#include "cachesim/access/counters.def"
  if (stages) Stages{counts.stages}.put(json);
  return json;
}

Json counters_json(const MissClasses& classes) {
  Json json = Json::object();
#define CLASS_COUNTER(name, ...) json[#name] = classes.name;
#include "cachesim/access/counters.def"
  return json;
}

Json counters_json(const OutsideCounts& counts, bool banks) {
  Json json = Json::object();
#define OUTSIDE_COUNTER(name) json[#name] = counts.name;
#define OUTSIDE_BANK_COUNTER(name) \
  if (banks) json[#name] = counts.name;
#include "cachesim/access/counters.def"
  return json;
}

Json traffic_json(const KindCounts& counts) {
  Json json = Json::object();
#define TRAFFIC_COUNTER(name, ...) json[#name] = counts.name;
#define ACCESS_COUNTER TRAFFIC_COUNTER
#include "cachesim/access/counters.def"
  return json;
}

Json outcome_json(const KindCounts& counts) {
  constexpr std::size_t kCounters = 0
#define OUTCOME_COUNTER(name, ...) +1
#include "cachesim/access/counters.def"
      ;
  Json json = Json::object();
  json.get_ref<Json::object_t&>().reserve(kCounters);  // growing copies the keys
#define OUTCOME_COUNTER(name, ...) json[#name] = counts.name;
#include "cachesim/access/counters.def"
  return json;
}

}  // namespace warpscope
