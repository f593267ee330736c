// Which address bits choose the set, for set numbers that are exclusive ors of address bits (linear indexes
// are: one bit each). Lines that differ in the address bits of a mask form a linear space: they spread over
// 2^rank sets, where rank is that of these bits' part of the index. With as many bits as the capacity has
// lines they fit exactly where the rank is that of the whole index. So with set bit i's own address bit left
// out, they fit only if another bit of the mask is folded into set bit i.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "cachesim/infer/inference.h"
#include "traces/base/random.h"

namespace warpscope::infer {
namespace {

using Bits = std::vector<int>;

class IndexSearch {
 public:
  IndexSearch(Table& table, const Known& known, Finding& finding)
      : table_(table),
        finding_(finding),
        sector_(*known.sector_bytes),
        line_shift_(std::countr_zero(*known.line_bytes)),
        set_bits_(std::countr_zero(*known.sets)),
        way_bits_(std::bit_width(*known.ways) - 1),
        top_(index_top_bit(*known.line_bytes, *known.sets, *known.ways)),
        ways_(*known.ways) {
    for (int bit = line_shift_ + set_bits_; bit <= top_; ++bit) high_.push_back(bit);
  }
  [[nodiscard]] int top() const { return top_; }

  /// Of set bit `i`: the address bits that make it, or nothing if the rows do not show it.
  std::optional<std::uint32_t> address_bits(int i) {
    const std::optional<Bits> base = zero_base(i);
    if (!base) return std::nullopt;
    std::uint32_t result = 1u << (line_shift_ + i);
    bool complete = true;
    Bits others;
    for (const int bit : high_)
      if (std::find(base->begin(), base->end(), bit) == base->end()) others.push_back(bit);
    for (const int bit : others) {
      Bits tried = *base;
      tried.front() = bit;  // any of the base's bits may go
      const std::optional<bool> folded = fits(i, tried);
      if (!folded) complete = false;
      if (folded.value_or(false)) result |= 1u << bit;
    }
    return complete ? std::optional(result) : std::nullopt;
  }

  [[nodiscard]] int set_bits() const { return set_bits_; }
  [[nodiscard]] bool has_room() const { return static_cast<int>(high_.size()) > way_bits_; }
  [[nodiscard]] Pattern pattern(std::uint32_t mask) const {
    return {.mask = mask, .step = 1, .places = std::uint64_t{1} << std::popcount(mask), .rounds = 8};
  }
  /// Whether the lines of `mask` hit after the first round; notes the row as wanted where it is missing.
  std::optional<bool> fits(std::uint32_t mask) {
    const Observation* row = table_.ask(pattern(mask), finding_);
    if (row == nullptr) return std::nullopt;
    const std::optional<double> late = table_.late_miss_rate(*row, sector_);
    if (!late) return std::nullopt;
    // Lines that do not fit share sets by twice as many as would: so many at least miss in every round.
    const std::uint32_t together = 2u << way_bits_;
    const double least = static_cast<double>(together - ways_) / together;
    const bool result = *late <= least / 2;
    seen_[mask] = result;
    return result;
  }
  [[nodiscard]] const std::map<std::uint32_t, bool>& seen() const { return seen_; }

 private:
  std::optional<bool> fits(int i, const Bits& in_place) {
    std::uint32_t mask = 0;
    for (int bit = 0; bit < set_bits_; ++bit)
      if (bit != i) mask |= 1u << (line_shift_ + bit);
    for (const int bit : in_place) mask |= 1u << bit;
    return fits(mask);
  }

  /// Address bits of which none is folded into set bit i: then nothing makes up for the one left out.
  std::optional<Bits> zero_base(int i) {
    for (const Bits& tried : guesses(i))
      if (const std::optional<bool> fit = fits(i, tried); fit && !*fit) return tried;
    return std::nullopt;
  }

