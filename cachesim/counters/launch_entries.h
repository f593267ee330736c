#pragma once
// launches[] and launch_groups[] of result.json (RESULT.md): made element by element, when they are written.
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "cachesim/counters/kernel_names.h"
#include "cachesim/counters/launch_records.h"
#include "traces/files/output_file.h"
#include "traces/program/launch_selection.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// The elements of a JSON array.
struct JsonEntries {
  std::size_t size = 0;
  std::function<nlohmann::ordered_json(std::size_t)> entry;
};

/// A result whose arrays `launches` and `launch_groups` (null in `json`, or missing there) are made when they
/// are written.
struct ResultJson {
  nlohmann::ordered_json json;
  JsonEntries launches, groups;
  /// All in one: for results with few launches.
  [[nodiscard]] nlohmann::ordered_json whole() const;
};

/// Writes what whole().dump(1) would be, and a newline, without making it.
void write_json(const ResultJson& result, OutputFile& file);

/// Sums of what the timed engine says about the launches of a group (docs/tools/timed.md).
struct TimingSums {
  static constexpr const char* kNames[] = {
      "cycles",
#define TIMING_COUNTER(name, key, ...) key,
#define TIMING_CORE_COUNTER(...)
#include "cachesim/access/counters.def"
  };
  static constexpr std::size_t kSums = std::size(kNames);
  std::uint64_t sums[kSums] = {};
  double load_latency = 0;  ///< over all loads
  void add(const nlohmann::json& timing);
  [[nodiscard]] nlohmann::ordered_json json() const;
};

/// Identical launches: kernel, sizes, L1, and every counter.
class LaunchGroups {
 public:
  struct Group {
    std::size_t first = 0;  ///< position of its first launch
    NumberRanges launches;  ///< their numbers
    std::uint64_t count = 0;
    std::unique_ptr<TimingSums> timing;  ///< null: the engine knows no time
  };
  /// Reads every record once. `kernels` names those of the launches.
  LaunchGroups(const LaunchList& launches, const LaunchRecords& records, const KernelNames& kernels);
  /// By their first launch.
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
  /// The smallest and the largest L1 of all launches, KiB.
  [[nodiscard]] std::uint64_t least_l1_kib() const { return least_l1_kib_; }
  [[nodiscard]] std::uint64_t most_l1_kib() const { return most_l1_kib_; }

 private:
  std::vector<Group> groups_;
  std::uint64_t least_l1_kib_ = ~std::uint64_t{0}, most_l1_kib_ = 0;
};

}  // namespace warpscope
