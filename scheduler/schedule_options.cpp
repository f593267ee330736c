#include <fmt/format.h>

#include <cstdlib>
#include <ostream>

#include "scheduler/policies/registry.h"
#include "scheduler/replay/control_flow.h"
#include "scheduler/schedule.h"
#include "traces/base/error.h"
#include "traces/base/parse_number.h"

namespace warpscope {
namespace {

namespace po = boost::program_options;

/// An option's value as a number, decimal or 0x…; the option is present.
std::uint64_t number(const po::variables_map& values, const std::string& name, std::uint64_t least,
                     std::uint64_t most) {
  const std::string& text = values[name].as<std::string>();
  if (const auto value = parse_number(text, least, most, Notation::DecimalOrHex)) return *value;
  throw InputError(fmt::format("--{} {}: expected a number from {} to {}", name, text, least, most));
}

std::uint32_t number32(const po::variables_map& values, const std::string& name, std::uint64_t least,
                       std::uint64_t most = 0xFFFFFFFFu) {
  return static_cast<std::uint32_t>(number(values, name, least, most));
}

void apply_preset(const po::variables_map& values, ScheduleOptions& options) {
  const std::optional<GpuPreset> preset = preset_from(values);
  if (!preset) return;
  options.cores = preset->cores;
  options.warp_size = preset->warp_size;
  options.limits = preset;
  options.preset_context = preset->raw;
  options.preset_context["name"] = preset->name;
}

void apply_policy(const po::variables_map& values, ScheduleOptions& options) {
  if (values.count("policy") != 0) options.policy = values["policy"].as<std::string>();
  if (scheduler_named(options.policy).order != VisitOrder::WorkItems) return;
  options.warp_size = 1;
  options.cores = 1;
  options.max_work_groups = 0;
  options.limits.reset();
}

void apply_machine(const po::variables_map& values, ScheduleOptions& options) {
  if (values.count("warp-size") != 0) {
    options.warp_size = number32(values, "warp-size", 1, kMaxWarpSize);
    if (options.warp_size != 1 && scheduler_named(options.policy).order == VisitOrder::WorkItems) {
      throw InputError(
          fmt::format("--warp-size {}: policy {} schedules single work-items, expected 1 or nothing",
                      options.warp_size, options.policy));
    }
  }
  if (values.count("cores") != 0) options.cores = number32(values, "cores", 1, 1u << 20);
  if (values.count("core") != 0 && values["core"].as<std::string>() != "all") {
    options.only_core = CoreId(number32(values, "core", 0, options.cores - 1));
  }
  if (values.count("max-workgroups") != 0) {
    options.max_work_groups = number32(values, "max-workgroups", 0);
    options.limits.reset();
  }
  if (values.count("registers") == 0) return;
  options.registers = number32(values, "registers", 0);
  if (!options.limits)
    throw InputError(
        "--registers: limits how many work-groups a core of --gpu holds, expected --gpu, "
        "without --max-workgroups");
}

void apply_layout(const po::variables_map& values, LayoutOptions& layout) {
  if (values.count("buffer-base") != 0)
    layout.base = number(values, "buffer-base", 0, BufferAddr::kOffsetMask);
  if (values.count("buffer-align") != 0) {
    layout.granule = number(values, "buffer-align", 1, 1u << 30);
    if ((layout.granule & (layout.granule - 1)) != 0) {
      throw InputError(fmt::format("--buffer-align {}: expected a power of two", layout.granule));
    }
  }
  if (values.count("layout-seed") != 0) layout.seed = number(values, "layout-seed", 0, ~std::uint64_t{0});
}

std::string policy_help() {
  std::string text = "order of accesses (default warp):";
  for (const SchedulerInfo& info : schedulers()) text += fmt::format("\n{}: {}", info.name, info.help);
  return text;
}

std::vector<PresetChange> changes_from(const po::variables_map& values) {
  std::vector<PresetChange> changes;
  if (values.count("set") != 0)
    for (const std::string& text : values["set"].as<std::vector<std::string>>())
      changes.push_back(preset_change(text));
  return changes;
}

}  // namespace

void add_preset_options(po::options_description& description) {
  description.add_options()("gpu", po::value<std::string>()->value_name("GPU"),
                            "cores, warp size, residency limits and L1 of this GPU: a name, or a .json file "
                            "(default: $WARPSCOPE_GPU)")(
      "preset", po::value<std::string>()->value_name("GPU"), "the same as --gpu")(
      "set", po::value<std::vector<std::string>>()->composing()->value_name("KEY=VALUE"),
      "another value for a key of the GPU; may be repeated; --show-preset lists the keys")(
      "list-presets", po::bool_switch(), "the GPUs that --gpu knows")(
      "show-preset", po::value<std::string>()->value_name("GPU"),
      "every key of a GPU with value and source (after --set)");
}

std::optional<GpuChoice> gpu_choice(const po::variables_map& values) {
  const bool has_gpu = values.count("gpu") != 0, has_preset = values.count("preset") != 0;
  if (has_gpu || has_preset) {
    const GpuChoice choice{values[has_gpu ? "gpu" : "preset"].as<std::string>(),
                           has_gpu ? "--gpu" : "--preset"};
    if (has_gpu && has_preset)
      throw InputError(fmt::format("--gpu {} and --preset {}: two names of one option, expected one of them",
                                   choice.name, values["preset"].as<std::string>()));
    return choice;
  }
  // A cache in five words says all that there is to say; what it means must not depend on the environment.
  if (values.count("size-kib") != 0) return std::nullopt;
  const char* const variable = std::getenv("WARPSCOPE_GPU");
  if (variable == nullptr || *variable == '\0') return std::nullopt;
  return GpuChoice{variable, "WARPSCOPE_GPU"};
}

std::optional<GpuPreset> preset_from(const po::variables_map& values) {
  const std::vector<PresetChange> changes = changes_from(values);
  if (const auto choice = gpu_choice(values)) return load_preset(choice->name, changes, choice->asked_by);
  if (!changes.empty())
    throw InputError(fmt::format("--set {}: changes a GPU, expected --gpu GPU, too", changes[0].first));
  return std::nullopt;
}

bool show_presets(const po::variables_map& values, std::ostream& out) {
  if (values.count("list-presets") != 0 && values["list-presets"].as<bool>()) {
    out << preset_list();
    return true;
  }
  if (values.count("show-preset") == 0) return false;
  out << preset_text(
      load_preset(values["show-preset"].as<std::string>(), changes_from(values), "--show-preset"));
  return true;
}

void add_launch_options(po::options_description& description) {
  description.add_options()("launch", po::value<std::string>()->value_name("LIST"),
                            "only these launches, counted from 0: 0,3-7 (default all)")(
      "kernel", po::value<std::string>()->value_name("NAME[,NAME]"),
      "only launches of these kernels: whole names, or regular expressions found in a name (default all)");
}

LaunchSelection launches_from(const po::variables_map& values) {
  const auto text = [&](const char* name) {
    return values.count(name) != 0 ? std::optional(values[name].as<std::string>()) : std::nullopt;
  };
  return {text("launch"), text("kernel")};
}

void add_schedule_options(po::options_description& description) {
  const auto text = [] { return po::value<std::string>(); };
  const std::string policies = policy_help();
  add_preset_options(description);
  add_launch_options(description);
  description.add_options()("policy", text()->value_name("P"), policies.c_str())(
      "warp-size", text()->value_name("N"), "work-items per warp, 1 to 64 (default 32, or the preset's)")(
      "cores", text()->value_name("N"), "cores that share the work-groups (default 1, or the preset's)")(
      "core", text()->value_name("all|N"), "only this core's accesses (default all)")(
      "assign", text()->value_name("A"),
      "work-groups to cores: round-robin (default: group i to core i mod cores), random (equal shares), or a "
      "file "
      "with one core per line and work-group")("max-workgroups", text()->value_name("N"),
                                               "work-groups resident per core, 0 = all (default: the "
                                               "preset's limits, else 8; all for policies over single "
                                               "work-items)")(
      "registers", text()->value_name("N"),
      "32-bit registers per work-item, for the limits of --gpu (default: the capture's estimate; 0 = do "
      "not "
      "count them)")("seed", text()->value_name("S"), "of random assignment and random order (default 1)")(
      "reconvergence", text()->value_name("R"),
      "where diverged lanes meet again: ipdom (default, immediate post-dominator) or loops (loop snapshots)")(
      "self-check", po::bool_switch(), "the replay must use exactly what was recorded")(
      "buffer-base", text()->value_name("ADDR"),
      "simulated address of the first buffer (default 0x10000000)")(
      "buffer-align", text()->value_name("BYTES"), "alignment of buffers below 1 MiB (default 512)")(
      "layout-seed", text()->value_name("S"),
      "another placement of the buffers (default 0: in order of allocation)");
}

ScheduleOptions schedule_options_from(const po::variables_map& values) {
  ScheduleOptions options;
  apply_preset(values, options);
  apply_policy(values, options);
  apply_machine(values, options);
  if (values.count("assign") != 0) options.assignment = values["assign"].as<std::string>();
  options.launches = launches_from(values);
  if (values.count("seed") != 0) options.seed = number(values, "seed", 0, ~std::uint64_t{0});
  if (values.count("reconvergence") != 0) options.reconvergence = values["reconvergence"].as<std::string>();
  reconvergence_named(options.reconvergence);
  options.self_check = values.count("self-check") != 0 && values["self-check"].as<bool>();
  apply_layout(values, options.layout);
  return options;
}

}  // namespace warpscope
