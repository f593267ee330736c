#include "timed/program/dependence.h"

#include <algorithm>
#include <map>
#include <string>

namespace warpscope::timed {
namespace {

/// Of instructions by class, in cycles.
double latencies(const std::map<std::string, std::uint32_t>& counts, const CostTable& costs) {
  double sum = 0;
  for (const auto& [name, count] : counts) {
    const InstructionCost& cost = costs[instruction_class_named(name)];
    // A phi is no instruction, and what barriers and loads wait for is simulated.
    if (cost.unit == Unit::None || cost.unit == Unit::Memory || name == "barrier") continue;
    sum += double(count) * cost.instructions * cost.latency;
  }
  return sum;
}

}  // namespace

double exposed_latency(const BlockInfo& block, std::uint32_t iterations, const IssueConfig& config) {
  constexpr double kNotRecorded = 0.5;
  if (config.independent) return 1.0 / *config.independent;
  if (!block.parallelism) return kNotRecorded;
  if (count_in(block, "fp32_div") != 0 || count_in(block, "fp32_sqrt") != 0) return 1;
  const double all = latencies(block.mix, config.costs);
  if (all == 0) return 1;
  const bool is_double = count_in(block, "fp64") + count_in(block, "fp64_fma") != 0;
  const char* link = is_double ? "fp64" : "fp32_fma";
  const double chain = latencies(block.parallelism->path, config.costs) +
                       double(iterations - 1) * config.costs[instruction_class_named(link)].latency;
  return std::min(1.0, chain / (iterations * all));
}

}  // namespace warpscope::timed
