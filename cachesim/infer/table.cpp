#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cachesim/infer/inference.h"
#include "traces/base/error.h"

namespace warpscope::infer {
namespace {

/// Places of sectors that a circle touches: each misses once, whatever the cache.
double first_misses(const Pattern& pattern, std::uint32_t sector_bytes) {
  if (pattern.is_circle() && pattern.step >= sector_bytes) return static_cast<double>(pattern.places);
  std::set<std::uint32_t> sectors;
  for (const std::uint32_t address : addresses(pattern)) sectors.insert(address / sector_bytes);
  return static_cast<double>(sectors.size());
}

}  // namespace

Table::Table(Observations observations, InferenceOptions options)
    : observations_(std::move(observations)), options_(std::move(options)) {
  calibrate();
}

/// A hit is what the smallest circles take, a miss what circles far beyond any L1 take.
void Table::calibrate() {
  constexpr std::uint64_t kSurelyFits = 4096, kSurelyNot = kSpan / 2;
  const auto mean = [&](auto&& is_chosen) {
    double sum = 0, number = 0;
    for (const Observation& row : rows())
      if (row.cycles && row.pattern.is_circle() && is_chosen(row.pattern)) sum += *row.cycles, ++number;
    return number == 0 ? 0.0 : sum / number;
  };
  hit_cycles_ = mean([](const Pattern& pattern) { return pattern.footprint() <= kSurelyFits; });
  miss_cycles_ =
      mean([](const Pattern& pattern) { return pattern.footprint() >= kSurelyNot && pattern.step >= 128; });
  constexpr double kLeastRatio = 1.2;  // below it is not two kinds of loads
  if (hit_cycles_ == 0 || miss_cycles_ < kLeastRatio * hit_cycles_) hit_cycles_ = miss_cycles_ = 0;
}

const Observation* Table::ask(const Pattern& pattern, Finding& finding) {
  // Of two rows the first counts; read_observations() has seen to it that they agree.
  for (const Observation& row : rows())
    if (row.pattern == pattern && row.measured()) return &row;
  if (!options_.measure) {
    finding.measure.push_back(pattern);
    return nullptr;
  }
  observations_.rows.push_back(options_.measure(pattern));
  if (observations_.rows.back().cycles) calibrate();
  return &observations_.rows.back();
}

std::optional<double> Table::miss_rate(const Observation& row) const {
  if (row.loads && row.load_misses) return *row.load_misses / *row.loads;
  if (row.miss_percent) return *row.miss_percent / 100;
  if (!row.cycles || miss_cycles_ == 0) return std::nullopt;
  return (*row.cycles - hit_cycles_) / (miss_cycles_ - hit_cycles_);
}

double Table::predicted_rate(const Observation& row, const Prediction& prediction) {
  if (row.load_misses) return static_cast<double>(prediction.misses) / static_cast<double>(prediction.loads);
  return static_cast<double>(prediction.steady_misses) / static_cast<double>(prediction.steady_loads);
}

std::optional<double> Table::late_miss_rate(const Observation& row, std::uint32_t sector_bytes) const {
  const std::optional<double> rate = miss_rate(row);
  if (!rate || !row.load_misses) return rate;
  const double late_loads = *row.loads - static_cast<double>(row.pattern.loads_per_round());
  const double late = *row.load_misses - first_misses(row.pattern, sector_bytes);
  return late_loads <= 0 ? *rate : late / late_loads;
}

std::optional<bool> Table::fits(const Observation& row, std::uint32_t sector_bytes) const {
  if (row.loads && row.load_misses)
    return *row.load_misses - first_misses(row.pattern, sector_bytes) <= tolerance() * *row.loads;
  const std::optional<double> rate = miss_rate(row);
  return rate ? std::optional(*rate <= tolerance()) : std::nullopt;
}

std::string Table::cite(const Observation& row) const {
  std::string result;
  if (row.load_misses)
    result = fmt::format("{:.2f} % of {:.0f} loads miss", 100 * *row.load_misses / *row.loads, *row.loads);
  else if (row.miss_percent)
    result = fmt::format("{:.2f} % of later loads miss", *row.miss_percent);
  else if (row.cycles)
    result = fmt::format("{:.1f} cycles per load", *row.cycles);
  if (row.store_misses)
    result += fmt::format("{}{:.2f} % of {:.0f} stores miss", result.empty() ? "" : ", ",
                          100 * *row.store_misses / *row.stores, *row.stores);
  return fmt::format("{}{}: {}", row.line == 0 ? "" : fmt::format("line {}: ", row.line), row.pattern.text(),
                     result);
}

}  // namespace warpscope::infer
