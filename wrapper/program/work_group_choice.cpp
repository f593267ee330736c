#include "wrapper/program/work_group_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpus/occupancy.h"
#include "gpus/registers.h"
#include "traces/base/error.h"
#include "traces/base/parse_number.h"
#include "traces/program/core_sample.h"
#include "traces/program/group_selection.h"

namespace warpscope {
namespace {

/// Work-groups of the launch that all cores hold at once.
std::uint64_t wave_of(const LaunchInfo& launch, const GpuPreset& gpu, const std::string& which) {
  WorkGroupNeeds needs{launch.local.count(), launch.kernel->static_local_bytes + launch.dynamic_local_bytes,
                       0};
  if (const Occupancy without_registers = occupancy(gpu, needs);
      without_registers.binding && without_registers.work_groups() == 0)
    throw InputError(fmt::format("--work-groups {}: a work-group takes {} {}, {} allows {}", which,
                                 without_registers.binding->per_group, without_registers.binding->what,
                                 gpu.name, without_registers.binding->per_core));
  needs.registers_per_work_item = std::min(registers_of(*launch.kernel, gpu),
                                           gpu.max_registers_per_work_item.value_or(~std::uint32_t{0}));
  const Occupancy found = occupancy(gpu, needs);
  if (!found.binding)
    throw InputError(
        fmt::format("--work-groups {}: {} names no limit of resident work-groups, expected waves:3/864",
                    which, gpu.name));
  return gpu.cores * std::max<std::uint64_t>(1, found.work_groups());  // an estimate forbids nothing
}

constexpr std::string_view kRandomCores = "random-cores:";
constexpr std::uint64_t kMostCores = 1u << 20;

}  // namespace

bool WorkGroupChoice::names_gpu(const std::string& which) {
  return (which.starts_with("every-core:") || which.starts_with("waves:") ||
          which.starts_with(kRandomCores)) &&
         which.find('/') == std::string::npos;
}

WorkGroupChoice::WorkGroupChoice(const std::string& which) : text_(which) {
  GroupSelection::parse(which);
}

WorkGroupChoice::WorkGroupChoice(const std::string& which, const GpuPreset& gpu) : text_(which) {
  if (which.starts_with("every-core:")) {
    text_ += fmt::format("/{}", gpu.cores);
    GroupSelection::parse(text_);
  } else if (which.starts_with(kRandomCores)) {
    draw_ = draw_from(which, std::string_view(which).substr(kRandomCores.size()), gpu);
    // Of a program, whose launches differ: no core is told apart.
    text_ = draw_->text({{Dim3{gpu.cores, 1, 1}, 1}});
  } else {
    GroupSelection::parse(which + "/1");
    waves_on_ = gpu;
  }
}

WorkGroupChoice::Draw WorkGroupChoice::draw_from(const std::string& which, std::string_view numbers,
                                                 const GpuPreset& gpu) {
  const std::size_t colon = std::min(numbers.find(':'), numbers.size());
  const auto count = parse_number(numbers.substr(0, colon), kLeastSampledCores, kMostCores);
  const auto seed = colon == numbers.size() ? std::optional<std::uint64_t>(1)
                                            : parse_number(numbers.substr(colon + 1), 0, ~std::uint64_t{0});
  if (!count || !seed)
    throw InputError(
        fmt::format("--work-groups {}: expected random-cores:K or random-cores:K:SEED, with K from {} to {}",
                    which, kLeastSampledCores, kMostCores));
  return {static_cast<std::uint32_t>(*count), gpu.cores, *seed};
}

std::string WorkGroupChoice::Draw::text(const LaunchShapes& launches) const {
  std::string list;
  for (const std::uint32_t core : draw_cores(core_strata(launches, of), count, seed))
    list.append(list.empty() ? "" : ",").append(std::to_string(core));
  return fmt::format("drawn-cores:{}/{}", list, of);
}

const std::string& WorkGroupChoice::of_any() const {
  if (waves_on_)
    throw InputError(fmt::format(
        "--work-groups {}: the launches of a program differ, expected {}/GROUPS with the work-groups "
        "that are resident at once",
        text_, text_));
  return text_;
}

std::string WorkGroupChoice::of(const LaunchInfo& launch) const {
  if (draw_) return draw_->text({{launch.groups(), 1}});
  if (!waves_on_) return text_;
  const std::string text = fmt::format("{}/{}", text_, wave_of(launch, *waves_on_, text_));
  const std::uint64_t groups = launch.groups().count();
  return GroupSelection::parse(text).count(launch.id, groups) == groups ? "all" : text;
}

}  // namespace warpscope
