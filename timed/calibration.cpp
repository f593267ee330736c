#include "timed/calibration.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cachesim/sampling/core_estimates.h"
#include "cachesim/sampling/metrics.h"
#include "scheduler/replay/capture_source.h"
#include "scheduler/replay/some_groups.h"
#include "scheduler/schedule.h"
#include "timed/spread/calibrated_cycles.h"
#include "timed/spread/cycle_spread.h"
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

constexpr std::size_t kLeastMarks = 4;  ///< of which there are steps

/// The steps of a calibration: behind the first of the marks, to the second. The last wave ends otherwise where no work-groups follow, and the
/// first ones begin in step.
struct Steps {
  std::size_t first, last;
};

Steps steps_of(std::size_t marks) {
  return {marks * 3 / 8, marks - 2};
}

/// Hits of what a kind of access looks up, and misses of its transactions.
struct CountsOfKind {
  RatioPair hits, misses;
};

/// By core, up to a mark.
std::vector<CountsOfKind> counts_of(const LaunchTiming& mark, AccessKind kind) {
  std::vector<CountsOfKind> found;
  for (const CoreCounts& core : mark.cores) {
    CountsOfKind& sum = found.emplace_back();
    for (std::size_t o = 0; o < core.origins.size(); ++o) {
      const OriginCounts& counts = core.origins[o];
      if (mark.origins[o].kind != kind || !makes_transactions(mark.origins[o].destination)) continue;
      sum.hits.part += as_real(counts.hits + counts.hits_pending);
      sum.hits.whole += as_real(counts.transactions - counts.bypasses);
      sum.misses.part += as_real(counts.misses + counts.sector_misses);
      sum.misses.whole += as_real(counts.transactions);
    }
  }
  return found;
}

/// By step and core: what `of` counts in each.
std::vector<std::vector<RatioPair>> series_of(const LaunchTiming& launch, const Steps& steps, AccessKind kind,
                                              RatioPair CountsOfKind::*of) {
  std::vector<std::vector<RatioPair>> series;
  std::vector<CountsOfKind> before = counts_of(launch.marks[steps.first], kind);
  for (std::size_t mark = steps.first + 1; mark <= steps.last; ++mark) {
    std::vector<CountsOfKind> after = counts_of(launch.marks[mark], kind);
    auto& step = series.emplace_back();
    for (std::size_t core = 0; core < after.size(); ++core)
      step.push_back(after[core].*of - before[core].*of);
    before = std::move(after);
  }
  return series;
}

std::vector<RatioPair> summed(const std::vector<std::vector<RatioPair>>& series) {
  std::vector<RatioPair> sums;
  sums.reserve(series.size());
  for (const auto& step : series) sums.push_back(std::accumulate(step.begin(), step.end(), RatioPair()));
  return sums;
}

/// From moment to moment, since work-groups that have begun have issued some instructions, too.
Stretch stretch(const LaunchTiming& from, const LaunchTiming& to, double waves) {
  double instructions = 0;
  for (std::size_t core = 0; core < to.cores.size(); ++core)
    instructions += as_real(to.cores[core].instructions - from.cores[core].instructions);
  return {as_real(to.cycles - from.cycles), instructions, waves};
}

double half_width(const Json& entry) {
  return (entry.at("high").get<double>() - entry.at("low").get<double>()) / 2;
}

/// `half`: what is added to the interval, unless it is refused.
void change_entry(Json& entry, double change, double half, double most, const std::string& refused) {
  const double value = std::clamp(entry.at("value").get<double>() + change, 0.0, most);
  entry["value"] = value;
  if (entry.at("low").is_null()) return;
  if (!refused.empty()) {
    entry["low"] = entry["high"] = nullptr;
    entry["refused"] = refused;
    return;
  }
  const double both = std::hypot(half_width(entry), half);
  entry["low"] = std::max(0.0, value - both);
  entry["high"] = std::min(most, value + both);
}

}  // namespace

Calibration::Calibration(const CaptureReader& capture, const TimedRequest& request,
                         const StreamHeader& header, const SampledCores& cores)
    : capture_(capture),
      request_(request),
      header_(header),
      cores_(cores),
      all_header_(without_sample(header)) {}

std::vector<std::uint64_t> Calibration::begin_launch(const LaunchInfo& launch, std::uint32_t slots,
                                                     const TimedConfig& config) {
  current_.reset();
  groups_of_launch_ = launch.groups().count();
  const std::uint64_t wave = cores_.of * slots;
  const std::uint64_t waves = calibration_waves(launch.groups().count(), wave, cores_.count(), cores_.of);
  if (waves == 0 || recorded_first(launch) < waves * wave || capture_.is_partial()) return {};
  waves_of_launch_ = as_real(launch.groups().count()) / as_real(wave);
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
  const std::uint64_t full = launch.groups().count() / wave;
  if (full > waves + 2) marks.insert(marks.end(), {(full - 2) * wave, (full - 1) * wave});
  for (std::uint64_t& mark : marks) mark = mark / cores_.of * cores_.count();  // whole waves
  return marks;
}

