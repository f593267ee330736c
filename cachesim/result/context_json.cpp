#include "cachesim/result/context_json.h"

#include "scheduler/assignment.h"
#include "scheduler/schedule.h"
#include "scheduler/skipped_launches.h"
#include "traces/program/context.h"

namespace warpscope {
namespace {

using Json = nlohmann::ordered_json;

/// What the schedule says, null where it says nothing.
Json known(const nlohmann::json& schedule, const char* key) {
  if (!schedule.is_object() || !schedule.contains(key)) return nullptr;
  return Json(schedule.at(key));
}

/// Which work-groups were recorded: "all", or what `--work-groups` said; launches of one capture say the
/// same.
std::string sampling(const StreamHeader& header) {
  for (const LaunchInfo& launch : header.launches)
    if (*launch.sampling != "all") return launch.sampling;
  return "all";
}

/// Which cores are in the counts, if not all: those whose work-groups were recorded, or those that were drawn for the
/// simulation; null if all are, or other work-groups are missing.
Json sampled_cores(const StreamHeader& header) {
  const std::vector<std::uint32_t> simulated = drawn_for_stream(header);
  const auto cores = simulated.empty() ? sampled_cores_of(header.launches)
                                       : std::optional(SampledCores{1, header.cores, simulated});
  if (!cores) return nullptr;
  const bool were_drawn = !cores->drawn.empty();
  return {{"every", were_drawn ? Json(nullptr) : Json(cores->every)},
          {"count", cores->count()},
          {"of", cores->of},
          {"drawn", were_drawn ? Json(cores->drawn) : Json(nullptr)},
          {"recorded", simulated.empty()}};
}

}  // namespace

Json context_json(const ContextSource& source, const StreamHeader& header) {
  const nlohmann::json& schedule = header.context;
  Json preset = nullptr;
  if (source.preset)
    preset = {{"name", source.preset->name},
              {"description", source.preset->description},
              {"values", Json(source.preset->raw)}};
  const Json capture = known(schedule, "capture"), not_traced = known(schedule, "not_traced");
  Json json = program_json(source.tool);
  json.update({{"input", {{"name", source.input_name}, {"kind", source.input_kind}}},
               {"capture_hash", capture},
               {"coalescing", source.coalescing},
               {"preset", std::move(preset)},
               {"cores", source.cores},
               {"warp_size", header.warp_size},
               {"seed", source.seed},
               {"partial", source.partial},
               {"sampling", sampling(header)},
               {"sampled_cores", sampled_cores(header)},
               {"device_like", capture.is_null() ? Json(nullptr) : known(schedule, "device_like")},
               {"skipped", Json(skipped_in(schedule))},
               {"not_timed", Json(untimed_in(schedule))},
               {"not_traced", not_traced.is_null() ? Json::array() : not_traced},
               {"schedule", Json(schedule)},
               {"layout", layout_json(header.layout)}});
  return json;
}

}  // namespace warpscope
