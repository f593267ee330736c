#pragma once
// The independent witness of cachesim: every policy written down as its definition reads, with no thought of
// speed. Includes nothing from cachesim/.
#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace naive {

struct Config {
  std::uint64_t sets = 1, ways = 1;
  std::string replacement, write, index;
  std::uint64_t random_seed = 0;   ///< state of the generator at the start
  std::string private_write = {};  ///< of private memory; empty = write
  std::uint64_t most_lines = 0;    ///< that there is memory for; 0: for every way
};

/// Who made a reference: work-group, warp in it, lanes of the warp.
struct Who {
  std::uint64_t group = 0, warp = 0;
  std::set<int> lanes;
};

/// 0: a lane in common, 1: the same warp, 2: the same work-group, 3: none of it.
inline std::size_t nearness(const Who& a, const Who& b) {
  if (a.group != b.group) return 3;
  if (a.warp != b.warp) return 2;
  return std::any_of(a.lanes.begin(), a.lanes.end(), [&](int lane) { return b.lanes.contains(lane); }) ? 0
                                                                                                       : 1;
}

/// A line or, where lines have sectors, one sector of it.
struct Place {
  std::uint64_t line = 0, sector = 0;
  auto operator<=>(const Place&) const = default;
};

struct Reference {
  std::uint64_t line = 0;
  bool store = false;
  bool bypass = false;
  std::uint64_t sector = 0;
  Who who = {};
  bool is_private = false;
  bool first = true;  ///< of its request
  [[nodiscard]] Place place() const { return {line, sector}; }
};

struct Counts {
  std::uint64_t load_hits = 0, load_misses = 0, store_hits = 0, store_misses = 0, bypasses = 0;
  std::uint64_t load_sector_misses = 0, store_sector_misses = 0;
  std::uint64_t cold = 0, invalidated = 0, capacity = 0, conflict = 0, anti_conflict = 0;
  std::uint64_t write_backs = 0, write_back_sectors = 0, evictions = 0;
  std::vector<std::uint64_t> set_transactions, set_misses;
  bool operator==(const Counts&) const = default;
};

inline bool allocates_on_store(const std::string& write) {
  return write == "WBWA" || write == "WTWA" || write == "WTWL";
}
/// Where the line was before the request, every sector of it is hit.
inline bool hits_by_line(const std::string& write) {
  return write == "WTWL";
}
inline bool writes_back(const std::string& write) {
  return write == "WBWA" || write == "WBNA";
}
inline bool removes_on_store(const std::string& write) {
  return write == "WENA";
}

inline std::uint64_t set_of(const Config& config, std::uint64_t line) {
  const auto bit = [&](int n) { return (line >> n) & 1; };
  if (config.index == "linear") return line % config.sets;
  if (config.index == "fermi-xor") {
    // Address bits, line = address >> 7: 7..11 xor 13, 14, 15, 17, 19; bit 12 selects the half of 64 sets.
    std::uint64_t set = 0;
    const int partner[5] = {13, 14, 15, 17, 19};
    for (int i = 0; i < 5; ++i) set |= (bit(i) ^ bit(partner[i] - 7)) << i;
    if (config.sets == 64) set += 32 * bit(12 - 7);
    return set;
  }
  if (config.index == "hopper-xor" && config.sets == 512) {
    // Of each bit of the set, the line's bits whose parity it is.
    const std::uint64_t of_bit[9] = {0x529d24f601, 0xf0a4610c02, 0x422f3f8804, 0x805e2db408, 0x992f92ae10,
                                     0x65bab96a20, 0xa4b691da40, 0xbad2dfc080, 0x4c1f2ad900};
    std::uint64_t set = 0;
    for (int i = 0; i < 9; ++i)
      for (int from = 0; from < 40; ++from) set ^= (bit(from) & of_bit[i] >> from & 1) << i;
    return set;
  }
  if (config.index == "xor-fold" || config.index == "hopper-xor") {
    if (config.sets == 1) return 0;
    std::uint64_t set = 0;
    for (std::uint64_t rest = line; rest != 0; rest /= config.sets) set ^= rest % config.sets;
    return set;
  }
  if (config.index == "ipoly") {
    // Long division over GF(2), by x + 1, x^2 + x + 1, x^3 + x + 1, …
    const std::map<std::uint64_t, std::uint64_t> divisors = {
        {1, 1},     {2, 3},     {4, 7},     {8, 11},      {16, 19},     {32, 37},    {64, 67},
        {128, 131}, {256, 285}, {512, 529}, {1024, 1033}, {2048, 2053}, {4096, 4179}};
    std::uint64_t rest = line;
    for (int shift = 51; shift >= 0; --shift)
      if (rest >= config.sets << shift && (rest & config.sets << shift) != 0)
        rest ^= divisors.at(config.sets) << shift;
    return rest;
  }
  throw std::invalid_argument("index " + config.index);
}

