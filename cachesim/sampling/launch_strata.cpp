#include "cachesim/sampling/launch_strata.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <utility>

namespace warpscope {
namespace {

constexpr double kUnseenSpread = 0.2;  ///< standard deviation over mean, of what the features do not explain
/// Of the whole; a smaller one is not worth a stratum. Small launches of two sizes in one are: few draws of them miss one size as often
/// as not, and the interval is then too narrow (validation/notes/sampling.md).
constexpr double kLeastGain = 0.0001;
constexpr std::size_t kDrawsEach = 4;  ///< mean number of draws per stratum
/// Of a stratum. Of launches of two kinds two draws are equal half the time, three a quarter.
constexpr std::size_t kLeastDraws = 3;
constexpr double kWeightOfSteps = 2;  ///< over transactions: they say less well how long a launch takes

/// What draws are shared by, each in the unit of transactions: transactions, requests, steps.
using Sizes = std::array<double, 3>;

/// Sums over launches: enough for their standard deviation.
class Moments {
 public:
  explicit Moments(const Sizes& units) : units_(units) {}
  void add(const LaunchFeatures& one, double sign = 1) {
    const Sizes sizes = {one.transactions, one.requests, one.steps};
    count_ += sign;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double size = sizes[i] * units_[i];
      sums_[i] += sign * size;
      squares_[i] += sign * size * size;
    }
  }
  /// Number of launches times standard deviation.
  [[nodiscard]] double weight() const {
    if (count_ < 1) return 0;
    const auto squared = [](double value) { return value * value; };
    double variance = squared(kUnseenSpread * sums_[0] / count_) + squared(kUnseenSpread * sums_[2] / count_);
    for (std::size_t i = 0; i < sums_.size(); ++i)
      variance += std::max(0.0, squares_[i] / count_ - squared(sums_[i] / count_));
    return count_ * std::sqrt(variance);
  }

 private:
  Sizes units_;  ///< transactions of all launches over their other sizes
  double count_ = 0;
  Sizes sums_{}, squares_{};
};

using Members = std::vector<std::size_t>;

/// The best way to cut a stratum in two.
struct Cut {
  double gain = 0;
  Members first, second;
};

class Divider {
 public:
  Divider(const std::vector<LaunchFeatures>& features, std::size_t most) : features_(features), most_(most) {
    double transactions = 0, requests = 0, steps = 0;
    for (const LaunchFeatures& one : features) {
      transactions += one.transactions;
      requests += one.requests;
      steps += one.steps;
    }
    units_ = {1, requests == 0 ? 0 : transactions / requests,
              steps == 0 ? 0 : kWeightOfSteps * transactions / steps};
  }

  std::vector<Members> divide(std::vector<Members> kinds) {
    std::vector<Members> strata = at_most(std::move(kinds));
    std::vector<Cut> cuts;
    double all = 0;
    for (const Members& stratum : strata) {
      cuts.push_back(best_cut(stratum));
      all += moments_of(stratum).weight();
    }
    while (strata.size() < most_) {
      const auto best = std::max_element(cuts.begin(), cuts.end(),
                                         [](const Cut& a, const Cut& b) { return a.gain < b.gain; });
      if (best->gain <= kLeastGain * all) break;
      const auto position = best - cuts.begin();
      Cut cut = std::move(*best);
      cuts.push_back(best_cut(cut.second));
      cuts[static_cast<std::size_t>(position)] = best_cut(cut.first);
      strata[static_cast<std::size_t>(position)] = std::move(cut.first);
      strata.push_back(std::move(cut.second));
    }
    return strata;
  }
  [[nodiscard]] double weight_of(const Members& members) const { return moments_of(members).weight(); }

 private:
  [[nodiscard]] Moments moments_of(const Members& members) const {
    Moments moments(units_);
    for (const std::size_t member : members) moments.add(features_[member]);
    return moments;
  }

