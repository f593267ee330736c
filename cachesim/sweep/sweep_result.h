#pragma once
// What a sweep found, and its files: JSON and CSV as docs/tools/sweep.md describes them, tables for the terminal.
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>

#include "cachesim/sweep/miss_curve.h"
#include "cachesim/sweep/sweep_unit.h"
#include "cachesim/transactions/transaction_sink.h"
#include "gpus/preset.h"

namespace warpscope {

/// Caches that differ only in their ways, by capacity.
struct SweepCurve {
  std::vector<std::size_t> cells;  ///< indices, ascending capacity
  std::vector<std::size_t> knees;  ///< those at knees of the curve
};

struct SweepResult {
  std::string input_name;  ///< without directories; "-" = standard input
  std::string input_kind, coalescing;
  std::optional<GpuPreset> preset;
  std::uint64_t seed = 1;
  bool partial = false, keep_l1 = false, classes = false;
  StreamHeader header;
  struct Traffic {
    std::uint32_t transaction_bytes = 0;
    Counts counts;
  };
  std::vector<Traffic> traffic;  ///< indexed by size of transactions
  std::vector<SweepCell> cells;  ///< by transaction size, line, sector, index, replacement, write policy,
                                 ///< sets, ways; a preset's own point may follow
  std::optional<std::size_t> preset_cell;
  /// KiB of that cell by launch, where local memory leaves the launches different ones (the cell has the
  /// largest).
  std::vector<std::uint64_t> preset_kib;
  std::uint64_t refused = 0;  ///< combinations that make no cache
  std::string why_refused;
  std::size_t stacks = 0;  ///< lists that gave LRU caches of all associativities
  std::size_t single = 0;  ///< caches simulated one by one
  double seconds = 0;      ///< seconds of reading and simulating; printed on the terminal only
  /// From the cells, by derive():
  std::vector<std::size_t>
      best;  ///< sorted by capacity: caches that miss at least 1 % fewer loads than any smaller one
  std::vector<SweepCurve> curves;  ///< curves of three and more caches
};

/// Loads that miss in percent of those looked up; nullopt without loads.
std::optional<double> load_miss_rate(const SweepCell& cell);
/// Fills `best` and `curves`.
void derive(SweepResult& result);

nlohmann::ordered_json sweep_json(const SweepResult& result);
std::string sweep_csv(const SweepResult& result);
/// Tables with `top` rows.
void write_sweep_report(const SweepResult& result, std::size_t top, std::ostream& out);

}  // namespace warpscope
