#pragma once
// Sets of lines in order of use, for any number of ways: a list per set and a hash table over all lines, so
// that a look-up costs the same for 4 and for 512 ways. Each line has a mask of the sectors that are there.
#include <bit>
#include <cstdint>
#include <vector>

namespace warpscope {

class LruLists {
 public:
  using Node = std::uint32_t;
  static constexpr Node kNone = ~std::uint32_t{0};

  LruLists(std::uint32_t sets, std::uint32_t ways)
      : ways_(ways),
        nodes_(std::size_t{sets} * ways),
        ends_(sets),
        heads_(std::bit_ceil(2 * nodes_.size())),
        shift_(64 - std::countr_zero(heads_.size())) {
    clear();
  }

  /// Every set is empty.
  void clear() {
    heads_.assign(heads_.size(), kNone);
    for (std::size_t set = 0; set < ends_.size(); ++set) {
      const auto first = static_cast<Node>(set * ways_);
      ends_[set] = {first, first + ways_ - 1};
      for (std::uint32_t way = 0; way < ways_; ++way) {
        const Node node = first + way;
        nodes_[node] = {kNoLine, way > 0 ? node - 1 : kNone, way + 1 < ways_ ? node + 1 : kNone, kNone, 0, 0};
      }
    }
  }

  /// Where the line is, whatever its set.
  [[nodiscard]] Node find(std::uint64_t line) const {
    Node node = heads_[home(line)];
    while (node != kNone && nodes_[node].line != line) node = nodes_[node].chained;
    return node;
  }
  /// The line becomes the newest of its set.
  void touch(std::uint32_t set, Node node) {
    if (ends_[set].newest == node) return;
    unlink(set, node);
    nodes_[node].newer = kNone;
    nodes_[node].older = ends_[set].newest;
    nodes_[ends_[set].newest].newer = node;
    ends_[set].newest = node;
  }
  /// What a line that comes in replaces: the oldest of its set, or an empty place.
  [[nodiscard]] Node oldest(std::uint32_t set) const { return ends_[set].oldest; }
  [[nodiscard]] bool is_empty(Node node) const { return nodes_[node].line == kNoLine; }
  [[nodiscard]] std::uint64_t line(Node node) const { return nodes_[node].line; }
  /// `line`, which is nowhere, takes the place of what is at `node` and becomes the newest. `dirty`: mask of
  /// sectors.
  void replace(std::uint32_t set, Node node, std::uint64_t line, std::uint8_t sectors, std::uint8_t dirty) {
    if (!is_empty(node)) unchain(node);
    touch(set, node);
    Entry& entry = nodes_[node];
    Node& head = heads_[home(line)];
    entry.line = line;
    entry.sectors = sectors;
    entry.dirty = dirty;
    entry.chained = head;
    head = node;
  }
  /// The place becomes empty, and the next one to be filled.
  void remove(std::uint32_t set, Node node) {
    unchain(node);
    nodes_[node].line = kNoLine;
    if (ends_[set].oldest == node) return;
    unlink(set, node);
    nodes_[node].newer = ends_[set].oldest;
    nodes_[node].older = kNone;
    nodes_[ends_[set].oldest].older = node;
    ends_[set].oldest = node;
  }
  [[nodiscard]] std::uint8_t& sectors(Node node) { return nodes_[node].sectors; }
  [[nodiscard]] std::uint8_t& dirty(Node node) { return nodes_[node].dirty; }

 private:
  static constexpr std::uint64_t kNoLine = ~std::uint64_t{0};
  struct Entry {
    std::uint64_t line;
    Node newer, older;
    Node chained;  ///< next with the same hash
    std::uint8_t sectors, dirty;
  };
  struct Ends {
    Node newest, oldest;
  };

  [[nodiscard]] std::size_t home(std::uint64_t line) const {
    return (line * 0x9E3779B97F4A7C15ull) >> shift_;
  }
  /// Takes a node out of the order. Not the only one of its set: then it is newest and oldest, and nobody
  /// asks.
  void unlink(std::uint32_t set, Node node) {
    const Entry& entry = nodes_[node];
    (entry.newer == kNone ? ends_[set].newest : nodes_[entry.newer].older) = entry.older;
    (entry.older == kNone ? ends_[set].oldest : nodes_[entry.older].newer) = entry.newer;
  }
  void unchain(Node node) {
    Node* at = &heads_[home(nodes_[node].line)];
    while (*at != node) at = &nodes_[*at].chained;
    *at = nodes_[node].chained;
  }

  std::uint32_t ways_;
  std::vector<Entry> nodes_;
  std::vector<Ends> ends_;   ///< indexed by set
  std::vector<Node> heads_;  ///< indexed by hash
  int shift_;
};

}  // namespace warpscope