class Cache {
 public:
  explicit Cache(const Config& config) : config_(config), random_(config.random_seed) {
    counts.set_transactions.resize(config.sets);
    counts.set_misses.resize(config.sets);
    start_launch();
  }

  /// The generator goes on where it is.
  void start_launch() {
    sets_.assign(config_.sets, std::vector<Way>(config_.ways));
    trees_.assign(config_.sets, {});
    turn_ = 0;
    used_.reset();
    shadow_.clear();
    seen_.clear();
    removed_.clear();
  }

  /// The generator starts from `random_seed`.
  void start_launch(std::uint64_t random_seed) {
    start_launch();
    random_ = random_seed;
  }

  void access(const Reference& reference) {
    if (reference.first) {
      absent_.clear();
      absent_in_shadow_.clear();
      used_.reset();
    }
    if (reference.bypass) {
      ++counts.bypasses;
      return;
    }
    ++time_;
    const bool would_allocate = !reference.store || allocates_on_store(policy(reference));
    const bool shadow_hit = access_shadow(reference, would_allocate);
    const std::uint64_t set = set_of(config_, reference.line);
    ++counts.set_transactions[set];
    auto& ways = sets_[set];
    const auto found = std::find_if(ways.begin(), ways.end(),
                                    [&](const Way& way) { return way.valid && way.line == reference.line; });
    if (reference.store && found == ways.end()) absent_.insert(reference.line);
    if (found != ways.end() &&
        (has(found->sectors, reference) || hits_by_line(reference, absent_.contains(reference.line)))) {
      ++(reference.store ? counts.store_hits : counts.load_hits);
      if (would_allocate && !shadow_hit) ++counts.anti_conflict;
      if (would_allocate) seen_.insert(reference.place());
      found->sectors |= bit_of(reference);
      const std::size_t near = nearness(
          reference.who, found->sector_user.try_emplace(reference.sector, found->last_user).first->second);
      ++(reference.store ? store_hits_by_source : load_hits_by_source)[near];
      hit(set, static_cast<std::uint64_t>(found - ways.begin()), reference);
      return;
    }
    ++counts.set_misses[set];
    const bool line_there = found != ways.end();
    if (line_there)
      ++(reference.store ? counts.store_sector_misses : counts.load_sector_misses);
    else
      ++(reference.store ? counts.store_misses : counts.load_misses);
    if (!would_allocate) return;
    classify(reference, shadow_hit);
    if (line_there) {
      found->sectors |= bit_of(reference);
      hit(set, static_cast<std::uint64_t>(found - ways.begin()), reference);
    } else {
      fill(set, reference);
    }
  }

  Counts counts;
  std::size_t load_hits_by_source[4] = {}, store_hits_by_source[4] = {},
              evictions_by_source[4] = {};  // by nearness

 private:
  struct Way {
    bool valid = false;
    std::set<std::uint64_t> dirty = {};  // sectors
    std::uint64_t line = 0, last_use = 0, came_in = 0, uses = 0;
    int prediction = 3;
    int protection =
        0;  // victims of its set that it outlives, since a request has hit it that did not bring it in
    std::uint64_t sectors = 0;  // bit s: sector s is there
    bool recent = true;
    Who last_user = {};                             // of the line
    std::map<std::uint64_t, Who> sector_user = {};  // by sector
  };
  struct ShadowLine {
    std::uint64_t line = 0, sectors = 0;
  };
  using Tree =
      std::map<std::pair<std::uint64_t, std::uint64_t>, bool>;  // (first way, ways) -> points to second half

  static std::uint64_t bit_of(const Reference& reference) { return std::uint64_t{1} << reference.sector; }
  static bool has(std::uint64_t sectors, const Reference& reference) {
    return (sectors & bit_of(reference)) != 0;
  }

