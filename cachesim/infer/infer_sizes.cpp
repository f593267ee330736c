// Whether loads are cached, and sector, capacity and line. Methods: R. Saavedra, A. Smith, "Measuring Cache
// and TLB Performance and Their Effect on Benchmark Runtimes", IEEE Transactions on Computers 44(10), 1995;
// for GPUs H. Wong et al., "Demystifying GPU Microarchitecture through Microbenchmarking", ISPASS 2010, and
// X. Mei, X. Chu, "Dissecting GPU Memory Hierarchy through Microbenchmarking", IEEE TPDS 28(1), 2017.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "cachesim/infer/inference.h"
#include "traces/base/error.h"

namespace warpscope::infer {
namespace {

constexpr std::uint32_t kRounds = 8;
constexpr std::uint64_t kFar = kSpan / 2;  // no L1 holds this

Pattern circle(std::uint64_t footprint, std::uint32_t step, std::uint32_t rounds = kRounds) {
  return {.step = step, .places = footprint / step, .rounds = rounds};
}

std::string percent(double rate) {
  return fmt::format("{:.2f} %", 100 * rate);
}

}  // namespace

Finding infer_caching(Table& table, Known& known) {
  Finding finding{.name = "caches_global_loads", .title = "global loads are cached"};
  constexpr double kMost = 0.5;  // even an 8-byte line halves the misses of 4-byte steps
  Pattern tiny = circle(1024, 4);
  const Observation* row = nullptr;
  for (const Observation& one : table.rows())  // any small region that is read again and again
    if (one.measured() && one.pattern.is_circle() && one.pattern.footprint() <= 4096 &&
        (one.pattern.rounds >= 4 || !one.load_misses))
      row = row == nullptr || one.pattern.footprint() < row->pattern.footprint() ? &one : row;
  if (row == nullptr) row = table.ask(tiny, finding);
  const Observation* far = nullptr;
  for (const Observation& one : table.rows())
    if (one.cycles && one.pattern.is_circle() && one.pattern.footprint() >= kSpan / 2) far = &one;
  if (row != nullptr && row->cycles && far == nullptr) far = table.ask(circle(kFar, 128, 2), finding);
  if (row == nullptr || (row->cycles && far == nullptr)) return finding;
  const std::optional<double> rate = table.miss_rate(*row);
  const bool cached = rate && *rate < kMost;
  known.caches_loads = cached;
  finding.status = Status::Found;
  finding.value = cached;
  finding.text = cached ? "yes" : "no";
  finding.evidence.push_back(table.cite(*row));
  if (!rate)
    finding.evidence.emplace_back(
        "loads far beyond any L1 take as long: no difference between hits and misses");
  finding.excluded.push_back(cached ? "no cache: every load would miss"
                                    : "a cache: most of these loads would hit");
  return finding;
}

Finding infer_sector(Table& table, Known& known) {
  Finding finding{.name = "sector_bytes", .title = "bytes that a miss brings in (sector)"};
  std::vector<std::uint32_t> left;
  for (std::uint32_t bytes = 8; bytes <= 1024; bytes *= 2) left.push_back(bytes);
  // From a region that no L1 holds, one load of every sector misses: step / sector of them.
  std::vector<Pattern> chosen;
  for (const Observation& row : table.rows())
    if (row.measured() && row.pattern.is_circle() && row.pattern.footprint() >= kSpan / 4 &&
        row.pattern.step >= 8)
      chosen.push_back(row.pattern);
  if (chosen.empty() || table.can_measure())
    for (std::uint32_t step = 16; step <= 256; step *= 2) chosen.push_back(circle(kFar, step, 2));
  const double tolerance = std::max(0.02, table.tolerance());
  const auto compare = [&](const Pattern& pattern) {
    const Observation* row = table.ask(pattern, finding);
    const std::optional<double> rate = row == nullptr ? std::nullopt : table.miss_rate(*row);
    if (!rate) return;
    finding.evidence.push_back(table.cite(*row));
    std::erase_if(left, [&](std::uint32_t bytes) {
      const double expected = std::min(1.0, static_cast<double>(pattern.step) / bytes);
      const bool contradicted = std::abs(*rate - expected) > tolerance;
      if (contradicted)
        finding.excluded.push_back(fmt::format("{} bytes: {} of the loads {} bytes apart would miss, not {}",
                                               bytes, percent(expected), pattern.step, percent(*rate)));
      return contradicted;
    });
  };
  for (const Pattern& pattern : chosen) compare(pattern);
  if (table.can_measure() && left.size() > 1) compare(circle(kFar, 8, 2));
  if (finding.evidence.empty()) return finding;
  if (left.size() == 1) {
    known.sector_bytes = left.front();
    finding.status = Status::Found;
    finding.value = left.front();
    finding.text = std::to_string(left.front());
  } else {
    finding.status = left.empty() ? Status::Unknown : Status::Ambiguous;
    finding.value = left;
    finding.text =
        left.empty() ? "none of 8 to 1024 fits" : fmt::format("{} to {}", left.front(), left.back());
    for (std::uint32_t step = 8; step <= 256 && !table.can_measure(); step *= 2)
      if (step < left.back()) table.ask(circle(kFar, step, 2), finding);
  }
  return finding;
}

namespace {

/// The largest region without misses after the first round, and the smallest with them.
struct Bounds {
  const Observation* fits = nullptr;
  const Observation* overflows = nullptr;
};

Bounds bounds_of(const Table& table, std::uint32_t sector_bytes, std::uint32_t longest_step) {
  Bounds bounds;
  for (const Observation& row : table.rows()) {
    const Pattern& pattern = row.pattern;
    if (!row.measured() || !pattern.is_circle() || pattern.step > longest_step ||
        !std::has_single_bit(pattern.step) || (row.load_misses && pattern.rounds < 2))
      continue;
    const std::optional<bool> fits = table.fits(row, sector_bytes);
    if (!fits) continue;
    const Observation*& best = *fits ? bounds.fits : bounds.overflows;
    if (best == nullptr || (pattern.footprint() > best->pattern.footprint()) == *fits) best = &row;
  }
  if (bounds.fits != nullptr && bounds.overflows != nullptr &&
      bounds.fits->pattern.footprint() >= bounds.overflows->pattern.footprint())
    throw InputError(fmt::format(
        "{}contradictory rows: {}, but {}; expected no region to fit that is larger than one that does "
        "not; remove the wrong row, or raise --tolerance if this is noise",
        table.file().empty() ? "" : table.file() + ": ", table.cite(*bounds.overflows),
        table.cite(*bounds.fits)));
  return bounds;
}

/// Where to look next: powers of two as long as one side is open, then eighths of what is between the bounds.
std::vector<std::uint64_t> next_footprints(const Bounds& bounds, std::uint32_t sector) {
  std::vector<std::uint64_t> result;
  if (bounds.fits == nullptr || bounds.overflows == nullptr) {
    for (std::uint64_t bytes = 1024; bytes <= kSpan / 2; bytes *= 2) result.push_back(bytes);
    return result;
  }
  const std::uint64_t low = bounds.fits->pattern.footprint(), high = bounds.overflows->pattern.footprint();
  for (std::uint64_t part = 1; part < 8; ++part) {
    const std::uint64_t bytes = (low + (high - low) * part / 8) / sector * sector;
    if (bytes > low && bytes < high && (result.empty() || result.back() != bytes)) result.push_back(bytes);
  }
  return result;
}

}  // namespace

Finding infer_capacity(Table& table, Known& known) {
  Finding finding{.name = "capacity_bytes", .title = "capacity, bytes"};
  const std::uint32_t sector = known.sector_bytes.value_or(32);
  constexpr std::uint32_t kLikelyLine = 128;
  const std::uint32_t longest_step = known.sector_bytes.value_or(kLikelyLine);
  Bounds bounds = bounds_of(table, sector, longest_step);
  for (int turn = 0; turn < 16; ++turn) {
    const std::vector<std::uint64_t> wanted = next_footprints(bounds, sector);
    const std::size_t before = table.rows().size();
    for (const std::uint64_t bytes : wanted) table.ask(circle(bytes, sector), finding);
    bounds = bounds_of(table, sector, longest_step);
    if (table.rows().size() == before) break;
  }
  for (const Observation* row : {bounds.fits, bounds.overflows})
    if (row != nullptr) finding.evidence.push_back(table.cite(*row));
  if (bounds.fits == nullptr || bounds.overflows == nullptr) {
    if (bounds.fits != nullptr) finding.text = fmt::format("at least {}", bounds.fits->pattern.footprint());
    if (bounds.overflows != nullptr)
      finding.text = fmt::format("less than {}", bounds.overflows->pattern.footprint());
    return finding;
  }
  if (const std::uint32_t step = std::max(bounds.fits->pattern.step, bounds.overflows->pattern.step);
      step > sector)
    finding.evidence.push_back(
        fmt::format("supposing lines of at least {} bytes, which this file does not show", step));
  known.capacity_below = bounds.overflows->pattern.footprint();
  const std::uint64_t low = bounds.fits->pattern.footprint(), high = bounds.overflows->pattern.footprint();
  finding.excluded.push_back(fmt::format("less than {}: these loads would not all hit", low));
  finding.excluded.push_back(fmt::format("{} or more: these loads would all hit", high));
  // Whatever the policy, lines that are too many miss once per round each: so many may hide in the noise.
  constexpr double kClear = 2;
  const double overflow = table.late_miss_rate(*bounds.overflows, sector).value_or(0);
  if (high - low <= sector && overflow < kClear * table.tolerance()) {
    const auto least = static_cast<std::uint64_t>(static_cast<double>(low) * (1 - table.tolerance()));
    finding.status = Status::Ambiguous;
    finding.value = {least, low};
    finding.text = fmt::format(
        "from {} to {}: beyond it the misses rise so slowly ({}) that some may pass for noise; with "
        "exact counts use a smaller --tolerance",
        least, low, percent(overflow));
    return finding;
  }
  if (high - low <= sector && known.sector_bytes) {
    known.capacity_bytes = low;
    finding.status = Status::Found;
    finding.value = low;
    finding.text = fmt::format("{} ({:g} KiB)", low, static_cast<double>(low) / 1024);
    finding.measure.clear();
  } else {
    finding.status = Status::Ambiguous;
    finding.value = {low, high - 1};
    finding.text = fmt::format("from {} up to below {} ({:g} to {:g} KiB)", low, high,
                               static_cast<double>(low) / 1024, static_cast<double>(high) / 1024);
  }
  return finding;
}

/// Steps of an odd number of sectors beyond the line touch one sector in each of as many lines as there are
/// tags; steps that are shorter than the line touch every line. So a region a little larger than the capacity
/// fits only if lines are short enough.
Finding infer_line(Table& table, Known& known) {
  Finding finding{.name = "line_bytes", .title = "bytes under one tag (line)"};
  if (!known.capacity_bytes || !known.sector_bytes) {
    finding.text = "needs sector and capacity first";
    return finding;
  }
  // Where lines are too long there are a quarter too many: whatever the policy, at least a fifth of them
  // misses in every round (LRU: all).
  constexpr double kFew = 0.15;
  const std::uint32_t sector = *known.sector_bytes;
  std::array<const Observation*, 4> rows{};
  for (std::uint32_t shift = 0; shift < rows.size(); ++shift) {
    const std::uint32_t line = sector << shift, step = shift == 0 ? 3 * sector : 2 * line - sector;
    const std::uint64_t capacity = *known.capacity_bytes;
    const std::uint64_t region = shift == 0 ? 2 * capacity : shift == 1 ? capacity * 5 / 4 : capacity * 4 / 3;
    rows[shift] = table.ask(circle(region, step), finding);
  }
  if (!finding.measure.empty()) return finding;
  for (std::uint32_t shift = 0; shift < rows.size(); ++shift) {
    const Observation* row = rows[shift];
    const std::uint32_t line = sector << shift;
    const std::optional<double> late = table.late_miss_rate(*row, sector);
    if (!late) return finding;
    finding.evidence.push_back(table.cite(*row));
    if (*late > kFew) {
      finding.excluded.push_back(fmt::format(
          "up to {} bytes: {} of later loads miss though so many lines would fit", line, percent(*late)));
      continue;
    }
    finding.excluded.push_back(fmt::format(
        "more than {} bytes: there would be no room for the lines that these places are in", line));
    if (*known.capacity_bytes % line != 0) {
      finding.text = fmt::format("{} bytes would fit, but the capacity is not a multiple of it", line);
      return finding;
    }
    known.line_bytes = line;
    finding.status = Status::Found;
    finding.value = line;
    finding.text = std::to_string(line);
    return finding;
  }
  finding.text = fmt::format("more than {} bytes", sector << 3);
  return finding;
}

Finding infer_store_allocation(Table& table, Known& known) {
  Finding finding{.name = "store_allocation", .title = "what a store does"};
  const std::uint32_t line = known.line_bytes.value_or(128);
  const auto row_of = [&](PatternKind kind) -> std::optional<Observation> {
    for (const Observation& row : table.rows())
      if (row.measured() && row.pattern.kind == kind) return row;
    const Observation* row = table.ask({.kind = kind, .step = line, .places = 32, .rounds = 1}, finding);
    return row == nullptr ? std::nullopt : std::optional(*row);
  };
  const auto cold = row_of(PatternKind::StoreLoad), warm = row_of(PatternKind::LoadStoreLoad),
             twice = row_of(PatternKind::StoreStore);
  const auto misses_more_than = [&](const Observation& row, double least) {
    const std::optional<double> rate = table.miss_rate(row);
    return rate ? std::optional(*rate > least) : std::nullopt;
  };
  std::optional<bool> allocates, removes;
  if (cold) allocates = misses_more_than(*cold, 0.5);
  if (allocates) allocates = !*allocates;
  if (!allocates && twice && twice->store_misses) allocates = *twice->store_misses / *twice->stores < 0.75;
  // Counters of load-store-load hold the first loads, which miss: half of all; times are those of the last
  // loads.
  if (warm) removes = misses_more_than(*warm, warm->load_misses ? 0.75 : 0.5);
  for (const auto& row : {cold, warm, twice})
    if (row) finding.evidence.push_back(table.cite(*row));
  if (!allocates || !removes) {
    if (allocates || removes) finding.status = Status::Ambiguous;
    if (allocates) finding.text = *allocates ? "a store miss allocates" : "a store miss does not allocate";
    if (removes) finding.text = *removes ? "a store hit removes the line" : "a store hit leaves the line";
    finding.value = finding.text;
    return finding;
  }
  finding.status = Status::Found;
  finding.value = *allocates ? "allocate" : *removes ? "no-allocate-evict" : "no-allocate";
  finding.text = std::string(*allocates ? "a miss allocates" : "a miss does not allocate") + ", " +
                 (*removes ? "a hit removes the line" : "a hit leaves the line");
  finding.excluded.push_back(*allocates ? "no allocation: loads of what was stored would miss"
                                        : "allocation: loads of what was stored would hit");
  finding.excluded.push_back(*removes ? "hits that leave the line: the last loads would hit"
                                      : "hits that remove the line: the last loads would miss");
  finding.evidence.emplace_back(
      "write-back or write-through does not follow from hits: measure the writes to the L2");
  return finding;
}

std::vector<Finding> infer(Table& table) {
  Known known;
  std::vector<Finding> findings{infer_caching(table, known)};
  if (known.caches_loads == false) return findings;
  findings.push_back(infer_sector(table, known));
  findings.push_back(infer_capacity(table, known));
  findings.push_back(infer_line(table, known));
  for (Finding& finding : infer_ways_and_replacement(table, known)) findings.push_back(std::move(finding));
  findings.push_back(infer_set_index(table, known));
  findings.push_back(infer_store_allocation(table, known));
  return findings;
}

}  // namespace warpscope::infer
