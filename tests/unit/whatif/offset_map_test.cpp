#include "whatif/layout/offset_map.h"

#include <gmock/gmock.h>

#include <set>

namespace warpscope::whatif {
namespace {

using testing::ElementsAre;

std::vector<std::uint64_t> moved(const OffsetMap& map, std::vector<std::uint64_t> offsets) {
  for (std::uint64_t& offset : offsets) offset = *map.moved(offset);
  return offsets;
}

TEST(OffsetMap, PitchKeepsRowAndColumn) {
  const auto map = pitch_map(64, 16, 20);
  EXPECT_THAT(moved(*map, {0, 15, 16, 63}), ElementsAre(0, 15, 20, 75));
  EXPECT_EQ(map->new_size(), 80u);
  EXPECT_EQ(map->together(12), 4u);
  EXPECT_EQ(map->alignment_kept(0), 4u);
}

TEST(OffsetMap, NarrowerPitchHasNoPlaceForTheLastColumns) {
  const auto map = pitch_map(40, 16, 12);
  EXPECT_EQ(map->moved(11), 11u);
  EXPECT_FALSE(map->moved(12));
  EXPECT_EQ(map->new_size(), 2u * 12 + 8) << "two rows and a half";
}

TEST(OffsetMap, ShiftMovesAllBytes) {
  EXPECT_THAT(moved(*shift_map(64, 12), {0, 63}), ElementsAre(12, 75));
  EXPECT_EQ(shift_map(64, 12)->new_size(), 76u);
  EXPECT_FALSE(shift_map(64, -8)->moved(7));
  EXPECT_EQ(shift_map(64, -8)->moved(8), 0u);
  EXPECT_EQ(shift_map(64, 12)->alignment_kept(0), 4u);
}

TEST(OffsetMap, SwizzleExchangesPiecesOfARow) {
  // Rows of four pieces of 4 bytes: row 1 exchanges neighbours, row 2 halves, row 4 is as row 0.
  const auto map = swizzle_map(80, 16, 4);
  EXPECT_THAT(moved(*map, {0, 4, 16, 20, 33, 64}), ElementsAre(0, 4, 20, 16, 41, 64));
}

TEST(OffsetMap, SplitMakesArraysOfFields) {
  // Three structures of a double, two bytes and six bytes of padding.
  const auto map = split_map(48, 16, {8, 2});
  EXPECT_THAT(moved(*map, {0, 16, 32, 8, 24, 41}), ElementsAre(0, 8, 16, 24, 26, 29));
  EXPECT_FALSE(map->moved(10));
  EXPECT_EQ(map->new_size(), 30u);
  EXPECT_EQ(map->together(3), 5u);
  EXPECT_EQ(map->alignment_kept(0), 8u);
  EXPECT_EQ(map->alignment_kept(8), 2u);
}

TEST(OffsetMap, TransposeExchangesRowAndColumn) {
  // Two rows of three elements of 4 bytes; two such matrices.
  const auto map = transpose_map(50, 2, 3, 4);
  EXPECT_THAT(moved(*map, {0, 4, 8, 12, 17, 28}), ElementsAre(0, 8, 16, 4, 13, 32));
  EXPECT_FALSE(map->moved(48)) << "behind the last whole matrix";
}

TEST(OffsetMap, BothGoThroughTheLayoutBetween) {
  const auto map = both(pitch_map(64, 16, 20), shift_map(80, 2));
  EXPECT_EQ(map->moved(16), 22u);
  EXPECT_EQ(map->new_size(), 82u);
  EXPECT_EQ(map->alignment_kept(0), 2u);
}

TEST(OffsetMap, NoTwoBytesGoToOnePlace) {
  for (const auto& map :
       {pitch_map(96, 12, 17), shift_map(96, 5), swizzle_map(96, 32, 8), split_map(96, 12, {4, 1, 7}),
        transpose_map(96, 3, 4, 8), both(transpose_map(96, 4, 6, 4), swizzle_map(96, 16, 4))}) {
    std::set<std::uint64_t> places;
    for (std::uint64_t offset = 0; offset < 96; ++offset) places.insert(*map->moved(offset));
    EXPECT_EQ(places.size(), 96u);
    EXPECT_LT(*places.rbegin(), map->new_size());
  }
}

TEST(OffsetMap, BytesThatStayTogetherAreNeighbours) {
  for (const auto& map : {pitch_map(96, 12, 17), swizzle_map(96, 32, 8), split_map(96, 12, {4, 1, 7}),
                          transpose_map(96, 3, 4, 8)})
    for (std::uint64_t offset = 0; offset < 96; ++offset)
      for (std::uint64_t next = 1; next < map->together(offset) && offset + next < 96; ++next)
        EXPECT_EQ(*map->moved(offset + next), *map->moved(offset) + next);
}

}  // namespace
}  // namespace warpscope::whatif
