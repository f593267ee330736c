// Races in words and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "traces/races/races.h"

namespace warpscope {
namespace {

using nlohmann::json;

std::string race_place(const RaceAccess& access) {
  if (access.at.line == 0) return "an unknown line";
  return fmt::format("{}:{}:{}", access.at.file, access.at.line, access.at.column);
}

std::string access_text(const RaceAccess& access) {
  return fmt::format("{} at {}", name_of(access.kind), race_place(access));
}

std::string triple_text(Dim3 place) {
  return fmt::format("[{},{},{}]", place.x, place.y, place.z);
}

json access_json(const RaceAccess& access, Dim3 item) {
  return {{"kind", name_of(access.kind)}, {"file", access.at.file},      {"line", access.at.line},
          {"column", access.at.column},   {"function", access.function}, {"work_item", triple_json(item)}};
}

json race_json(const Race& race) {
  return {{"kernel", race.kernel},
          {"scope", name_of(race.scope)},
          {"accesses", json::array({access_json(race.first, race.first_item),
                                    access_json(race.second, race.second_item)})},
          {"object", race.object},
          {"offset", race.offset},
          {"launch", race.launch.value()},
          {"work_group", triple_json(race.group)},
          {"work_groups", race.groups},
          {"cuda", race.is_cuda},
          {"remedy", race_remedy(race)}};
}

json race_json(const RaceReport::NotChecked& kernel) {
  return {{"kernel", kernel.kernel}, {"why", kernel.why}};
}

template <class T>
json race_list(const std::vector<T>& values) {
  json result = json::array();
  for (const T& value : values) result.push_back(race_json(value));
  return result;
}

}  // namespace

nlohmann::json triple_json(Dim3 place) {
  return json::array({place.x, place.y, place.z});
}

std::string race_remedy(const Race& race) {
  if (!race.is_cuda) return "barrier(CLK_LOCAL_MEM_FENCE)";
  return race.scope == RaceScope::WorkGroup ? "__syncthreads()" : "__syncwarp()";
}

std::string race_text(const Race& race) {
  static constexpr const char* kScopes[] = {
      " of different warps", " of one warp (lockstep may forgive it on a GPU, not here)",
      " of one warp, in step through volatile stores (before Volta, and here)"};
  return fmt::format("kernel {}: {} and {}, {}, by {}{}: put {} between them", race.kernel,
                     access_text(race.first), access_text(race.second), race.object,
                     race.is_cuda ? "threads" : "work-items", kScopes[static_cast<std::size_t>(race.scope)],
                     race_remedy(race));
}

std::string race_example(const Race& race) {
  const char* group = race.is_cuda ? "block" : "work-group";
  return fmt::format("launch {}, {} {}, {} {} and {}, byte {} of {}; seen in {} {}{}", race.launch.value(),
                     group, triple_text(race.group), race.is_cuda ? "threads" : "work-items",
                     triple_text(race.first_item), triple_text(race.second_item), race.offset, race.object,
                     race.groups, group, race.groups == 1 ? "" : "s");
}

nlohmann::json to_json(const RaceReport& report) {
  json result{{"races", race_list(report.races)},
              {"common_stores", race_list(report.common_stores)},
              {"not_checked", race_list(report.not_checked)},
              {"checked", {{"launches", report.launches}, {"work_groups", report.groups}}},
              {"launches", report.all_launches},
              {"in_part", report.in_part},
              {"count", report.count()}};
  return result;
}

}  // namespace warpscope