  /// As many address bits as a set's ways need and one more. Folds repeat after as many bits as there are set
  /// bits; other hashes use few bits each. Beyond that, by lot.
  [[nodiscard]] std::vector<Bits> guesses(int i) const {
    const std::size_t size = static_cast<std::size_t>(way_bits_) + 1;
    std::vector<Bits> result;
    const auto add = [&](Bits from) {
      if (from.size() < size) return;
      result.emplace_back(from.end() - static_cast<std::ptrdiff_t>(size), from.end());
      from.resize(size);
      result.push_back(std::move(from));
    };
    add(high_);
    Bits other_classes;
    for (const int bit : high_)
      if ((bit - line_shift_) % set_bits_ != i) other_classes.push_back(bit);
    add(other_classes);
    constexpr int kByLot = 6;
    SplitMix64 random(static_cast<std::uint64_t>(i) + 1);
    for (int n = 0; n < kByLot && high_.size() > size; ++n) {
      Bits any = high_;
      shuffle(any, random);
      any.resize(size);
      std::sort(any.begin(), any.end());
      result.push_back(any);
    }
    for (Bits& bits : result) std::sort(bits.begin(), bits.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  Table& table_;
  Finding& finding_;
  std::uint32_t sector_;
  int line_shift_, set_bits_, way_bits_, top_;
  std::uint32_t ways_;
  Bits high_;
  std::map<std::uint32_t, bool> seen_;
};

/// Whether lines that differ in `mask` fit, as the index says: rank of the columns against the number of
/// lines.
bool should_fit(const std::vector<std::uint32_t>& parity_of, std::uint32_t mask, std::uint32_t ways) {
  std::vector<std::uint32_t> rows;
  rows.reserve(parity_of.size());
  for (const std::uint32_t bits : parity_of) rows.push_back(bits & mask);
  int rank = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (rows[at] == 0) continue;
    ++rank;
    const std::uint32_t pivot = rows[at] & (~rows[at] + 1);
    for (std::size_t other = at + 1; other < rows.size(); ++other)
      if ((rows[other] & pivot) != 0) rows[other] ^= rows[at];
  }
  return (std::uint64_t{1} << (std::popcount(mask) - rank)) <= ways;
}

std::string bits_text(std::uint32_t bits) {
  std::string text;
  for (int bit = 0; bit < 32; ++bit)
    if ((bits >> bit & 1) != 0) text += (text.empty() ? "" : "^") + std::to_string(bit);
  return text;
}

/// Other choices of address bits than those that the search used: do they behave as the index says?
bool check_others(IndexSearch& search, const std::vector<std::uint32_t>& parity_of, const Known& known,
                  Finding& finding) {
  constexpr int kChecks = 6;
  const int shift = std::countr_zero(*known.line_bytes);
  const int bits = search.set_bits() + std::bit_width(*known.ways) - 1;
  SplitMix64 random(1);
  Bits all;
  for (int bit = shift; bit <= search.top(); ++bit) all.push_back(bit);
  for (int n = 0; n < kChecks; ++n) {
    shuffle(all, random);
    std::uint32_t mask = 0;
    for (int i = 0; i < bits; ++i) mask |= 1u << all[static_cast<std::size_t>(i)];
    search.fits(mask);
  }
  int agree = 0;
  for (const auto& [mask, fit] : search.seen()) {
    if (should_fit(parity_of, mask, *known.ways) == fit) {
      ++agree;
      continue;
    }
    finding.text = fmt::format("not exclusive ors of address bits: {} {}", search.pattern(mask).text(),
                               fit ? "fit, and should not" : "do not fit, and should");
    return false;
  }
  finding.evidence.push_back(
      fmt::format("{} choices of address bits, {} lines each, fit or overflow as this index says", agree,
                  std::uint64_t{1} << bits));
  return true;
}

}  // namespace

int index_top_bit(std::uint32_t line_bytes, std::uint32_t sets, std::uint32_t ways) {
  const int set_bits = std::countr_zero(sets), needed = std::bit_width(ways);
  if (set_bits < 2) return kFarTopBit;
  const int folded = (needed * set_bits + set_bits - 2) / (set_bits - 1);  // rounded up
  return std::clamp(std::countr_zero(line_bytes) + set_bits + folded - 1, kTopBit, kFarTopBit);
}

Finding infer_set_index(Table& table, Known& known) {
  Finding finding{.name = "set_index_bits", .title = "address bits that choose the set"};
  if (!known.ways || !known.sets || !known.sector_bytes) {
    finding.text = "needs the ways first";
    return finding;
  }
  if (*known.sets == 1) {
    finding.status = Status::Found;
    finding.value = nlohmann::ordered_json::array();
    finding.text = "none: one set";
    return finding;
  }
  IndexSearch search(table, known, finding);
  if (!std::has_single_bit(*known.sets) || !search.has_room()) {
    finding.text = std::has_single_bit(*known.sets)
                       ? fmt::format("needs address bits above {}: a larger buffer", search.top())
                       : fmt::format("{} sets: not a power of two, so not address bits", *known.sets);
    return finding;
  }
  std::vector<std::uint32_t> parity_of;
  std::string text;
  bool complete = true;
  for (int i = 0; i < search.set_bits(); ++i) {
    const std::optional<std::uint32_t> bits = search.address_bits(i);
    complete = complete && bits.has_value();
    parity_of.push_back(bits.value_or(0));
    text += (text.empty() ? "" : ", ") + (bits ? bits_text(*bits) : std::string("?"));
  }
  if (!complete) {
    finding.text = search.seen().empty() ? "" : text;
    if (table.can_measure() && !text.empty())
      finding.text +=
          fmt::format(" (?: every choice of {} higher address bits that was tried makes up for it)",
                      std::bit_width(*known.ways));
    return finding;
  }
  for (const auto& [mask, fit] : search.seen())
    if (finding.evidence.size() < 4)
      finding.evidence.push_back(search.pattern(mask).text() +
                                 (fit ? ": all hit" : ": they miss again and again"));
  if (!check_others(search, parity_of, known, finding)) return finding;
  finding.status = Status::Found;
  finding.text = text + fmt::format(" (of bits up to {})", search.top());
  finding.value = nlohmann::ordered_json::array();
  for (const std::uint32_t bits : parity_of) {
    nlohmann::ordered_json list;
    for (int bit = 0; bit <= search.top(); ++bit)
      if ((bits >> bit & 1) != 0) list.push_back(bit);
    finding.value.push_back(list);
  }
  bool linear = true;
  for (const std::uint32_t bits : parity_of) linear = linear && std::has_single_bit(bits);
  finding.excluded.push_back(
      linear ? "hashes: no higher bit makes up for a set bit's own that is left out"
             : "a linear index: higher bits make up for a set bit's own that is left out");
  return finding;
}

}  // namespace warpscope::infer
