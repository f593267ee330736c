// The tables of a sweep for the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cachesim/sweep/sweep_result.h"
#include "traces/base/printable.h"

namespace warpscope {
namespace {

std::string with_commas(std::uint64_t value) {
  return value < 1000 ? fmt::format("{}", value)
                      : fmt::format("{},{:03}", with_commas(value / 1000), value % 1000);
}

std::string cell_row(const SweepResult& result, std::size_t number) {
  const SweepCell& cell = result.cells[number];
  const CacheConfig& config = cell.config;
  const auto rate = load_miss_rate(cell);
  return fmt::format("  {:>8}  {:>4}  {:>6}  {:>5}  {:>5}  {:<10}  {:<11}  {:<5}  {:>15}  {:>9}{}\n",
                     config.size_kib, config.line_bytes, config.transaction_bytes(), config.sets(),
                     config.ways, config.set_index, config.replacement, config.write_policy,
                     with_commas(cell.counts.of(AccessKind::Load).misses),
                     rate ? fmt::format("{:.2f} %", *rate) : "-",
                     result.preset_cell == number ? "  <- " + quotable(result.preset->name) : "");
}

void write_summary(const SweepResult& result, std::ostream& out) {
  out << fmt::format("{}: {} caches", quotable(result.input_name), with_commas(result.cells.size()));
  if (result.stacks > 0)
    out << fmt::format(", {} of them LRU from {} list{}", with_commas(result.cells.size() - result.single),
                       result.stacks, result.stacks == 1 ? "" : "s");
  if (result.single > 0) out << fmt::format(", {} simulated one by one", with_commas(result.single));
  out << fmt::format("; {} core{}\n", result.header.cores, result.header.cores == 1 ? "" : "s");
  for (const auto& traffic : result.traffic) {
    std::uint64_t transactions = 0;
    for (const KindCounts& kind : traffic.counts.kind) transactions += kind.transactions;
    const KindCounts& loads = traffic.counts.of(AccessKind::Load);
    out << fmt::format("{} bytes at a time: {} transactions, {} of loads\n", traffic.transaction_bytes,
                       with_commas(transactions), with_commas(loads.transactions - loads.bypasses));
  }
  if (result.preset && !result.preset->not_validated.empty())
    out << fmt::format("not validated: {} ({})\n", printable(result.preset->not_validated),
                       printable(result.preset->name));
  if (result.refused > 0)
    out << fmt::format("{} combinations make no cache, for example: {}\n", with_commas(result.refused),
                       result.why_refused);
  out << "\n";
}

/// The curve whose caches come to the lowest miss rate; nullptr if none has a knee.
const SweepCurve* curve_to_show(const SweepResult& result) {
  const SweepCurve* shown = nullptr;
  for (const SweepCurve& curve : result.curves) {
    if (curve.knees.empty()) continue;
    const auto at_end = [&](const SweepCurve& c) { return *load_miss_rate(result.cells[c.cells.back()]); };
    if (shown == nullptr || at_end(curve) < at_end(*shown)) shown = &curve;
  }
  return shown;
}

}  // namespace

void write_sweep_report(const SweepResult& result, std::size_t top, std::ostream& out) {
  constexpr const char* kHeader =
      "  size KiB  line  sector   sets   ways  index       replacement  write      load misses  miss rate\n";
  write_summary(result, out);
  if (result.best.empty()) {
    out << "No loads were looked up: nothing to compare.\n";
    return;
  }
  out << "Best by capacity (each misses at least 1 % fewer loads than all smaller ones)\n" << kHeader;
  // The middle of a long list says least: the ends of the trade stay.
  const std::size_t rows = result.best.size(), head = std::min(rows, top),
                    tail = head < rows && head > 1 ? 1 : 0;
  for (std::size_t i = 0; i < head - tail; ++i) out << cell_row(result, result.best[i]);
  if (head < rows) out << fmt::format("  … {} more\n", rows - head);
  if (tail > 0) out << cell_row(result, result.best.back());
  if (result.preset_cell) out << "\nThe hardware's own\n" << kHeader << cell_row(result, *result.preset_cell);
  if (!result.preset_kib.empty())
    out << fmt::format(
        "  Local memory leaves the launches different L1s, the smallest of {} KiB: each had its own.\n",
        *std::min_element(result.preset_kib.begin(), result.preset_kib.end()));
  if (const SweepCurve* curve = curve_to_show(result); curve != nullptr) {
    out << fmt::format(
               "\nKnees over the ways, {} sets: beyond them a KiB more saves less than half as much\n",
               result.cells[curve->cells.front()].config.sets())
        << kHeader;
    for (std::size_t i = 0; i < std::min(curve->knees.size(), top); ++i)
      out << cell_row(result, curve->knees[i]);
  }
}

}  // namespace warpscope
