#include "cachesim/hole_counter.h"

#include <emmintrin.h>

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

/// One more before every child behind `child`: all counters of the node in four additions of 16 bytes.
void add_behind(std::array<std::uint16_t, 32>& before, std::uint32_t child) {
  auto* const memory = reinterpret_cast<__m128i*>(before.data());
  const __m128i given = _mm_set1_epi16(static_cast<short>(child));
  __m128i numbers = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
  for (int part = 0; part < 4; ++part, numbers = _mm_add_epi16(numbers, _mm_set1_epi16(8)))
    memory[part] = _mm_sub_epi16(memory[part], _mm_cmpgt_epi16(numbers, given));
}

void add_behind(std::array<std::uint32_t, 16>& before, std::uint32_t child) {
  auto* const memory = reinterpret_cast<__m128i*>(before.data());
  const __m128i given = _mm_set1_epi32(static_cast<int>(child));
  __m128i numbers = _mm_setr_epi32(0, 1, 2, 3);
  for (int part = 0; part < 4; ++part, numbers = _mm_add_epi32(numbers, _mm_set1_epi32(4)))
    memory[part] = _mm_sub_epi32(memory[part], _mm_cmpgt_epi32(numbers, given));
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
