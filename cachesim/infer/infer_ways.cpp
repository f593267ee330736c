// Ways and replacement class: every (ways, policy) that the capacity admits is simulated on every such row,
// and the ones that contradict a measurement go. How many lines of a circle one line too long miss tells the
// ways (Wong et al., ISPASS 2010: with LRU exactly the lines of one set); which of them miss when a part is
// used again and again tells the policy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cachesim/infer/inference.h"
#include "cachesim/l1/l1_cache.h"

namespace warpscope::infer {
namespace {

struct Candidate {
  std::uint32_t ways = 1;
  std::string policy;
};

/// Rows to compare with, the cheapest first: each leaves fewer candidates for the next.
std::vector<Pattern> patterns_for(std::uint64_t lines, std::uint32_t line) {
  std::vector<Pattern> result;
  for (const std::uint64_t places : {lines + 1, lines + 4, lines + 16, lines + lines / 4, 2 * lines})
    result.push_back({.step = line, .places = places, .rounds = 8});
  // Half of the cache in use again after a quarter of other lines: LRU keeps it, FIFO does not. Three
  // quarters of it again after half as many: too much for LRU, while policies that tell used lines from new
  // ones keep a part.
  for (const std::uint64_t part : {lines / 2, lines * 3 / 4})
    if (const std::uint64_t hot = part / 2 * 2; hot >= 2)
      result.push_back({.step = line, .places = 2 * lines + hot, .rounds = 3, .hot = hot});
  return result;
}

Hypothesis hypothesis_of(const Known& known, std::uint64_t lines, const Candidate& candidate) {
  return {.line_bytes = *known.line_bytes,
          .sector_bytes = *known.sector_bytes,
          .sets = static_cast<std::uint32_t>(lines / candidate.ways),
          .ways = candidate.ways,
          .replacement = candidate.policy};
}

/// Random replacement is compared with one sequence of random numbers: it may be off by this share of the
/// loads.
constexpr double kRandomTolerance = 0.03;

class Search {
 public:
  Search(Table& table, const Known& known, std::uint64_t lines)
      : table_(table), known_(known), lines_(lines) {
    for (std::uint32_t ways = 1; ways <= lines; ++ways) {
      if (lines % ways != 0) continue;
      // A direct-mapped cache has nothing to choose. Policies of caches with more tags than lines need other models.
      for (const ReplacementEntry& entry : replacement_policies())
        if (!entry.takes_spare_tags && (ways > 1 || std::string(entry.name) == "LRU"))
          left_.push_back({ways, entry.name});
    }
  }
  void compare(const Observation& row) {
    const std::optional<double> rate = table_.miss_rate(row);
    if (!rate) return;
    evidence_.push_back(table_.cite(row));
    std::erase_if(left_, [&](const Candidate& candidate) {
      const double expected =
          Table::predicted_rate(row, predict(hypothesis_of(known_, lines_, candidate), row.pattern));
      // Times are fractions of a difference of two measured ones.
      const double tolerance = candidate.policy == "Rand" ? std::max(kRandomTolerance, table_.tolerance())
                                                          : table_.tolerance() * (row.load_misses ? 1 : 2);
      if (std::abs(*rate - expected) <= tolerance) return false;
      gone_.push_back(
          {candidate, fmt::format("would miss {:.2f} % in {}", 100 * expected, table_.cite(row))});
      return true;
    });
  }
  [[nodiscard]] const std::vector<Candidate>& left() const { return left_; }
  [[nodiscard]] const std::vector<std::string>& evidence() const { return evidence_; }
  /// Why what `is_chosen` are not it.
  template <class Chosen>
  std::vector<std::string> excluded(Chosen is_chosen, bool name_policies) const {
    std::vector<std::string> result;
    for (const auto& [candidate, why] : gone_)
      if (is_chosen(candidate))
        result.push_back((name_policies ? candidate.policy : fmt::format("{} ways", candidate.ways)) + " " +
                         why);
    return result;
  }

