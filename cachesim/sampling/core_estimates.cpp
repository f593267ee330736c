#include "cachesim/sampling/core_estimates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "cachesim/sampling/estimate.h"
#include "scheduler/assignment.h"
#include "scheduler/schedule.h"
#include "traces/program/core_sample.h"

namespace warpscope {
namespace {

using Json = nlohmann::ordered_json;

/// One core of the sample.
struct DrawnCore {
  Counts counts;
  double work_groups = 0;
};

/// The cores of one sort that were drawn.
struct DrawnStratum {
  std::uint64_t size = 0;
  std::vector<DrawnCore> cores;
};

using Number = std::function<double(const DrawnCore&)>;

double as_real(std::uint64_t number) {
  return static_cast<double>(number);
}

LaunchShapes shapes_of(const LaunchList& launches) {
  LaunchShapes shapes;
  for (const LaunchInfo& launch : launches) ++shapes[launch.groups()];
  return shapes;
}

/// How many work-groups core `core` of `of` gets, dealt out in turn or at random in equal shares.
double work_groups_of(const LaunchShapes& launches, std::uint64_t core, std::uint64_t of) {
  std::uint64_t sum = 0;
  for (const auto& [groups, times] : launches)
    sum += times * (groups.count() / of + (core < groups.count() % of ? 1 : 0));
  return static_cast<double>(sum);
}

/// The strata, or all cores as one where a stratum has too few drawn cores for a variance of its own: a program's launches were
/// recorded by one draw, and its strata are known at the end only.
std::vector<CoreStratum> strata_for(const StreamHeader& header, const LaunchShapes& shapes,
                                    const SampledCores& drawn) {
  const bool at_random = header.context.is_object() && header.context.contains("assignment") &&
                         header.context.at("assignment") == "random";
  std::vector<CoreStratum> strata =
      core_strata(shapes, header.cores, at_random ? CorePlacement::Random : CorePlacement::InTurn);
  const auto has_too_few = [&](const CoreStratum& stratum) {
    const auto found =
        std::count_if(stratum.begin(), stratum.end(), [&](std::uint32_t core) { return drawn.has(core); });
    return found < 2 && static_cast<std::size_t>(found) < stratum.size();
  };
  if (strata.size() == 1 || std::none_of(strata.begin(), strata.end(), has_too_few)) return strata;
  strata[0].insert(strata[0].end(), strata[1].begin(), strata[1].end());
  strata.pop_back();
  return strata;
}

class Estimates {
 public:
  Estimates(const StreamHeader& header, const SampledCores& drawn, const SimulationResult& result,
            const std::map<CoreId, std::uint64_t>& ran) {
    const LaunchShapes shapes = shapes_of(header.launches);
    for (const CoreStratum& stratum : strata_for(header, shapes, drawn)) {
      DrawnStratum here{stratum.size(), {}};
      for (const std::uint32_t core : stratum) {
        const double groups = work_groups_of(shapes, core, header.cores);
        all_groups_ += groups;
        if (!drawn.has(core)) continue;
        const auto counted = result.cores.find(CoreId(core));
        here.cores.push_back({counted == result.cores.end() ? Counts{} : counted->second,
                              ran.empty() ? groups : as_real(ran.at(CoreId(core)))});
      }
      strata_.push_back(std::move(here));
    }
  }

  /// In percent; left out where the whole is 0 on every drawn core.
  void add_rate(const std::string& name, const Number& part, const Number& whole) {
    add(name, part, whole, 100, 0, 100);
  }
  void add_quotient(const std::string& name, const Number& part, const Number& whole) {
    add(name, part, whole, 1, 0, HUGE_VAL);
  }
  /// Of the whole launches: at least what the drawn cores counted.
  void add_total(const std::string& name, const Number& number) {
    double seen = 0;
    for (const DrawnStratum& stratum : strata_)
      for (const DrawnCore& core : stratum.cores) seen += number(core);
    if (seen == 0) return;
    add(
        name, number, [](const DrawnCore& core) { return core.work_groups; }, all_groups_, seen, HUGE_VAL);
  }
  [[nodiscard]] const Json& json() const { return json_; }