  /// The kinds, the smallest of them together where there are more than most_.
  [[nodiscard]] std::vector<Members> at_most(std::vector<Members> kinds) const {
    if (kinds.size() <= most_) return kinds;
    const auto size_of = [this](const Members& members) {
      double size = 0;
      for (const std::size_t member : members) size += features_[member].transactions;
      return size;
    };
    std::stable_sort(kinds.begin(), kinds.end(),
                     [&](const Members& a, const Members& b) { return size_of(a) > size_of(b); });
    for (std::size_t kind = most_; kind < kinds.size(); ++kind)
      kinds[most_ - 1].insert(kinds[most_ - 1].end(), kinds[kind].begin(), kinds[kind].end());
    kinds.resize(most_);
    return kinds;
  }

  /// Keeps the better of `best` and the best cut of `members` in order of `key`; equal keys stay together.
  template <class Key>
  void try_order(Members members, const Key& key, Cut& best) const {
    std::sort(members.begin(), members.end(),
              [&](std::size_t a, std::size_t b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
    Moments below(units_), above = moments_of(members);
    const double whole = above.weight();
    std::size_t found = 0;
    for (std::size_t i = 0; i + 1 < members.size(); ++i) {
      below.add(features_[members[i]]);
      above.add(features_[members[i]], -1);
      if (key(members[i]) == key(members[i + 1])) continue;
      const double gain = whole - below.weight() - above.weight();
      if (gain <= best.gain) continue;
      best.gain = gain;
      found = i + 1;
    }
    if (found == 0) return;
    const auto middle = members.begin() + static_cast<std::ptrdiff_t>(found);
    best.first.assign(members.begin(), middle);
    best.second.assign(middle, members.end());
  }

  [[nodiscard]] Cut best_cut(const Members& members) const {
    Cut best;
    try_order(
        members, [this](std::size_t member) { return features_[member].transactions; }, best);
    try_order(
        members,
        [this](std::size_t member) { return features_[member].requests / features_[member].transactions; },
        best);
    try_order(
        members, [this](std::size_t member) { return features_[member].steps; }, best);
    return best;
  }

  const std::vector<LaunchFeatures>& features_;
  std::size_t most_;
  Sizes units_{};
};

/// The next launch goes where it lowers the sum of weight² / count most.
void share(std::vector<LaunchStratum>& strata, const std::vector<double>& weights, std::size_t count) {
  std::priority_queue<std::pair<double, std::size_t>> queue;  // priority; of equal ones the later stratum
  const auto put = [&](std::size_t stratum) {
    const auto drawn = static_cast<double>(strata[stratum].count);
    if (strata[stratum].count < strata[stratum].members.size())
      queue.emplace(weights[stratum] / std::sqrt(drawn * (drawn + 1)), stratum);
  };
  for (std::size_t stratum = 0; stratum < strata.size(); ++stratum) {
    strata[stratum].count = std::min(kLeastDraws, strata[stratum].members.size());
    count -= std::min(count, strata[stratum].count);
    put(stratum);
  }
  for (; count != 0 && !queue.empty(); --count) {
    const std::size_t stratum = queue.top().second;
    queue.pop();
    ++strata[stratum].count;
    put(stratum);
  }
}

}  // namespace

std::vector<LaunchStratum> launch_strata(const std::vector<LaunchFeatures>& features,
                                         const std::vector<std::size_t>& kind_of, std::size_t count) {
  std::vector<Members> kinds;
  for (std::size_t launch = 0; launch < features.size(); ++launch) {
    kinds.resize(std::max(kinds.size(), kind_of[launch] + 1));
    kinds[kind_of[launch]].push_back(launch);
  }
  Divider divider(features, std::max<std::size_t>(1, count / kDrawsEach));
  std::vector<LaunchStratum> strata;
  for (Members& members : divider.divide(std::move(kinds))) {
    std::sort(members.begin(), members.end());
    strata.push_back({std::move(members), 0});
  }
  std::sort(strata.begin(), strata.end(),
            [](const auto& a, const auto& b) { return a.members.front() < b.members.front(); });
  std::vector<double> weights;
  weights.reserve(strata.size());
  for (const LaunchStratum& stratum : strata) weights.push_back(divider.weight_of(stratum.members));
  share(strata, weights, count);
  return strata;
}

}  // namespace warpscope
