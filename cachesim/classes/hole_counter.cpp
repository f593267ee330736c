#include "cachesim/classes/hole_counter.h"

#include <cstddef>

namespace warpscope {
namespace {

/// Bits set in a word. Written out because x86-64 without extensions has no instruction for it and the
/// library calls.
constexpr std::uint32_t count_bits(std::uint64_t word) {
  word -= (word >> 1) & 0x5555555555555555ull;
  word = (word & 0x3333333333333333ull) + ((word >> 2) & 0x3333333333333333ull);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0full;
  return static_cast<std::uint32_t>((word * 0x0101010101010101ull) >> 56);
}

/// 32 bytes that the compiler works on together, in two halves where the host has no such registers.
template <class Counter>
struct Together {
  using Type [[gnu::vector_size(32), gnu::may_alias]] = Counter;
};

/// One more before every child behind `child`, without a branch.
template <class Counter, std::size_t kChildren>
void add_behind(std::array<Counter, kChildren>& before, std::uint32_t child) {
  using Vector = typename Together<Counter>::Type;
  constexpr std::size_t kLanes = sizeof(Vector) / sizeof(Counter);
  const Vector given = Vector{} + static_cast<Counter>(child);
  Vector numbers;
  for (std::size_t i = 0; i < kLanes; ++i) numbers[i] = static_cast<Counter>(i);
  auto* const parts = reinterpret_cast<Vector*>(before.data());
  for (std::size_t part = 0; part < kChildren / kLanes; ++part) {
    // A comparison gives -1 where it holds.
    parts[part] -= reinterpret_cast<Vector>(numbers > given);
    numbers += static_cast<Counter>(kLanes);
  }
}

}  // namespace

void HoleCounter::reset(std::uint64_t times) {
  bits_.assign(times / kBits, 0);
  std::uint64_t nodes = times / kTimesPerLeaf;
  leaves_.assign(nodes, Leaf{});
  levels_.clear();
  while (nodes > 1) {
    nodes = (nodes + kFan - 1) / kFan;
    levels_.emplace_back(nodes);
  }
}

std::uint64_t HoleCounter::count(std::uint32_t time) const {
  std::uint32_t node = time / kTimesPerLeaf;
  std::uint64_t marked = count_bits(bits_[time / kBits] << (kBits - 1 - time % kBits)) +
                         leaves_[node].before[time / kBits % kLeafFan];
  for (const std::vector<Node>& level : levels_) {
    marked += level[node / kFan].before[node % kFan];
    node /= kFan;
  }
  return marked;
}

std::uint64_t HoleCounter::count_and_mark(std::uint32_t time) {
  std::uint64_t& word = bits_[time / kBits];
  std::uint64_t marked = count_bits(word << (kBits - 1 - time % kBits));
  word |= std::uint64_t{1} << (time % kBits);
  std::uint32_t node = time / kTimesPerLeaf;
  Leaf& leaf = leaves_[node];
  marked += leaf.before[time / kBits % kLeafFan];
  add_behind(leaf.before, time / kBits % kLeafFan);
  for (std::vector<Node>& level : levels_) {
    Node& parent = level[node / kFan];
    marked += parent.before[node % kFan];
    add_behind(parent.before, node % kFan);
    node /= kFan;
  }
  return marked;
}

}  // namespace warpscope
