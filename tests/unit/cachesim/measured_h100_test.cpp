// The preset's L1 against what an H100 did (validation/notes/h100.md): single loads in turn, and stores and loads of the same lines.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "cachesim/simulate/preset_cache.h"
#include "gpus/l1_shape.h"
#include "simulate.h"

namespace warpscope::test {
namespace {

/// The lines of a measured table, without its head.
std::vector<std::vector<std::string>> table(const std::string& name) {
  std::ifstream file(std::string(MEASURED_H100) + name);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::stringstream text(line);
    rows.emplace_back();
    for (std::string cell; std::getline(text, cell, ',');) rows.back().push_back(cell);
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

/// The L1 of the preset with a carve-out.
SimulationOptions h100(std::uint32_t carveout_kib) {
  const GpuPreset preset = load_preset("h100");
  const L1Shape shape = l1_shape(preset, carveout_kib);
  SimulationOptions options;
  options.cache = preset_cache(preset);
  options.cache.size_kib = shape.size_kib;
  options.cache.ways = shape.ways;
  options.cache.tag_sets = shape.tag_sets;
  options.classes = false;
  return options;
}

std::uint64_t misses(const Counts& counts, AccessKind kind) {
  return counts.of(kind).misses + counts.of(kind).sector_misses;
}

/// Misses of every round of loads of sectors in turn.
std::vector<double> rounds_of(std::uint64_t step_bytes, std::uint64_t places, std::size_t rounds) {
  std::vector<Transaction> loads;
  std::vector<double> found;
  double before = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::uint64_t place = 0; place < places; ++place)
      loads.push_back(transaction(place * step_bytes / 32, false));
    const auto now = static_cast<double>(misses(simulate(h100(32), {loads}).total(), AccessKind::Load));
    found.push_back(now - before);
    before = now;
  }
  return found;
}

TEST(MeasuredH100, LoadsInTurnMissAsOften) {
  double difference = 0, largest = 0;
  std::size_t patterns = 0;
  for (const std::vector<std::string>& row : table("cyclic.csv")) {
    constexpr std::size_t kRounds = 4;  // of ten: the first is cold
    const std::uint64_t places = std::stoull(row[1]);
    const std::vector<double> simulated = rounds_of(std::stoull(row[0]), places, kRounds);
    EXPECT_EQ(simulated[0], std::stod(row[2])) << "nothing is there: " << row[0] << " bytes, " << places;
    double off = 0;
    for (std::size_t round = 1; round < kRounds; ++round)
      off += std::abs(simulated[round] - std::stod(row[2 + round])) / static_cast<double>(places) /
             (kRounds - 1);
    difference += off;
    largest = std::max(largest, off);
    ++patterns;
  }
  ASSERT_EQ(patterns, 162u);
  const double mean = difference / static_cast<double>(patterns);
  RecordProperty("mean_difference", std::to_string(mean));
  EXPECT_LT(mean, 0.015) << "of the loads of a round";
  EXPECT_LT(largest, 0.35);
}

/// Runs steps as sets.cu and micro.cu write them on 64 lines.
Counts after(const std::string& steps) {
  std::vector<Transaction> all;
  for (std::size_t i = 0; i < steps.size(); i += 2)
    for (std::uint64_t line = 0; line < 64; ++line)
      all.push_back(transaction(line * 4 + static_cast<std::uint64_t>(steps[i + 1] - '0'), steps[i] == 'S'));
  return simulate(h100(32), {all}).total();
}

TEST(MeasuredH100, StoresAndLoadsOfTheSameLinesHitAsOften) {
  std::size_t compared = 0;
  for (const std::vector<std::string>& row : table("stores.csv")) {
    if (row[0].find_first_of("PAR") != std::string::npos)
      continue;  // parts of sectors and atomics: tests/validation/DEVIATIONS.md
    SCOPED_TRACE(row[0]);
    const Counts counts = after(row[0]);
    EXPECT_EQ(counts.of(AccessKind::Load).hits, std::stoull(row[2]));
    EXPECT_EQ(misses(counts, AccessKind::Load), std::stoull(row[3]));
    EXPECT_EQ(counts.of(AccessKind::Store).hits, std::stoull(row[4]));
    EXPECT_EQ(misses(counts, AccessKind::Store), std::stoull(row[5]));
    ++compared;
  }
  EXPECT_EQ(compared, 17u);
}

}  // namespace
}  // namespace warpscope::test