  [[nodiscard]] const std::string& policy(const Reference& reference) const {
    return reference.is_private && !config_.private_write.empty() ? config_.private_write : config_.write;
  }

  [[nodiscard]] bool hits_by_line(const Reference& reference, bool was_absent) const {
    return reference.store && naive::hits_by_line(policy(reference)) && !was_absent;
  }

  bool access_shadow(const Reference& reference, bool would_allocate) {
    const auto found = std::find_if(shadow_.begin(), shadow_.end(),
                                    [&](const ShadowLine& line) { return line.line == reference.line; });
    if (found != shadow_.end()) {
      const bool there = has(found->sectors, reference) ||
                         hits_by_line(reference, absent_in_shadow_.contains(reference.line));
      if (!there && !would_allocate) return false;
      found->sectors |= bit_of(reference);
      shadow_.splice(shadow_.begin(), shadow_, found);
      if (reference.store && removes_on_store(policy(reference))) shadow_.pop_front();
      return there;
    }
    if (reference.store) absent_in_shadow_.insert(reference.line);
    if (would_allocate) {
      shadow_.push_front({reference.line, bit_of(reference)});
      if (shadow_.size() > (config_.most_lines != 0 ? config_.most_lines : config_.sets * config_.ways))
        shadow_.pop_back();
    }
    return false;
  }

  void classify(const Reference& reference, bool shadow_hit) {
    if (seen_.insert(reference.place()).second)
      ++counts.cold;
    else if (removed_.contains(reference.place()))
      ++counts.invalidated;
    else if (!shadow_hit)
      ++counts.capacity;
    else
      ++counts.conflict;
    removed_.erase(reference.place());
  }

  void hit(std::uint64_t set, std::uint64_t way, const Reference& reference) {
    Way& here = sets_[set][way];
    if (reference.store && removes_on_store(policy(reference))) {
      ++counts.evictions;
      ++evictions_by_source[nearness(reference.who, here.last_user)];
      removed_.insert(reference.place());
      here = Way{};
      return;
    }
    if (reference.store && writes_back(policy(reference))) here.dirty.insert(reference.sector);
    here.last_user = here.sector_user[reference.sector] = reference.who;
    here.last_use = time_;
    ++here.uses;
    here.prediction = 0;
    here.recent = true;
    if (!used_ || used_->line != reference.line || used_->sector == reference.sector) here.protection = 9;
    used_ = reference.place();
    point_away(set, way);
  }

  void count_eviction(const Way& way, const Reference& reference) {
    ++counts.evictions;
    ++evictions_by_source[nearness(reference.who, way.last_user)];
    if (!way.dirty.empty()) ++counts.write_backs;
    counts.write_back_sectors += way.dirty.size();
  }

  /// A free tag needs memory: of the sets in turn, the first that has a line gives one up.
  void make_room(const Reference& reference) {
    std::uint64_t lines = 0;
    for (const auto& ways : sets_)
      for (const Way& way : ways) lines += way.valid ? 1 : 0;
    if (config_.most_lines == 0 || lines < config_.most_lines) return;
    std::uint64_t step = std::max<std::uint64_t>(1, config_.sets * 618 / 1000);
    while (std::gcd(step, config_.sets) != 1) ++step;
    for (;; turn_ = (turn_ + step) % config_.sets) {
      auto& ways = sets_[turn_];
      if (std::none_of(ways.begin(), ways.end(), [](const Way& way) { return way.valid; })) continue;
      Way& leaves = ways[choose_victim(turn_)];
      count_eviction(leaves, reference);
      leaves = Way{};
      turn_ = (turn_ + step) % config_.sets;
      return;
    }
  }

  void fill(std::uint64_t set, const Reference& reference) {
    auto& ways = sets_[set];
    used_ = reference.place();
    const auto is_empty = [](const Way& way) { return !way.valid; };
    if (std::any_of(ways.begin(), ways.end(), is_empty)) make_room(reference);
    const auto empty = std::find_if(ways.begin(), ways.end(), is_empty);
    const std::uint64_t way =
        empty != ways.end() ? static_cast<std::uint64_t>(empty - ways.begin()) : choose_victim(set);
    if (ways[way].valid) count_eviction(ways[way], reference);
    ways[way] = {true, {}, reference.line,    time_, time_,         1,
                 2,    0,  bit_of(reference), true,  reference.who, {{reference.sector, reference.who}}};
    if (reference.store && writes_back(policy(reference))) ways[way].dirty.insert(reference.sector);
    point_away(set, way);
  }

