#include "cachesim/sampling/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "cachesim/sampling/estimate.h"

namespace warpscope {
namespace {

using Json = nlohmann::ordered_json;
using Number = std::function<double(const DrawnUnit&)>;

class Estimates {
 public:
  Estimates(const std::vector<DrawnStratum>& strata, double all_sizes)
      : strata_(strata), all_sizes_(all_sizes) {}

  /// In percent; left out where the whole is 0 in every drawn unit.
  void add_rate(const std::string& name, const Number& part, const Number& whole) {
    add(name, part, whole, 100, 0, 100);
  }
  void add_quotient(const std::string& name, const Number& part, const Number& whole) {
    add(name, part, whole, 1, 0, HUGE_VAL);
  }
  /// Of the whole launches: at least what was counted.
  void add_total(const std::string& name, const Number& number) {
    double seen = 0;
    for (const DrawnStratum& stratum : strata_)
      for (const DrawnUnit& unit : stratum.units) seen += number(unit);
    if (seen == 0) return;
    add(
        name, number, [](const DrawnUnit& unit) { return unit.size; }, all_sizes_, seen, HUGE_VAL);
  }
  /// By the number of units: a unit takes time even where it has little to do.
  void add_cycles() {
    double units = 0, seen = 0;
    for (const DrawnStratum& stratum : strata_) {
      units += as_real(stratum.size);
      for (const DrawnUnit& unit : stratum.units) seen += unit.cycles;
    }
    if (seen == 0) return;
    add(
        "cycles", [](const DrawnUnit& unit) { return unit.cycles; }, [](const DrawnUnit&) { return 1.0; },
        units, seen, HUGE_VAL, kLeastSpreadOfCycles);
  }
  [[nodiscard]] const Json& json() const { return json_; }

 private:
  void add(const std::string& name, const Number& part, const Number& whole, double scale, double least,
           double most, double least_spread = 0) {
    std::vector<StratumSample> samples;
    bool is_there = false;
    for (const DrawnStratum& stratum : strata_) {
      StratumSample sample{stratum.size, {}};
      for (const DrawnUnit& unit : stratum.units) {
        sample.drawn.push_back({part(unit), whole(unit)});
        is_there = is_there || sample.drawn.back().whole != 0;
      }
      samples.push_back(std::move(sample));
    }
    if (!is_there) return;
    const RatioEstimate found = estimate_ratio(samples, least_spread);
    Json& entry = json_[name] = {{"value", found.value * scale}, {"low", nullptr}, {"high", nullptr}};
    if (found.refused.empty()) {
      entry["low"] = std::clamp(found.low * scale, least, most);
      entry["high"] = std::clamp(found.high * scale, least, most);
    } else {
      entry["refused"] = found.refused;
    }
  }

  const std::vector<DrawnStratum>& strata_;
  double all_sizes_;
  Json json_ = Json::object();
};

void add_kind(Estimates& estimates, AccessKind kind) {
  const auto number = [kind](auto of) {
    return Number([kind, of](const DrawnUnit& unit) { return as_real(of(unit.counts.of(kind))); });
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
  const auto count = [](const DrawnUnit& unit, std::uint64_t MissClasses::*which) {
    return as_real(unit.counts.classes.*which);
  };
  const Number all = [classes, count](const DrawnUnit& unit) {
    double sum = 0;
    for (const auto& [name, which] : classes) sum += count(unit, which);
    return sum;
  };
  for (const auto& [name, which] : classes)
    estimates.add_rate(
        fmt::format("misses.{}_percent", name),
        [which = which, count](const DrawnUnit& unit) { return count(unit, which); }, all);
}

}  // namespace

Json metrics_of(const std::vector<DrawnStratum>& strata, double all_sizes) {
  Estimates estimates(strata, all_sizes);
  for (const AccessKind kind : {AccessKind::Load, AccessKind::Store, AccessKind::Atomic})
    add_kind(estimates, kind);
  add_classes(estimates);
  estimates.add_cycles();
  return estimates.json();
}

}  // namespace warpscope
