// Set indexes: what every one of the registry must do, and IPOLY by hand and by its theorems.
#include "cachesim/l1/ipoly_index.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>

#include "cachesim/l1/cache_config.h"

namespace warpscope {
namespace {

std::vector<std::uint32_t> sets_of(const SetIndexEntry& index, const std::vector<std::uint64_t>& lines,
                                   std::uint32_t sets) {
  std::vector<LineAddr> addresses(lines.begin(), lines.end());
  std::vector<std::uint32_t> result(lines.size());
  index.function(addresses, sets, result.data());
  return result;
}

/// Whether `sets` lines from `first`, `stride` apart, meet every set once.
bool meets_all(const SetIndexEntry& index, std::uint64_t first, std::uint64_t stride, std::uint32_t sets) {
  std::vector<std::uint64_t> lines;
  for (std::uint64_t i = 0; i < sets; ++i) lines.push_back(first + i * stride);
  const auto found = sets_of(index, lines, sets);
  const std::set<std::uint32_t> distinct(found.begin(), found.end());
  return distinct.size() == sets && *distinct.rbegin() == sets - 1;
}

TEST(EverySetIndex, MapsEveryAlignedBlockOntoAllSetsOnce) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (const SetIndexEntry& index : set_indexes()) {
    EXPECT_TRUE(index.takes(32, 128)) << index.name;
    for (const std::uint32_t sets :
         {1u, 2u, 3u, 4u, 8u, 16u, 32u, 48u, 64u, 128u, 256u, 512u, 1024u, 2048u, 4096u}) {
      if (!index.takes(sets, 128)) continue;
      for (int block = 0; block < 20; ++block)
        EXPECT_TRUE(meets_all(index, random() % (1u << 30) * sets, 1, sets)) << index.name << " " << sets;
    }
  }
}

/// Rau: multiplying by x^k permutes the remainders.
TEST(Ipoly, StridesOfAPowerOfTwoMeetAllSetsOnce) {
  const SetIndexEntry& index = set_index("ipoly");
  for (std::uint32_t sets = 2; sets <= kIpolyMostSets; sets *= 2)
    for (int shift = 0; shift < 30; ++shift)
      EXPECT_TRUE(meets_all(index, 0, std::uint64_t{1} << shift, sets)) << sets << " sets, 2^" << shift;
}

std::uint32_t remainder(std::uint32_t number, std::uint32_t divisor) {
  while (std::bit_width(number) >= std::bit_width(divisor))
    number ^= divisor << (std::bit_width(number) - std::bit_width(divisor));
  return number;
}

TEST(Ipoly, PolynomialsAreIrreducibleAndOfTheDegree) {
  for (std::uint32_t sets = 2; sets <= kIpolyMostSets; sets *= 2) {
    const std::uint32_t polynomial = ipoly_polynomial(sets);
    EXPECT_EQ(std::bit_floor(polynomial), sets);
    for (std::uint32_t divisor = 2; divisor < sets; ++divisor)
      EXPECT_NE(remainder(polynomial, divisor), 0u) << polynomial << " is divisible by " << divisor;
  }
}

/// Bits a[0] … a[9] above the index of GPGPU-Sim's equations for 16 sets, src/gpgpu-sim/hashing.cc: bit 0 is
/// the exclusive or of b0 and a0, a3, a4, a6, a8, a9; bit 1 of b1 and a0, a1, a3, a5, a6, a7, a8; bit 2 of b2
/// and a1, a2, a4, a6, a7, a8, a9.
TEST(Ipoly, HasTheEquationsOfGpgpuSim) {
  const std::set<int> equations[] = {{0, 3, 4, 6, 8, 9}, {0, 1, 3, 5, 6, 7, 8}, {1, 2, 4, 6, 7, 8, 9}};
  const SetIndexEntry& index = set_index("ipoly");
  for (int above = 0; above < 10; ++above) {
    const std::uint32_t set = sets_of(index, {std::uint64_t{1} << (4 + above)}, 16)[0];
    for (unsigned bit = 0; bit < 3; ++bit)
      EXPECT_EQ((set >> bit & 1) != 0, equations[bit].contains(above)) << "a" << above << " in bit " << bit;
  }
}

TEST(Ipoly, ByHand) {
  const SetIndexEntry& index = set_index("ipoly");
  // x^5 = x^2 + 1, x^6 = x^3 + x, x^10 = x^4 + 1 modulo x^5 + x^2 + 1.
  EXPECT_EQ(sets_of(index, {1u << 5, 1u << 6, 1u << 10, 1u << 5 | 3}, 32),
            (std::vector<std::uint32_t>{5, 10, 17, 6}));
  // Modulo x + 1 the remainder is the parity.
  EXPECT_EQ(sets_of(index, {7, 0x300000001u}, 2), (std::vector<std::uint32_t>{1, 1}));
  EXPECT_EQ(sets_of(index, {12345}, 1)[0], 0u);
}

}  // namespace
}  // namespace warpscope