void Calibration::add(const LaunchTiming& drawn) {
  std::uint64_t groups = 0;
  for (const CoreCounts& core : drawn.cores) groups += core.work_groups;
  all_groups_ += groups;
  // A damaged capture may hold other work-groups than it says.
  if (!current_ || current_->marks.size() < kLeastMarks || drawn.marks.size() < current_->marks.size()) {
    cycles_ += as_real(drawn.cycles);
    short_half_ += cycle_spread(drawn.cycles, drawn.cores, drawn.demand, cores_).half();
    if (refused_.empty()) refused_ = unseen_end(groups_of_launch_, drawn.slots, cores_);
    return;
  }
  if (launches_++ == 0) waves_ = current_->marks.size();
  groups_ += groups;
  add_cycles(drawn);
  add_counts(drawn);
}

void Calibration::add_counts(const LaunchTiming& drawn) {
  const std::size_t waves = current_->marks.size();
  const Steps steps = steps_of(waves);
  const double left = waves_of_launch_ - as_real(steps.last + 1);
  for (const AccessKind kind : {AccessKind::Load, AccessKind::Store, AccessKind::Atomic})
    for (auto [ratios, of] : {std::pair(&rates_, &CountsOfKind::hits), {&misses_, &CountsOfKind::misses}})
      (*ratios)[kind].add(summed(series_of(*current_, steps, kind, of)), series_of(drawn, steps, kind, of),
                          left);
}

void Calibration::add_cycles(const LaunchTiming& drawn) {
  const std::size_t waves = current_->marks.size();
  const auto [first, last] = steps_of(waves);
  const std::vector<LaunchTiming>& marks = drawn.marks;
  CalibratedWaves found;
  for (std::size_t i = first + 1; i <= last; ++i)
    found.waves.push_back({current_->marks[i].mean_end - current_->marks[i - 1].mean_end,
                           marks[i].mean_end - marks[i - 1].mean_end});
  found.in_waves = stretch(marks[first], marks[last], as_real(last - first));
  if (marks.size() > waves)
    found.behind = stretch(marks[last], marks.back(), std::floor(waves_of_launch_) - as_real(last + 2));
  found.left = as_real(drawn.cycles) - marks[last].mean_end;
  const CalibratedCycles rest = calibrated_cycles(found);
  cycles_ += current_->marks[last].mean_end + rest.cycles;
  const auto spread = half_of(between(marks[last].cores, drawn.cores));
  if (!rest.refused.empty()) refused_ = rest.refused;
  if (!spread || !rest.refused.empty()) return;
  CycleSpread least;  // the waves that are left are supposed to differ from these as launches do
  least.least = kLeastSpreadOfCycles * rest.cycles;
  least.rest = 1 - as_real(cores_.count()) / as_real(cores_.of);
  variance_ += rest.half * rest.half + std::pow(rest.cycles * *spread, 2) + std::pow(least.half(), 2);
}

std::optional<double> Calibration::half_of(const Pairs& pairs) {
  const RatioEstimate found = core_ratio(header_, cores_, pairs);
  if (found.refused.empty() && found.value > 0) return (found.high - found.low) / 2 / found.value;
  refused_ = found.refused;
  return {};
}

void Calibration::apply(Json& estimate) const {
  if (launches_ == 0) return;
  const double share = as_real(groups_) / as_real(all_groups_);
  for (const auto& [kind, ratio] : misses_) apply_misses(estimate, name_of(kind), ratio);
  for (const auto& [kind, ratio] : rates_) {
    const std::string name = std::string(name_of(kind)) + ".hit_rate_percent";
    if (!estimate.contains(name) || !ratio.is_known()) continue;
    const auto found = ratio.difference(header_, cores_);
    const double points = 100 * share;
    change_entry(estimate[name], points * (found.all - found.drawn), points * found.half, 100, found.refused);
  }
  apply_cycles(estimate);
}

/// By the quotient: misses of a transaction, since work-groups that have begun are not at the same place here and there.
void Calibration::apply_misses(Json& estimate, const std::string& kind, const CalibratedRatio& ratio) const {
  const std::string name = kind + ".misses";
  if (!estimate.contains(name) || !ratio.is_known()) return;
  const auto found = ratio.difference(header_, cores_);
  if (found.drawn == 0) return;
  const double share = as_real(groups_) / as_real(all_groups_);
  const double scale = share * estimate.at(name).at("value").get<double>() / found.drawn;
  change_entry(estimate[name], scale * (found.all - found.drawn), scale * found.half,
               estimate.at(kind + ".transactions").at("value").get<double>(), found.refused);
}

void Calibration::apply_cycles(Json& estimate) const {
  Json& entry = estimate["cycles"] = {{"value", cycles_}, {"low", nullptr}, {"high", nullptr}};
  if (!refused_.empty()) {
    entry["refused"] = refused_;
    return;
  }
  const double half = std::hypot(std::sqrt(variance_), short_half_);
  entry["low"] = std::max(0.0, cycles_ - half);
  entry["high"] = cycles_ + half;
}

Json Calibration::json() const {
  if (launches_ == 0) return nullptr;
  return {{"launches", launches_}, {"waves", waves_}};
}

}  // namespace warpscope::timed
