#include <fmt/format.h>

#include "cachesim/result/text_report.h"
#include "timed/timed_result.h"

namespace warpscope::timed {
namespace {

using Json = nlohmann::ordered_json;

void write_stalls(const Json& cycles, std::ostream& out) {
  double all = 0;
  for (const auto& [name, value] : cycles.items()) all += value.get<double>();
  out << "  scheduler cycles:";
  const char* separator = " ";
  for (const auto& [name, value] : cycles.items()) {
    if (value.get<std::uint64_t>() == 0) continue;
    out << separator << fmt::format("{} {:.1f} %", name, 100 * value.get<double>() / all);
    separator = ", ";
  }
  out << "\n";
}

void write_effects(const Json& effects, std::ostream& out) {
  out << "\nLatency and outstanding misses apart (loads)\n";
  out << fmt::format("  {:<22} {:>12} {:>12} {:>12} {:>12} {:>12}\n", "", "cycles", "hits", "pending",
                     "misses", "refused");
  for (const auto& [name, variant] : effects.items()) {
    const Json& load = variant.at("load");
    out << fmt::format("  {:<22} {:>12} {:>12} {:>12} {:>12} {:>12}\n", name,
                       variant.at("cycles").get<std::uint64_t>(), load.at("hits").get<std::uint64_t>(),
                       load.at("hits_pending").get<std::uint64_t>(),
                       load.at("misses").get<std::uint64_t>() + load.at("sector_misses").get<std::uint64_t>(),
                       load.at("reservation_fails").get<std::uint64_t>());
  }
}

void write_assumed(const Json& assumed, std::ostream& out) {
  if (assumed.empty()) return;
  out << "\nNot known, assumed:";
  const char* separator = " ";
  for (const Json& one : assumed) {
    out << separator
        << fmt::format("{} = {} ({})", one.at("key").get<std::string>(), one.at("value").get<std::string>(),
                       one.at("reason").get<std::string>());
    separator = "; ";
  }
  out << "\n";
}

}  // namespace

void write_timed_report(const nlohmann::ordered_json& result, std::size_t top, std::ostream& out) {
  write_text_report(result, top, out);
  const Json& timing = result.at("total").at("timing");
  const Json& context = result.at("context").at("timed");
  const Json& load = result.at("total").at("load");
  const Json& memory = timing.at("memory");
  out << fmt::format("\nTime ({} schedulers per core, {})\n", context.at("schedulers").get<std::uint32_t>(),
                     context.at("warp_scheduler").get<std::string>());
  if (context.contains("waves"))
    out << fmt::format("  the first {} waves of work-groups, {} of {}: all counts and cycles are of these\n",
                       context.at("waves").at("waves").get<std::uint32_t>(),
                       context.at("waves").at("work_groups").get<std::uint64_t>(),
                       context.at("waves").at("of").get<std::uint64_t>());
  out << fmt::format("  {} cycles, {} warp instructions, {:.3f} per cycle\n",
                     timing.at("cycles").get<std::uint64_t>(),
                     timing.at("warp_instructions").get<std::uint64_t>(),
                     timing.at("warp_instructions_per_cycle").get<double>());
  out << fmt::format(
      "  loads: {} hits, {} pending, {} sector misses, {} misses, {} refusals; mean latency {:.1f} cycles\n",
      load.at("hits").get<std::uint64_t>(), load.at("hits_pending").get<std::uint64_t>(),
      load.at("sector_misses").get<std::uint64_t>(), load.at("misses").get<std::uint64_t>(),
      load.at("reservation_fails").get<std::uint64_t>(), timing.at("load_latency_cycles_mean").get<double>());
  write_stalls(timing.at("scheduler_cycles"), out);
  out << fmt::format("  resident warps per core: {:.1f}\n", timing.at("warps_per_core_mean").get<double>());
  if (!context.at("shared_l1").is_null())
    out << fmt::format("  loads of the shared L1s: {} hits, {} pending, {} misses (sectors)\n",
                       memory.at("shared_l1_load_hits").get<std::uint64_t>(),
                       memory.at("shared_l1_load_hits_pending").get<std::uint64_t>(),
                       memory.at("shared_l1_load_misses").get<std::uint64_t>());
  out << fmt::format(
      "  L2 loads: {} hits, {} pending, {} misses (sectors); DRAM {} bytes read, {} written, {:.1f} per "
      "cycle\n",
      memory.at("l2_load_hits").get<std::uint64_t>(), memory.at("l2_load_hits_pending").get<std::uint64_t>(),
      memory.at("l2_load_misses").get<std::uint64_t>(), memory.at("dram_read_bytes").get<std::uint64_t>(),
      memory.at("dram_write_bytes").get<std::uint64_t>(), memory.at("dram_bytes_per_cycle").get<double>());
  const auto cycles = timing.at("cycles").get<std::uint64_t>(),
             duration = timing.at("duration_cycles").get<std::uint64_t>();
  out << fmt::format(
      "  {} active cycles of all cores; duration {} cycles, in {} of which no core is active\n",
      timing.at("active_cycles").get<std::uint64_t>(), duration, duration - cycles);
  if (!result.at("effects").is_null()) write_effects(result.at("effects"), out);
  write_assumed(context.at("assumed"), out);
}

}  // namespace warpscope::timed
