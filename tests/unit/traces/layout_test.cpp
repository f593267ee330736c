#include "traces/program/layout.h"

#include <gtest/gtest.h>

#include <set>

#include "traces/base/error.h"

namespace warpscope {
namespace {

BufferInfo buffer(std::uint32_t id, std::uint64_t size, AddressSpace space = AddressSpace::Global) {
  return {BufferId(id), "b", space, size, ""};
}

// By hand: 512-byte granules from 0x10000000, 2 MiB from 1 MiB up.
TEST(Layout, PlacesBuffersInOrder) {
  const Layout layout(
      {buffer(1, 100), buffer(2, 512), buffer(3, 1 << 20), buffer(4, (1 << 20) - 1), buffer(5, 1)}, {});
  EXPECT_EQ(layout.base(BufferId(1)).value(), 0x10000000u);
  EXPECT_EQ(layout.base(BufferId(2)).value(), 0x10000200u);
  EXPECT_EQ(layout.base(BufferId(3)).value(), 0x10200000u);  // next multiple of 2 MiB
  EXPECT_EQ(layout.base(BufferId(4)).value(), 0x10300000u);
  EXPECT_EQ(layout.base(BufferId(5)).value(), 0x10400000u);  // 0x103fffff rounded up to 512
}

TEST(Layout, AddsTheOffset) {
  const Layout layout({buffer(1, 100), buffer(2, 512)}, {});
  EXPECT_EQ(layout.address(BufferAddr(BufferId(2), 0x34)).value(), 0x10000234u);
  EXPECT_EQ(layout.address(BufferAddr(BufferId(0), 0x34)).value(), 0x34u);
  EXPECT_EQ(layout.base(BufferId(9)).value(), 0u);
}

TEST(Layout, LeavesLocalAndPrivateObjectsAtTheirOffset) {
  const Layout layout(
      {buffer(1, 100, AddressSpace::Local), buffer(2, 64, AddressSpace::Private), buffer(3, 8)}, {});
  EXPECT_EQ(layout.base(BufferId(1)).value(), 0u);
  EXPECT_EQ(layout.base(BufferId(2)).value(), 0u);
  EXPECT_EQ(layout.base(BufferId(3)).value(), 0x10000000u);
}

TEST(Layout, PlacesConstantBuffers) {
  EXPECT_EQ(Layout({buffer(1, 100, AddressSpace::Constant)}, {}).base(BufferId(1)).value(), 0x10000000u);
}

TEST(Layout, FollowsItsOptions) {
  const LayoutOptions options{.base = 0x1001, .granule = 16, .large_from = 64, .large_granule = 256};
  const Layout layout({buffer(1, 1), buffer(2, 64)}, options);
  EXPECT_EQ(layout.base(BufferId(1)).value(), 0x1010u);
  EXPECT_EQ(layout.base(BufferId(2)).value(), 0x1100u);
}

TEST(Layout, FindsTheBufferOfAnAddress) {
  const Layout layout({buffer(1, 100), buffer(2, 512), buffer(3, 0)}, {});
  EXPECT_EQ(layout.buffer_at(ByteAddr(0x10000000)), BufferId(1));
  EXPECT_EQ(layout.buffer_at(ByteAddr(0x10000063)), BufferId(1));
  EXPECT_EQ(layout.buffer_at(ByteAddr(0x10000064)), BufferId(0));
  EXPECT_EQ(layout.buffer_at(ByteAddr(0x100003ff)), BufferId(2));
  EXPECT_EQ(layout.buffer_at(ByteAddr(0x10000400)), BufferId(0));
  EXPECT_EQ(layout.buffer_at(ByteAddr(0)), BufferId(0));
}

TEST(Layout, TakesKeysAsAddressesWhenThereAreNoBuffers) {
  const std::uint64_t address = 0x7f00'1234'5678;  // above the 40 bits of an offset
  EXPECT_EQ(Layout().address(BufferAddr(address)).value(), address);
  EXPECT_EQ(Layout({}, {}).address(BufferAddr(address)).value(), address);
}

TEST(Layout, SeedsChooseOtherPlacesThatNeverOverlap) {
  std::vector<BufferInfo> buffers;
  for (std::uint32_t id = 1; id <= 20; ++id) buffers.push_back(buffer(id, 1000 * id));
  std::set<std::uint64_t> firsts;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const LayoutOptions options{.seed = seed};
    const Layout layout(buffers, options);
    firsts.insert(layout.base(BufferId(1)).value());
    for (const BufferInfo& one : buffers) {
      const std::uint64_t base = layout.base(one.id).value();
      EXPECT_EQ(base % 512, 0u);
      EXPECT_EQ(layout.buffer_at(ByteAddr(base)), one.id);
      EXPECT_EQ(layout.buffer_at(ByteAddr(base + one.size - 1)), one.id);
      EXPECT_EQ(Layout(buffers, options).base(one.id).value(), base);
    }
  }
  EXPECT_GT(firsts.size(), 10u);
}

TEST(Layout, RefusesImpossibleOptions) {
  EXPECT_THROW(Layout({}, {.granule = 100}), InputError);
  EXPECT_THROW(Layout({}, {.granule = 0}), InputError);
  EXPECT_THROW(Layout({}, {.large_granule = 3}), InputError);
  EXPECT_THROW(Layout({}, {.base = ~std::uint64_t{0}}), InputError);
}

}  // namespace
}  // namespace warpscope
