#include "cachesim/sampling/launch_sample.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "cachesim/sampling/estimate.h"
#include "cachesim/sampling/launch_strata.h"
#include "cachesim/sampling/metrics.h"
#include "scheduler/assignment.h"
#include "scheduler/skipped_launches.h"
#include "traces/base/error.h"
#include "traces/base/random.h"

namespace warpscope {
namespace {

using Json = nlohmann::ordered_json;

/// Per launch the number of its kind, numbered by first appearance.
std::vector<std::size_t> kinds_of(const std::vector<const LaunchInfo*>& launches,
                                  const std::vector<LaunchFeatures>& features) {
  std::map<std::tuple<std::string, Dim3, bool>, std::size_t> number_of;
  std::vector<std::size_t> kinds;
  kinds.reserve(launches.size());
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const LaunchInfo& launch = *launches[i];
    const auto kind = std::tuple(launch.kernel->name, launch.local, features[i].reads_new);
    kinds.push_back(number_of.try_emplace(kind, number_of.size()).first->second);
  }
  return kinds;
}

/// The value that all launches of a stratum have; null where they differ.
template <class Value>
Json common(const std::vector<const LaunchInfo*>& launches, const LaunchSample::Stratum& stratum,
            const Value& value) {
  Json first = value(*launches[stratum.members.front()]);
  for (const std::size_t member : stratum.members)
    if (value(*launches[member]) != first) return nullptr;
  return first;
}

double cycles_of(const LaunchRecord& record) {
  if (record.more.empty()) return 0;
  return Json::parse(record.more).at("timing").at("cycles").get<double>();
}

Json work_groups_of(const std::vector<const LaunchInfo*>& launches, const LaunchSample::Stratum& stratum) {
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  for (const std::size_t member : stratum.members) {
    least = std::min(least, launches[member]->groups().count());
    most = std::max(most, launches[member]->groups().count());
  }
  return {{"least", least}, {"most", most}};
}

}  // namespace

LaunchPopulation::LaunchPopulation(const CaptureReader& capture, const ScheduleOptions& options, LookFor look)
    : capture_(capture),
      launches_(options.launches.of(capture.launches())),
      kernel_text_(options.launches.kernel_text()) {
  if (options.limits) skipped_ = skip_misfits(launches_, *options.limits, options.registers);
  if (look == LookFor::CountsAndCycles) leave_untimed_out(launches_);
  features_ = features_of(capture, launches_, look, options.cores);
  kinds_ = kinds_of(launches_, features_);
}

double LaunchPopulation::all_sizes() const {
  double sum = 0;
  for (const LaunchFeatures& one : features_) sum += one.transactions;
  return sum;
}

double LaunchPopulation::expected_size(std::size_t count) const {
  double sum = 0;
  for (const LaunchStratum& stratum : launch_strata(features_, kinds_, count)) {
    double size = 0;
    for (const std::size_t member : stratum.members) size += size_of(member);
    sum += size * as_real(stratum.count) / as_real(stratum.members.size());
  }
  return sum;
}

LaunchSample::LaunchSample(const LaunchPopulation& population, const LaunchCount& count, std::uint64_t seed)
    : population_(population), seed_(seed) {
  SplitMix64 random(seed_);
  const std::size_t drawn = count.of(population.launches().size());
  for (LaunchStratum& planned : launch_strata(population.features(), population.kinds(), drawn)) {
    Stratum& stratum = strata_.emplace_back(Stratum{std::move(planned.members), {}});
    stratum.drawn = stratum.members;
    shuffle(stratum.drawn, random);
    stratum.drawn.resize(planned.count);
    std::sort(stratum.drawn.begin(), stratum.drawn.end());
  }
}

std::vector<std::size_t> LaunchSample::drawn() const {
  std::vector<std::size_t> all;
  for (const Stratum& stratum : strata_) all.insert(all.end(), stratum.drawn.begin(), stratum.drawn.end());
  std::sort(all.begin(), all.end());
  return all;
}

LaunchSelection LaunchSample::selection() const {
  NumberRanges numbers;
  for (const std::size_t position : drawn()) numbers.add(population_.launches()[position]->id.value());
  const std::string& kernels = population_.kernel_text();
  return {numbers.text(), kernels.empty() ? std::nullopt : std::optional(kernels)};
}

Json LaunchSample::json() const {
  const std::vector<const LaunchInfo*>& launches = population_.launches();
  std::size_t count = 0;
  Json strata = Json::array();
  for (const Stratum& stratum : strata_) {
    NumberRanges members;
    double size = 0;
    for (const std::size_t member : stratum.members) {
      members.add(launches[member]->id.value());
      size += population_.size_of(member);
    }
    Json drawn = Json::array(), sizes = Json::array();
    for (const std::size_t position : stratum.drawn) {
      drawn.push_back(launches[position]->id.value());
      sizes.push_back(population_.size_of(position));
    }
    count += stratum.drawn.size();
    const auto size3 = [](const Dim3& dim) { return Json{dim.x, dim.y, dim.z}; };
    strata.push_back(
        {{"kernel", common(launches, stratum, [](const LaunchInfo& l) { return Json(l.kernel->name); })},
         {"global", common(launches, stratum, [&](const LaunchInfo& l) { return size3(l.global); })},
         {"local", common(launches, stratum, [&](const LaunchInfo& l) { return size3(l.local); })},
         {"work_groups", work_groups_of(launches, stratum)},
         {"count", stratum.members.size()},
         {"launches", members.text()},
         {"size", size},
         {"drawn", std::move(drawn)},
         {"drawn_sizes", std::move(sizes)}});
  }
  return {{"count", count}, {"of", launches.size()}, {"seed", seed_}, {"strata", std::move(strata)}};
}

Json LaunchSample::estimate(const LaunchRecords& records) const {
  const std::vector<std::size_t> order = drawn();
  std::vector<DrawnStratum> strata;
  for (const Stratum& stratum : strata_) {
    DrawnStratum& here = strata.emplace_back(DrawnStratum{stratum.members.size(), {}});
    for (const std::size_t position : stratum.drawn) {
      const auto at = std::lower_bound(order.begin(), order.end(), position) - order.begin();
      const LaunchRecord record = records.record(static_cast<std::size_t>(at));
      here.units.push_back({record.counts, cycles_of(record), population_.size_of(position)});
    }
  }
  return metrics_of(strata, population_.all_sizes());
}

void require_all_cores(const CaptureReader& capture) {
  const auto cores = sampled_cores_of(capture.launches());
  if (cores && !cores->drawn.empty())
    throw InputError(
        "--sample-launches: only cores that were drawn at random were recorded, expected a capture of all "
        "cores: one interval cannot hold both draws");
}

void put_sample(Json& result, const LaunchSample& sample, const LaunchRecords& records) {
  result["context"]["skipped"] = Json(sample.population().skipped());
  result["context"]["sampled_launches"] = sample.json();
  result["total"]["estimate"] = sample.estimate(records);
}

}  // namespace warpscope