 private:
  void add(const std::string& name, const Number& part, const Number& whole, double scale, double least,
           double most) {
    std::vector<StratumSample> samples;
    bool is_there = false;
    for (const DrawnStratum& stratum : strata_) {
      StratumSample sample{stratum.size, {}};
      for (const DrawnCore& core : stratum.cores) {
        sample.drawn.push_back({part(core), whole(core)});
        is_there = is_there || sample.drawn.back().whole != 0;
      }
      samples.push_back(std::move(sample));
    }
    if (!is_there) return;
    const RatioEstimate found = estimate_ratio(samples);
    Json& entry = json_[name] = {{"value", found.value * scale}, {"low", nullptr}, {"high", nullptr}};
    if (found.refused.empty()) {
      entry["low"] = std::clamp(found.low * scale, least, most);
      entry["high"] = std::clamp(found.high * scale, least, most);
    } else {
      entry["refused"] = found.refused;
    }
  }

  std::vector<DrawnStratum> strata_;
  double all_groups_ = 0;
  Json json_ = Json::object();
};

void add_kind(Estimates& estimates, AccessKind kind) {
  const auto number = [kind](auto of) {
    return Number([kind, of](const DrawnCore& core) { return as_real(of(core.counts.of(kind))); });
  };
  const Number transactions = number([](const KindCounts& c) { return c.transactions; });
  const Number looked_up = number([](const KindCounts& c) { return c.transactions - c.bypasses; });
  const std::string name = name_of(kind);
  estimates.add_rate(name + ".hit_rate_percent",
                     number([](const KindCounts& c) { return c.hits + c.hits_pending; }), looked_up);
  estimates.add_quotient(name + ".transactions_per_request", transactions,
                         number([](const KindCounts& c) { return c.requests; }));
  estimates.add_total(name + ".requests", number([](const KindCounts& c) { return c.requests; }));
  estimates.add_total(name + ".transactions", transactions);
  estimates.add_total(name + ".misses",
                      number([](const KindCounts& c) { return c.misses + c.sector_misses; }));
}

/// Shares of the classes that are in the sum, as the report's table has them.
void add_classes(Estimates& estimates) {
  std::vector<std::pair<const char*, std::uint64_t MissClasses::*>> classes;
#define CLASS_COUNTER(name, heading, ...) \
  if (*(heading) != '\0') classes.emplace_back(#name, &MissClasses::name);
#include "cachesim/access/counters.def"
  const auto count = [](const DrawnCore& core, std::uint64_t MissClasses::*which) {
    return as_real(core.counts.classes.*which);
  };
  const Number all = [classes, count](const DrawnCore& core) {
    double sum = 0;
    for (const auto& [name, which] : classes) sum += count(core, which);
    return sum;
  };
  for (const auto& [name, which] : classes)
    estimates.add_rate(
        fmt::format("misses.{}_percent", name),
        [which = which, count](const DrawnCore& core) { return count(core, which); }, all);
}

}  // namespace

std::optional<SampledCores> drawn_cores(const StreamHeader& header) {
  if (auto simulated = drawn_for_stream(header); !simulated.empty())
    return SampledCores{1, header.cores, std::move(simulated)};
  auto recorded = sampled_cores_of(header.launches);
  return recorded && !recorded->drawn.empty() && recorded->of == header.cores ? recorded : std::nullopt;
}

RatioEstimate core_ratio(const StreamHeader& header, const SampledCores& drawn,
                         const std::vector<RatioPair>& pairs) {
  std::vector<StratumSample> samples;
  for (const CoreStratum& stratum : strata_for(header, shapes_of(header.launches), drawn)) {
    StratumSample sample{stratum.size(), {}};
    for (const std::uint32_t core : stratum)
      if (drawn.has(core)) sample.drawn.push_back(pairs.at(drawn.count_below(core)));
    samples.push_back(std::move(sample));
  }
  return estimate_ratio(samples);
}

Json core_estimates(const StreamHeader& header, const SampledCores& drawn, const SimulationResult& result,
                    const std::map<CoreId, std::uint64_t>& ran) {
  Estimates estimates(header, drawn, result, ran);
  for (const AccessKind kind : {AccessKind::Load, AccessKind::Store, AccessKind::Atomic})
    add_kind(estimates, kind);
  add_classes(estimates);
  return estimates.json();
}

}  // namespace warpscope
