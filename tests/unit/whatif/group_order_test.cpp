#include "whatif/group_order.h"

#include <gmock/gmock.h>

namespace warpscope::whatif {
namespace {

using testing::ElementsAre;

/// Which work-group starts first, second, …
std::vector<std::uint32_t> order(const GroupOrder& groups, std::uint32_t count) {
  std::vector<std::uint32_t> result(count, ~0u);
  for (std::uint32_t group = 0; group < count; ++group)
    result[groups.turn_of(WorkGroupId(group)).value()] = group;
  return result;
}

Change tiles(std::uint64_t width, std::uint64_t height) {
  return {ChangeKind::Groups, "", "", {width, height}};
}

TEST(GroupOrder, TilesFollowEachOther) {
  EXPECT_THAT(order(GroupOrder(tiles(2, 2), {4, 2, 1}), 8), ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
}

TEST(GroupOrder, TilesAtTheEdgeAreSmaller) {
  EXPECT_THAT(order(GroupOrder(tiles(2, 2), {3, 3, 1}), 9), ElementsAre(0, 1, 3, 4, 2, 5, 6, 7, 8));
}

TEST(GroupOrder, MortonLeavesOutWhatIsOutside) {
  Change morton{ChangeKind::Groups, "", "", {}};
  morton.morton = true;
  EXPECT_THAT(order(GroupOrder(morton, {3, 2, 1}), 6), ElementsAre(0, 1, 3, 4, 2, 5));
}

TEST(GroupOrder, LayersFollowEachOther) {
  EXPECT_THAT(order(GroupOrder(tiles(1, 2), {2, 2, 2}), 8), ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
}

}  // namespace
}  // namespace warpscope::whatif