 private:
  struct Gone {
    Candidate candidate;
    std::string why;
  };
  Table& table_;
  const Known& known_;
  std::uint64_t lines_;
  std::vector<Candidate> left_;
  std::vector<Gone> gone_;
  std::vector<std::string> evidence_;
};

void conclude(Finding& finding, const std::vector<std::string>& values, const std::string& joined) {
  finding.status = values.size() == 1 ? Status::Found : values.empty() ? Status::Unknown : Status::Ambiguous;
  finding.text = values.empty() ? "none that is known here fits" : joined;
}

/// What regions beyond the capacity say while the capacity is not known exactly.
void judge_roughly(const Table& table, const Known& known, Finding& policy) {
  constexpr std::uint32_t kLikelyLine = 128;  // steps shorter than what a miss brings in hit by themselves
  constexpr double kAllSetsFull = 4.0 / 3;    // every set of three ways or more has a line too many
  constexpr double kNearlyAll = 0.9;
  for (const Observation& row : table.rows()) {
    const double region = static_cast<double>(row.pattern.footprint()),
                 cache = static_cast<double>(*known.capacity_below);
    if (!row.measured() || !row.pattern.is_circle() || row.pattern.step > kLikelyLine ||
        row.pattern.step < known.sector_bytes.value_or(kLikelyLine) || region <= cache)
      continue;
    const std::optional<double> late = table.late_miss_rate(row, 32);
    if (!late) continue;
    if (*late + table.tolerance() < (region - cache) / region) {
      policy.text =
          "the loads were not made in turn: fewer miss than with the best replacement (several warps that do "
          "not keep step?)";
      policy.evidence.push_back(
          fmt::format("{}; at least {:.1f} % would", table.cite(row), 100 * (region - cache) / region));
    } else if (region >= kAllSetsFull * cache && *late < kNearlyAll) {
      policy.excluded.push_back("LRU and FIFO with three ways or more would miss everything in " +
                                table.cite(row));
    }
  }
}

}  // namespace

std::vector<Finding> infer_ways_and_replacement(Table& table, Known& known) {
  Finding ways{.name = "ways", .title = "ways"};
  Finding policy{.name = "replacement", .title = "replacement class"};
  if (!known.capacity_bytes || !known.line_bytes) {
    ways.text = policy.text = "needs capacity and line first";
    if (known.capacity_below) judge_roughly(table, known, policy);
    return {ways, policy};
  }
  const std::uint64_t lines = *known.capacity_bytes / *known.line_bytes;
  Search search(table, known, lines);
  bool any = false;
  for (const Pattern& pattern : patterns_for(lines, *known.line_bytes))
    if (const Observation* row = table.ask(pattern, ways)) search.compare(*row), any = true;
  if (!any) return {ways, policy};
  std::vector<std::string> all_ways, policies;
  std::string ways_text, policies_text;
  for (const Candidate& candidate : search.left()) {
    const std::string text = std::to_string(candidate.ways);
    if (std::find(all_ways.begin(), all_ways.end(), text) == all_ways.end()) all_ways.push_back(text);
    if (std::find(policies.begin(), policies.end(), candidate.policy) == policies.end())
      policies.push_back(candidate.policy);
  }
  for (const std::string& text : all_ways) ways_text += (ways_text.empty() ? "" : ", ") + text;
  for (const std::string& text : policies) policies_text += (policies_text.empty() ? "" : " or ") + text;
  conclude(ways, all_ways, ways_text);
  conclude(policy, policies, policies_text);
  ways.evidence = policy.evidence = search.evidence();
  policy.value =
      policies.size() == 1 ? nlohmann::ordered_json(policies.front()) : nlohmann::ordered_json(policies);
  policy.measure = ways.measure;
  if (search.left().empty()) return {ways, policy};
  const Candidate& first = search.left().front();
  ways.excluded = search.excluded([&](const Candidate& one) { return one.policy == first.policy; }, false);
  policy.excluded = search.excluded([&](const Candidate& one) { return one.ways == first.ways; }, true);
  if (all_ways.size() == 1) {
    known.ways = first.ways;
    known.sets = static_cast<std::uint32_t>(lines / first.ways);
    known.replacement = first.policy;
    ways.value = first.ways;
    ways.text = fmt::format("{} (in {} sets)", first.ways, *known.sets);
  } else {
    ways.value = all_ways;
  }
  if (first.ways == 1 && all_ways.size() == 1) {
    policy.status = Status::Unknown;
    policy.text = "direct mapped: nothing to choose";
    policy.value = nullptr;
  }
  return {ways, policy};
}

}  // namespace warpscope::infer
