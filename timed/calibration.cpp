#include "timed/calibration.h"

#include <algorithm>
#include <cmath>

#include "cachesim/sampling/core_estimates.h"
#include "scheduler/replay/capture_source.h"
#include "scheduler/replay/some_groups.h"
#include "scheduler/schedule.h"
#include "traces/base/progress.h"
#include "traces/program/core_sample.h"

namespace warpscope::timed {
namespace {

using Json = nlohmann::ordered_json;

/// One behind each of the first `waves`.
std::vector<std::uint64_t> marks_of(std::uint64_t waves, std::uint64_t wave) {
  std::vector<std::uint64_t> marks;
  for (std::uint64_t i = 1; i <= waves; ++i) marks.push_back(i * wave);
  return marks;
}

StreamHeader without_sample(const StreamHeader& header) {
  StreamHeader all = header;
  all.context.erase(kSampledCores);
  return all;
}

/// How many of the launch's first work-groups were recorded, of all cores.
std::uint64_t recorded_first(const LaunchInfo& launch) {
  const GroupSelection selection = GroupSelection::parse(launch.sampling);
  return selection.is_all() ? launch.groups().count() : selection.first();
}

/// What the cores did between two counts: cycles and work-groups.
std::vector<RatioPair> between(const std::vector<CoreCounts>& before, const std::vector<CoreCounts>& after) {
  std::vector<RatioPair> pairs;
  for (std::size_t core = 0; core < after.size(); ++core)
    pairs.push_back({as_real(after[core].active_cycles - before[core].active_cycles),
                     as_real(after[core].work_groups - before[core].work_groups)});
  return pairs;
}

double half_width(const Json& entry) {
  return (entry.at("high").get<double>() - entry.at("low").get<double>()) / 2;
}

}  // namespace

Calibration::Calibration(const CaptureReader& capture, const TimedRequest& request,
                         const StreamHeader& header, const SampledCores& cores)
    : capture_(capture),
      request_(request),
      header_(header),
      cores_(cores),
      all_header_(without_sample(header)),
      all_(all_header_, request.preset.core_clock_mhz),
      drawn_(header, request.preset.core_clock_mhz),
      short_(cores.count()) {}

std::vector<std::uint64_t> Calibration::begin_launch(const LaunchInfo& launch, std::uint32_t slots,
                                                     const TimedConfig& config) {
  current_.reset();
  const std::uint64_t wave = cores_.of * slots;
  const std::uint64_t waves = calibration_waves(launch.groups().count(), wave, cores_.count(), cores_.of);
  if (waves == 0 || recorded_first(launch) < waves * wave || capture_.is_partial()) return {};
  DispatchOptions options;
  options.cores = static_cast<std::uint32_t>(cores_.of);
  options.assignment = request_.assignment;
  options.warp_size = request_.schedule.warp_size;
  options.reconvergence = request_.schedule.reconvergence;
  options.seed = request_.schedule.seed;
  options.threads = request_.threads;
  options.slots = slots;
  options.marks = marks_of(waves, wave);
  const CaptureSource recorded(capture_, launch);
  const SomeGroups all(recorded, capture_.recorded(launch.id));
  Progress progress("calibrating", waves * wave, "work-groups");
  current_ = TimedEngine(config, all_header_)
                 .run(first_groups(all, waves * wave), options, nullptr,
                      [&](std::uint64_t finished) { progress.update(finished); });
  std::vector<std::uint64_t> marks = options.marks;
  for (std::uint64_t& mark : marks) mark = mark / cores_.of * cores_.count();  // whole waves
  return marks;
}

void Calibration::add(const LaunchTiming& drawn) {
  std::uint64_t groups = 0;
  for (const CoreCounts& core : drawn.cores) groups += core.work_groups;
  all_groups_ += groups;
  // A damaged capture may hold other work-groups than it says.
  if (!current_ || current_->marks.empty() || drawn.marks.size() != current_->marks.size()) {
    cycles_ += as_real(drawn.cycles);
    short_cycles_ += as_real(drawn.cycles);
    for (std::size_t core = 0; core < drawn.cores.size(); ++core) {
      short_[core].part += as_real(drawn.cores[core].active_cycles);
      short_[core].whole += as_real(drawn.cores[core].work_groups);
    }
    return;
  }
  if (launches_++ == 0) waves_ = drawn.marks.size();
  groups_ += groups;
  add_cycles(drawn);
  all_.add(current_->marks.back());
  drawn_.add(drawn.marks.back());
}

void Calibration::add_cycles(const LaunchTiming& drawn) {
  // The last wave ends otherwise where no work-groups follow.
  const std::size_t last = drawn.marks.size() - 2, first = drawn.marks.size() * 3 / 8;
  StratumSample steps;
  for (std::size_t i = first + 1; i <= last; ++i)
    steps.drawn.push_back({current_->marks[i].mean_end - current_->marks[i - 1].mean_end,
                           drawn.marks[i].mean_end - drawn.marks[i - 1].mean_end});
  steps.size =
      std::uint64_t{1} << 32;  // of ever so many: what is left of the launch is estimated by `spread`
  const RatioEstimate ratio = estimate_ratio({&steps, 1});
  const double left = as_real(drawn.cycles) - drawn.marks[last].mean_end;
  const double rest = ratio.value * left;
  cycles_ += current_->marks[last].mean_end + rest;
  const auto spread = half_of(between(drawn.marks[last].cores, drawn.cores));
  if (!ratio.refused.empty()) refused_ = ratio.refused;
  if (!spread || !ratio.refused.empty()) return;
  const double of_ratio = (ratio.high - ratio.low) / 2 / ratio.value;
  variance_ += rest * rest * (of_ratio * of_ratio + *spread * *spread);
}

std::optional<double> Calibration::half_of(const Pairs& pairs) {
  const RatioEstimate found = core_ratio(header_, cores_, pairs);
  if (found.refused.empty() && found.value > 0) return (found.high - found.low) / 2 / found.value;
  refused_ = found.refused;
  return {};
}

void Calibration::apply(Json& estimate) const {
  if (launches_ == 0) return;
  const Json all = all_.estimate(all_header_), drawn = drawn_.estimate(header_);
  const auto value = [](const Json& of, const std::string& name) {
    return of.at(name).at("value").get<double>();
  };
  for (const AccessKind kind : {AccessKind::Load, AccessKind::Store, AccessKind::Atomic}) {
    const std::string name = name_of(kind), rate = name + ".hit_rate_percent", misses = name + ".misses",
                      transactions = name + ".transactions";
    const auto are_known = [&](const std::string& one) {
      return estimate.contains(one) && all.contains(one) && drawn.contains(one);
    };
    // In proportion to the transactions: work-groups that have begun are not at the same place here and there.
    if (are_known(misses) && value(drawn, misses) > 0) {
      const double begun = value(drawn, transactions) / value(all, transactions);
      apply_to(estimate[misses], drawn.at(misses), value(all, misses) * begun,
               value(estimate, misses) / value(drawn, misses), value(estimate, transactions));
    }
    if (are_known(rate)) apply_to(estimate[rate], drawn.at(rate), value(all, rate), 1, 100);
  }
  apply_cycles(estimate);
}

void Calibration::apply_cycles(Json& estimate) const {
  Json& entry = estimate["cycles"] = {{"value", cycles_}, {"low", nullptr}, {"high", nullptr}};
  double variance = variance_;
  std::string refused = refused_;
  if (short_cycles_ > 0) {
    const RatioEstimate found = core_ratio(header_, cores_, short_);
    if (refused.empty()) refused = found.refused;
    if (found.refused.empty() && found.value > 0)
      variance += std::pow(short_cycles_ * (found.high - found.low) / 2 / found.value, 2);
  }
  if (!refused.empty()) {
    entry["refused"] = refused;
    return;
  }
  entry["low"] = std::max(0.0, cycles_ - std::sqrt(variance));
  entry["high"] = cycles_ + std::sqrt(variance);
}

/// `scale`: what an error of the first waves is in the whole. Both intervals count: that of the whole sample, and that of the drawn
/// cores in the first waves.
void Calibration::apply_to(Json& entry, const Json& of_drawn, double of_all, double scale,
                           double most) const {
  const double share = scale * as_real(groups_) / as_real(all_groups_);
  const double change = share * (of_all - of_drawn.at("value").get<double>());
  const double value = std::clamp(entry.at("value").get<double>() + change, 0.0, most);
  entry["value"] = value;
  if (entry.at("low").is_null()) return;
  if (of_drawn.at("low").is_null()) {
    entry["low"] = entry["high"] = nullptr;
    entry["refused"] = of_drawn.at("refused");
    return;
  }
  const double half = std::hypot(half_width(entry), share * half_width(of_drawn));
  entry["low"] = std::max(0.0, value - half);
  entry["high"] = std::min(most, value + half);
}

Json Calibration::json() const {
  if (launches_ == 0) return nullptr;
  return {{"launches", launches_}, {"waves", waves_}};
}

}  // namespace warpscope::timed