  std::uint64_t choose_victim(std::uint64_t set) {
    auto& ways = sets_[set];
    std::vector<std::uint64_t> key;
    if (config_.replacement == "LRU")
      for (const Way& way : ways) key.push_back(way.last_use);
    else if (config_.replacement == "FIFO")
      for (const Way& way : ways) key.push_back(way.came_in);
    else if (config_.replacement == "LFU")
      for (const Way& way : ways) key.push_back(way.uses);
    else if (config_.replacement == "MFU")
      for (const Way& way : ways) key.push_back(~way.uses);
    else if (config_.replacement == "Rand")
      return ((next_random() >> 32) * config_.ways) >> 32;
    else if (config_.replacement == "Fermi-prob")
      return std::vector<std::uint64_t>{0, 1, 1, 1, 2, 3}[((next_random() >> 32) * 6) >> 32];
    else if (config_.replacement == "NRU")
      return unused_way(ways);
    else if (config_.replacement == "tree-PLRU")
      return follow_tree(set, 0, config_.ways);
    else if (config_.replacement == "SRRIP")
      return distant_way(ways);
    else if (config_.replacement == "SLRU")
      return unprotected_way(ways);
    else
      throw std::invalid_argument("replacement " + config_.replacement);
    return static_cast<std::uint64_t>(std::min_element(key.begin(), key.end()) - key.begin());
  }

  static std::uint64_t unused_way(std::vector<Way>& ways) {
    for (;;) {
      for (std::uint64_t way = 0; way < ways.size(); ++way)
        if (!ways[way].recent) return way;
      for (Way& way : ways) way.recent = false;
    }
  }

  /// Of the lines that are there: the one unused for longest among the unprotected, and the others are protected from one victim less;
  /// else among all, which lose their protection.
  static std::uint64_t unprotected_way(std::vector<Way>& ways) {
    for (;;) {
      std::uint64_t found = ways.size();
      for (std::uint64_t way = 0; way < ways.size(); ++way)
        if (ways[way].valid && ways[way].protection == 0 &&
            (found == ways.size() || ways[way].last_use < ways[found].last_use))
          found = way;
      for (Way& way : ways) way.protection = found == ways.size() ? 0 : std::max(0, way.protection - 1);
      if (found != ways.size()) return found;
    }
  }

  static std::uint64_t distant_way(std::vector<Way>& ways) {
    for (;;) {
      for (std::uint64_t way = 0; way < ways.size(); ++way)
        if (ways[way].prediction == 3) return way;
      for (Way& way : ways) ++way.prediction;
    }
  }

  std::uint64_t follow_tree(std::uint64_t set, std::uint64_t first, std::uint64_t count) {
    if (count == 1) return first;
    const std::uint64_t half = (count + 1) / 2;
    return trees_[set][{first, count}] ? follow_tree(set, first + half, count - half)
                                       : follow_tree(set, first, half);
  }

  void point_away(std::uint64_t set, std::uint64_t way) {
    std::uint64_t first = 0, count = config_.ways;
    while (count > 1) {
      const std::uint64_t half = (count + 1) / 2;
      const bool in_second = way >= first + half;
      trees_[set][{first, count}] = !in_second;
      first += in_second ? half : 0;
      count = in_second ? count - half : half;
    }
  }

  /// SplitMix64, from its paper.
  std::uint64_t next_random() {
    random_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = random_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  Config config_;
  std::uint64_t random_, time_ = 0;
  std::vector<std::vector<Way>> sets_;
  std::vector<Tree> trees_;
  std::list<ShadowLine> shadow_;
  std::set<Place> seen_, removed_;
  std::optional<Place>
      used_;                ///< that this request used last: another sector of the line is no use of its own
  std::uint64_t turn_ = 0;  ///< set that gives up a line next
  std::set<std::uint64_t> absent_, absent_in_shadow_;  ///< lines that this request's stores did not find
};

}  // namespace naive
