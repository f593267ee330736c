#include "cachesim/infer/model.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <unordered_map>

#include "cachesim/l1/l1_cache.h"

namespace warpscope::infer {
namespace {

/// Lines in order of their last use, or of their arrival: a list through the ways of every set.
class QueueOrder {
 public:
  QueueOrder(std::uint32_t sets, std::uint32_t ways)
      : ways_(ways), next_(std::size_t{sets} * (ways + 1)), before_(next_.size()) {
    for (std::uint32_t set = 0; set < sets; ++set) next_[head(set)] = before_[head(set)] = head(set);
  }
  void take_out(std::uint32_t set, std::uint32_t way) {
    const std::uint32_t node = at(set, way);
    next_[before_[node]] = next_[node];
    before_[next_[node]] = before_[node];
  }
  void put_last(std::uint32_t set, std::uint32_t way) {
    const std::uint32_t node = at(set, way), top = head(set), last = before_[top];
    next_[last] = node;
    before_[node] = last;
    next_[node] = top;
    before_[top] = node;
  }
  [[nodiscard]] std::uint32_t first(std::uint32_t set) const { return next_[head(set)] - set * (ways_ + 1); }

 private:
  [[nodiscard]] std::uint32_t at(std::uint32_t set, std::uint32_t way) const {
    return set * (ways_ + 1) + way;
  }
  [[nodiscard]] std::uint32_t head(std::uint32_t set) const { return at(set, ways_); }
  std::uint32_t ways_;
  std::vector<std::uint32_t> next_, before_;
};

class ModelCache {
 public:
  explicit ModelCache(const Hypothesis& hypothesis)
      : given_(hypothesis),
        is_lru_(hypothesis.replacement == "LRU"),
        order_(hypothesis.sets, hypothesis.ways),
        used_(hypothesis.sets),
        lines_(std::size_t{hypothesis.sets} * hypothesis.ways),
        sectors_(lines_.size()) {
    if (is_lru_ || hypothesis.replacement == "FIFO") return;
    policy_ = replacement_policy(hypothesis.replacement).make_policy({hypothesis.sets, hypothesis.ways, 1});
  }

  bool load(std::uint32_t address) {
    const std::uint32_t line = address / given_.line_bytes;
    const std::uint64_t sector = std::uint64_t{1} << (address % given_.line_bytes / given_.sector_bytes);
    const std::uint32_t set = set_of(address);
    const auto found = where_.find(line);
    if (found == where_.end()) {
      bring_in(set, line, sector);
      return false;
    }
    const std::uint32_t way = found->second;
    if (policy_) policy_->on_hit(reference(set, way, line));
    if (is_lru_) {
      order_.take_out(set, way);
      order_.put_last(set, way);
    }
    std::uint64_t& here = sectors_[std::size_t{set} * given_.ways + way];
    const bool hit = (here & sector) != 0;
    here |= sector;
    return hit;
  }

 private:
  [[nodiscard]] std::uint32_t set_of(std::uint32_t address) const {
    if (given_.parity_of.empty()) return address / given_.line_bytes % given_.sets;
    std::uint32_t set = 0;
    for (std::size_t bit = 0; bit < given_.parity_of.size(); ++bit)
      set |= static_cast<std::uint32_t>(std::popcount(address & given_.parity_of[bit]) & 1) << bit;
    return set;
  }
  static Reference reference(std::uint32_t set, std::uint32_t way, std::uint32_t line) {
    return {SetIndex(set), WayIndex(way), LineAddr(line), false};
  }
  void bring_in(std::uint32_t set, std::uint32_t line, std::uint64_t sector) {
    std::uint32_t way = used_[set];
    if (way < given_.ways) {
      ++used_[set];
    } else {
      way = policy_ ? policy_->victim(reference(set, 0, line)).value() : order_.first(set);
      where_.erase(lines_[std::size_t{set} * given_.ways + way]);
      if (!policy_) order_.take_out(set, way);
    }
    lines_[std::size_t{set} * given_.ways + way] = line;
    sectors_[std::size_t{set} * given_.ways + way] = sector;
    where_[line] = way;
    if (policy_)
      policy_->on_fill(reference(set, way, line));
    else
      order_.put_last(set, way);
  }

  const Hypothesis& given_;
  bool is_lru_;
  QueueOrder order_;
  std::unique_ptr<AnyReplacement> policy_;  ///< null for LRU and FIFO
  std::vector<std::uint32_t> used_;         ///< ways of each set; empty ones are filled lowest first
  std::vector<std::uint32_t> lines_;
  std::vector<std::uint64_t> sectors_;
  std::unordered_map<std::uint32_t, std::uint32_t> where_;  ///< line to way
};

}  // namespace

Prediction predict(const Hypothesis& hypothesis, const Pattern& pattern) {
  const std::vector<std::uint32_t> round = addresses(pattern);
  ModelCache cache(hypothesis);
  Prediction result;
  for (std::uint32_t number = 0; number < pattern.rounds; ++number) {
    std::uint64_t misses = 0;
    for (const std::uint32_t address : round) misses += cache.load(address) ? 0 : 1;
    result.loads += round.size();
    result.misses += misses;
    if (number == 0 && pattern.rounds > 1) continue;
    result.steady_loads += round.size();
    result.steady_misses += misses;
  }
  return result;
}

}  // namespace warpscope::infer
