#include "whatif/kernel_change.h"

#include <gmock/gmock.h>

namespace warpscope::whatif {
namespace {

using testing::ElementsAre;

/// One block of ten instructions: a load of 16 bytes at 2, a store at 6; the load's value is used at 4 and 6.
LaunchInfo launch() {
  KernelInfo kernel;
  BlockInfo block;
  block.instructions = 10;
  block.mix = {{"load_global", 1}, {"store_global", 1}};
  block.sites = {SiteId(0), SiteId(1)};
  kernel.blocks = {block};
  SiteInfo load;
  load.width = 16;
  load.alignment = 16;
  load.point = {BlockId(0), 2};
  load.earliest = ProgramPoint{BlockId(0), 1};
  load.consumers = {{BlockId(0), 4}, {BlockId(0), 6}};
  SiteInfo store;
  store.kind = AccessKind::Store;
  store.width = 4;
  store.point = {BlockId(0), 6};
  kernel.sites = {load, store};
  LaunchInfo launch;
  launch.kernel = kernel;
  return launch;
}

Plan nothing_moves() {
  Plan plan;
  plan.maps.resize(1);
  plan.bypass.resize(1);
  return plan;
}

std::vector<SiteFit> load_in_two() {
  return {{{{0, 8, 8}, {8, 8, 4}}, true, false}, {{{0, 4, 4}}, false, true}};
}

TEST(KernelChange, ASplitSiteBecomesNeighbours) {
  const KernelInfo kernel = changed_kernel(launch(), load_in_two(), nothing_moves(), {});
  ASSERT_EQ(kernel.sites.size(), 3u);
  EXPECT_THAT(kernel.blocks[0].sites, ElementsAre(SiteId(0), SiteId(1), SiteId(2)));
  EXPECT_EQ(kernel.sites[0].width, 8u);
  EXPECT_EQ(kernel.sites[0].alignment, 8u);
  EXPECT_EQ(kernel.sites[1].alignment, 4u);
  EXPECT_EQ(kernel.sites[2].kind, AccessKind::Store);
}

TEST(KernelChange, PointsBehindASplitMoveOn) {
  const KernelInfo kernel = changed_kernel(launch(), load_in_two(), nothing_moves(), {});
  EXPECT_EQ(kernel.sites[0].point.position, 2u);
  EXPECT_EQ(kernel.sites[1].point.position, 3u);
  EXPECT_EQ(kernel.sites[2].point.position, 7u);
  for (const int part : {0, 1}) {
    EXPECT_EQ(kernel.sites[part].earliest->position, 1u);
    EXPECT_EQ(kernel.sites[part].consumers[0].position, 5u);
    EXPECT_EQ(kernel.sites[part].consumers[1].position, 7u);
  }
  EXPECT_EQ(kernel.blocks[0].instructions, 11u);
  EXPECT_EQ(kernel.blocks[0].mix.at("load_global"), 2u);
  EXPECT_EQ(kernel.blocks[0].mix.at("store_global"), 1u);
}

TEST(KernelChange, WhatBypassesIsNotVolatile) {
  const KernelInfo kernel = changed_kernel(launch(), load_in_two(), nothing_moves(), {});
  EXPECT_FALSE(kernel.sites[0].is_bypass);
  EXPECT_TRUE(kernel.sites[2].is_bypass);
  EXPECT_FALSE(kernel.sites[2].is_volatile);
}

TEST(KernelChange, LocalMemoryGrowsWithItsArrays) {
  LaunchInfo before = launch();
  before.kernel.edit().objects = {{"tile", AddressSpace::Local, 64}};
  before.kernel.edit().static_local_bytes = 100;
  before.objects = {BufferId(1)};
  Plan plan;
  plan.maps = {nullptr, pitch_map(64, 16, 20)};
  plan.bypass.resize(2);
  const std::vector<BufferInfo> buffers = {{BufferId(1), "tile", AddressSpace::Local, 64, ""}};
  const KernelInfo kernel = changed_kernel(before, load_in_two(), plan, buffers);
  EXPECT_EQ(kernel.objects[0].size, 80u);
  EXPECT_EQ(kernel.static_local_bytes, 116u);
}

}  // namespace
}  // namespace warpscope::whatif
