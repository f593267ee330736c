#include "cachesim/result/context_json.h"

#include "scheduler/assignment.h"
#include "scheduler/skipped_launches.h"
#include "traces/program/context.h"

namespace warpscope {
namespace {

using Json = nlohmann::ordered_json;

/// What the schedule says, null where it says nothing.
Json known(const nlohmann::json& schedule, const char* key) {
  if (!schedule.is_object() || !schedule.contains(key)) return nullptr;
  return Json::parse(schedule.at(key).dump());
}

/// Which work-groups were recorded: "all", or what `--work-groups` said; launches of one capture say the
/// same.
std::string sampling(const StreamHeader& header) {
  for (const LaunchInfo& launch : header.launches)
    if (*launch.sampling != "all") return launch.sampling;
  return "all";
}

/// Of the cores of a launch those whose work-groups were recorded; null if all were, or others.
Json sampled_cores(const StreamHeader& header) {
  const auto cores = sampled_cores_of(header.launches);
  if (!cores) return nullptr;
  return {{"every", cores->every}, {"count", cores->count()}, {"of", cores->of}};
}

}  // namespace

Json context_json(const ContextSource& source, const StreamHeader& header) {
  const nlohmann::json& schedule = header.context;
  Json preset = nullptr;
  if (source.preset)
    preset = {{"name", source.preset->name},
              {"description", source.preset->description},
              {"values", Json::parse(source.preset->raw.dump())}};
  const Json capture = known(schedule, "capture"), not_traced = known(schedule, "not_traced");
  Json json = program_json(source.tool);
  json.update({{"input", {{"name", source.input_name}, {"kind", source.input_kind}}},
               {"capture_hash", capture},
               {"coalescing", source.coalescing},
               {"preset", preset},
               {"cores", source.cores},
               {"warp_size", header.warp_size},
               {"seed", source.seed},
               {"partial", source.partial},
               {"sampling", sampling(header)},
               {"sampled_cores", sampled_cores(header)},
               {"device_like", capture.is_null() ? Json(nullptr) : known(schedule, "device_like")},
               {"skipped", Json::parse(skipped_in(schedule).dump())},
               {"not_traced", not_traced.is_null() ? Json::array() : not_traced},
               {"schedule", schedule.is_null() ? Json(nullptr) : Json::parse(schedule.dump())},
               {"layout", layout_json(header.layout)}});
  return json;
}

}  // namespace warpscope
