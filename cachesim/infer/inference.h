#pragma once
// From measurements to a cache, with the evidence: what is measured forces every value, or the value is not
// given.
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cachesim/infer/model.h"
#include "cachesim/infer/observation.h"

namespace warpscope::infer {

enum class Status : std::uint8_t { Found, Ambiguous, Unknown };

/// What is said about one property.
struct Finding {
  std::string name;   ///< key in the JSON output
  std::string title;  ///< title for people, with the unit
  Status status = Status::Unknown;
  nlohmann::ordered_json value{};       ///< Found: the value; Ambiguous: the list of what is left, or a range
  std::string text{};                   ///< the value for people
  std::vector<std::string> evidence{};  ///< the measurements that force it
  std::vector<std::string> excluded{};  ///< excluded values, each with a measurement that contradicts it
  std::vector<Pattern> measure{};       ///< measurements that would settle the question, or narrow it
};

struct InferenceOptions {
  double tolerance_per_mille = 5;  ///< differences of counts up to this share of the loads are noise
  /// Measures what the observations lack; empty: it is asked for in Finding::measure.
  std::function<Observation(const Pattern&)> measure;
};

/// The rows, how to compare them with predictions, and how to get more.
class Table {
 public:
  /// Throws InputError when rows contradict each other.
  Table(Observations observations, InferenceOptions options);

  /// The row of this pattern; measures it where that is possible, else notes it in `finding` and gives null.
  const Observation* ask(const Pattern& pattern, Finding& finding);
  [[nodiscard]] const std::deque<Observation>& rows() const { return observations_.rows; }
  /// The file that the rows come from; empty: simulated.
  [[nodiscard]] const std::string& file() const { return observations_.file; }
  /// Misses per load: of all rounds where they were counted, else after the first round. Absent where the row
  /// has neither, or times that are the same.
  [[nodiscard]] std::optional<double> miss_rate(const Observation& row) const;
  /// The same as a hypothesis predicts it.
  [[nodiscard]] static double predicted_rate(const Observation& row, const Prediction& prediction);
  /// Misses per load beyond each sector's first one.
  [[nodiscard]] std::optional<double> late_miss_rate(const Observation& row,
                                                     std::uint32_t sector_bytes) const;
  /// Whether there are no misses beyond each sector's first one, but for noise.
  [[nodiscard]] std::optional<bool> fits(const Observation& row, std::uint32_t sector_bytes) const;
  [[nodiscard]] double tolerance() const { return options_.tolerance_per_mille / 1000; }
  /// "line 12: 100 places …: 3.1 % of the loads miss"
  [[nodiscard]] std::string cite(const Observation& row) const;
  [[nodiscard]] bool can_measure() const { return static_cast<bool>(options_.measure); }
  /// What cycles of a hit and of a miss were found to be; 0 = no timings or no difference.
  [[nodiscard]] double hit_cycles() const { return hit_cycles_; }
  [[nodiscard]] double miss_cycles() const { return miss_cycles_; }
  void calibrate();

 private:
  Observations observations_;
  InferenceOptions options_;
  double hit_cycles_ = 0, miss_cycles_ = 0;
};

/// What is known so far; later steps build on earlier ones.
struct Known {
  std::optional<bool> caches_loads;
  std::optional<std::uint32_t> sector_bytes, line_bytes, sets, ways;
  std::optional<std::uint64_t> capacity_bytes;
  std::optional<std::uint64_t> capacity_below;  ///< upper bound of a capacity that is known from above only
  std::string replacement = "LRU";              ///< a policy that fits
};

/// Highest address bit that tells the set index of such a cache: with it there are as many bits as a set's
/// ways need and one more of which none is folded into a given set bit, where folds put every log2(sets)-th
/// address bit there. From kTopBit to kFarTopBit. `sets` is a power of two, 2 or more.
int index_top_bit(std::uint32_t line_bytes, std::uint32_t sets, std::uint32_t ways);
Finding infer_caching(Table& table, Known& known);
Finding infer_sector(Table& table, Known& known);
Finding infer_capacity(Table& table, Known& known);
Finding infer_line(Table& table, Known& known);
/// Ways, then the replacement class: one search finds both.
std::vector<Finding> infer_ways_and_replacement(Table& table, Known& known);
Finding infer_set_index(Table& table, Known& known);
Finding infer_store_allocation(Table& table, Known& known);

/// All of them, in this order.
std::vector<Finding> infer(Table& table);

}  // namespace warpscope::infer
