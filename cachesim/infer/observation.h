#pragma once
// What is measured to learn about a cache, and what came out: the rows of an observation file
// (docs/tools/infer.md).
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace warpscope::infer {

enum class PatternKind : std::uint8_t {
  Chase,          ///< one lane loads the places in turn, each load waiting for the last
  StoreLoad,      ///< stores to every place, then loads of every place
  LoadStoreLoad,  ///< loads, stores, loads of every place
  StoreStore,     ///< stores to every place, twice
};

/// Place 0 is the first byte of a buffer aligned to its size, kSpan or the mask's next power of two. The place
/// after `place` is ((place | ~mask) + step) & mask: with a mask of all ones a walk in steps of `step` bytes,
/// with step 1 a walk through every combination of the mask's address bits.
struct Pattern {
  PatternKind kind = PatternKind::Chase;
  std::uint32_t mask = 0xFFFFFFFFu;
  std::uint32_t step = 32;   ///< bytes
  std::uint64_t places = 1;  ///< places of a round
  std::uint32_t rounds = 1;  ///< the same round again; the cache is empty before the first
  std::uint64_t hot = 0;     ///< > 0: the first `hot` places are walked again after every hot/2 of the others
  auto operator<=>(const Pattern&) const = default;

  [[nodiscard]] std::uint64_t footprint() const { return places * step; }  ///< bytes; of a mask of all ones
  [[nodiscard]] bool is_circle() const {
    return kind == PatternKind::Chase && mask == 0xFFFFFFFFu && hot == 0;
  }
  [[nodiscard]] std::uint64_t loads_per_round() const;
  [[nodiscard]] std::string text() const;  ///< the pattern as text for people
};

constexpr int kTopBit = 21;     ///< highest address bit that most patterns vary
constexpr int kFarTopBit = 26;  ///< highest such bit for set indexes of caches with many ways
constexpr std::uint32_t kSpan = 1u << (kTopBit + 1);          ///< bytes of the buffer of most patterns
constexpr std::uint64_t kMostLoads = std::uint64_t{1} << 28;  ///< most loads of a row

/// Byte offsets of one round, in order.
std::vector<std::uint32_t> addresses(const Pattern& pattern);

/// A pattern and what was counted or timed. Absent = not measured.
struct Observation {
  Pattern pattern;
  std::size_t line = 0;  ///< line of the file, from 1; 0 = simulated
  std::optional<double> loads{}, load_misses{}, stores{}, store_misses{};  ///< counts of all rounds
  std::optional<double> miss_percent{};  ///< share of the loads that miss, after the first round
  std::optional<double> cycles{};  ///< cycles per load, after the first round (of a single round: in it)
  [[nodiscard]] bool measured() const { return load_misses || store_misses || miss_percent || cycles; }
};

struct Observations {
  std::string file;
  std::deque<Observation> rows;  ///< a deque: further rows move none
};

/// Reads an observation file or a CSV of hw-profile; "-" is standard input. Throws InputError: cannot be
/// read, missing or unknown columns, no measured row, a value that is no number or impossible, the same
/// pattern twice with results that differ.
Observations read_observations(const std::string& path);
/// The same without any result needed: a plan of what to measure.
Observations read_plan(const std::string& path);
/// The file with these rows; results that are absent stay empty.
std::string observations_csv(const std::deque<Observation>& rows, const std::string& comment);

const char* kind_name(PatternKind kind);

}  // namespace warpscope::infer
