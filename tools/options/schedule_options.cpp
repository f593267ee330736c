#include "tools/options/schedule_options.h"

#include <fmt/format.h>

#include "scheduler/policies/registry.h"
#include "scheduler/replay/control_flow.h"
#include "tools/options/capture_input.h"
#include "traces/base/error.h"
#include "traces/base/parse_number.h"

namespace warpscope {
namespace {

namespace po = boost::program_options;

/// An option's value as a number, decimal or 0x…; the option is present.
std::uint64_t schedule_number(const OptionValues& values, const char* name, std::uint64_t least,
                              std::uint64_t most) {
  const std::string& text = values[name].as<std::string>();
  if (const auto value = parse_number(text, least, most, Notation::DecimalOrHex)) return *value;
  throw InputError(fmt::format("--{} {}: expected a number from {} to {}", name, text, least, most));
}

std::uint32_t schedule_number32(const OptionValues& values, const char* name, std::uint64_t least,
                                std::uint64_t most = 0xFFFFFFFFu) {
  return static_cast<std::uint32_t>(schedule_number(values, name, least, most));
}

void apply_policy(const OptionValues& values, ScheduleOptions& options) {
  if (has_option(values, "policy")) options.policy = values["policy"].as<std::string>();
  if (scheduler_named(options.policy).order != VisitOrder::WorkItems) return;
  options.warp_size = 1;
  options.cores = 1;
  options.max_work_groups = 0;
  options.limits.reset();
}

void apply_machine(const OptionValues& values, ScheduleOptions& options) {
  if (has_option(values, "warp-size")) {
    options.warp_size = schedule_number32(values, "warp-size", 1, kMaxWarpSize);
    if (options.warp_size != 1 && scheduler_named(options.policy).order == VisitOrder::WorkItems) {
      throw InputError(
          fmt::format("--warp-size {}: policy {} schedules single work-items, expected 1 or nothing",
                      options.warp_size, options.policy));
    }
  }
  if (has_option(values, "cores")) options.cores = schedule_number32(values, "cores", 1, kMostScheduledCores);
  if (has_option(values, "core") && values["core"].as<std::string>() != "all") {
    options.only_core = CoreId(schedule_number32(values, "core", 0, options.cores - 1));
  }
  if (has_option(values, "max-workgroups")) {
    options.max_work_groups = schedule_number32(values, "max-workgroups", 0);
    options.limits.reset();
  }
  if (!has_option(values, "registers")) return;
  options.registers = schedule_number32(values, "registers", 0);
  if (!options.limits)
    throw InputError(
        "--registers: limits how many work-groups a core of --gpu holds, expected --gpu, "
        "without --max-workgroups");
}

void apply_layout(const OptionValues& values, LayoutOptions& layout) {
  if (has_option(values, "buffer-base"))
    layout.base = schedule_number(values, "buffer-base", 0, BufferAddr::kOffsetMask);
  if (has_option(values, "buffer-align")) {
    layout.granule = schedule_number(values, "buffer-align", 1, 1u << 30);
    if ((layout.granule & (layout.granule - 1)) != 0) {
      throw InputError(fmt::format("--buffer-align {}: expected a power of two", layout.granule));
    }
  }
  if (has_option(values, "layout-seed"))
    layout.seed = schedule_number(values, "layout-seed", 0, ~std::uint64_t{0});
}

std::string policy_help() {
  std::string text = "order of accesses (default warp):";
  for (const SchedulerInfo& info : schedulers()) text += fmt::format("\n{}: {}", info.name, info.help);
  return text;
}

}  // namespace

void add_launch_options(po::options_description& description) {
  description.add_options()("launch", po::value<std::string>()->value_name("LIST"),
                            "only these launches, counted from 0: 0,3-7 (default all)")(
      "kernel", po::value<std::string>()->value_name("NAME[,NAME]"),
      "only launches of these kernels: whole names, or regular expressions found in a name (default all)");
}

LaunchSelection launches_from(const OptionValues& values) {
  return {text_of(values, "launch"), text_of(values, "kernel")};
}

OptionGroup schedule_options(std::string title) {
  OptionGroup group{std::move(title),
                    {},
                    {"preset", "carveout", "list-presets", "show-preset", "warp-size", "cores", "core",
                     "max-workgroups", "registers", "seed", "reconvergence", "self-check", "buffer-base",
                     "buffer-align", "layout-seed", "element-bytes"}};
  po::options_description& description = group.options;
  const auto text = [] { return po::value<std::string>(); };
  const std::string policies = policy_help();
  add_preset_options(description);
  add_launch_options(description);
  description.add_options()("policy", text()->value_name("P"), policies.c_str())(
      "warp-size", text()->value_name("N"), "work-items per warp, 1 to 64 (default 32, or the preset's)")(
      "cores", text()->value_name("N"), "cores that share the work-groups (default 1, or the preset's)")(
      "core", text()->value_name("all|N"), "only this core's accesses (default all)")(
      "assign", text()->value_name("A"),
      "how work-groups are assigned to cores: round-robin (default: group i to core i mod cores), random "
      "(equal shares), or a file with one core per line and work-group")(
      "max-workgroups", text()->value_name("N"),
      "work-groups resident per core, 0 = all (default: the "
      "preset's limits, else 8; all for policies over single "
      "work-items)")(
      "registers", text()->value_name("N"),
      "32-bit registers per work-item, for the limits of --gpu (default: the capture's estimate; 0 = do "
      "not "
      "count them)")("seed", text()->value_name("S"),
                     "seed of random assignment and random order (default 1)")(
      "reconvergence", text()->value_name("R"),
      "where diverged lanes reconverge: ipdom (default, immediate post-dominator) or loops (loop snapshots)")(
      "self-check", po::bool_switch(), "check that the replay uses exactly what was recorded")(
      "buffer-base", text()->value_name("ADDR"),
      "simulated address of the first buffer (default 0x10000000)")(
      "buffer-align", text()->value_name("BYTES"), "alignment of buffers below 1 MiB (default 512)")(
      "layout-seed", text()->value_name("S"),
      "seed of another buffer placement (default 0: in order of allocation)");
  add_element_bytes(description);
  return group;
}

ScheduleOptions schedule_options_from(const OptionValues& values, const std::optional<GpuPreset>& gpu) {
  ScheduleOptions options;
  if (gpu) use_gpu(options, *gpu);
  apply_policy(values, options);
  apply_machine(values, options);
  if (has_option(values, "assign")) options.assignment = values["assign"].as<std::string>();
  options.launches = launches_from(values);
  if (has_option(values, "seed")) options.seed = schedule_number(values, "seed", 0, ~std::uint64_t{0});
  if (has_option(values, "reconvergence")) options.reconvergence = values["reconvergence"].as<std::string>();
  reconvergence_named(options.reconvergence);
  options.self_check = is_on(values, "self-check");
  apply_layout(values, options.layout);
  return options;
}

ScheduleOptions schedule_options_from(const OptionValues& values) {
  return schedule_options_from(values, preset_from(values));
}

}  // namespace warpscope
