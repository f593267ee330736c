#include "wrapper/recording/lookup/object_map.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

constexpr StaticObject kUnknown{};
constexpr StaticObject argument(std::uint32_t index) {
  return {StaticObject::Kind::Argument, index};
}
constexpr StaticObject private_array(std::uint32_t index) {
  return {StaticObject::Kind::Private, index};
}

ObjectMap example() {
  ObjectMap map({{BufferId(1), 64, AddressSpace::Global}, {}, {BufferId(2), 32, AddressSpace::Global}},
                {{BufferId(3), 16, AddressSpace::Private}}, 2);
  map.place(0, 0, 0x1000, 0);
  map.place(0, 2, 0x1040, 0);
  map.place(1, 0, 0x9000, 0);
  map.place(1, 0, 0x9100, 1);
  return map;
}

TEST(ObjectMap, FindsBuffersByAddress) {
  ObjectMap map = example();
  EXPECT_EQ(map.find(kUnknown, 0x1000, 0x1004, 0).id, BufferId(1));
  EXPECT_EQ(map.find(kUnknown, 0x103c, 0x1040, 0).id, BufferId(1));
  EXPECT_EQ(map.find(kUnknown, 0x1040, 0x1044, 0).id, BufferId(2));
  EXPECT_EQ(map.find(kUnknown, 0x103e, 0x1042, 0).id, BufferId(0)) << "half in one buffer, half in the next";
  EXPECT_EQ(map.find(kUnknown, 0x1060, 0x1064, 0).id, BufferId(0));
  EXPECT_EQ(map.find(kUnknown, 0xfff, 0x1003, 0).id, BufferId(0));
  EXPECT_EQ(BufferAddr(map.find(kUnknown, 0x1010, 0x1014, 0).key(0x1010)).offset(), 0x10u);
}

TEST(ObjectMap, HoldsAccessesToTheirStaticObject) {
  ObjectMap map = example();
  EXPECT_EQ(map.find(argument(0), 0x103c, 0x1040, 0).id, BufferId(1));
  EXPECT_EQ(map.find(argument(0), 0x1040, 0x1044, 0).id, BufferId(0)) << "the next buffer does not count";
}

TEST(ObjectMap, GivesEveryWorkItemItsPrivateObject) {
  ObjectMap map = example();
  EXPECT_EQ(map.find(private_array(0), 0x9000, 0x9004, 0).id, BufferId(3));
  EXPECT_EQ(map.find(private_array(0), 0x9000, 0x9004, 1).id, BufferId(0));
  EXPECT_EQ(map.find(private_array(0), 0x9104, 0x9108, 1).key(0x9104), BufferAddr(BufferId(3), 4).key());
  EXPECT_EQ(map.find(kUnknown, 0x9104, 0x9108, 1).id, BufferId(3));
}

TEST(ObjectMap, FollowsObjectsThatMove) {
  ObjectMap map = example();
  map.place(0, 2, 0x5000, 0);
  EXPECT_EQ(map.find(kUnknown, 0x5000, 0x5004, 0).id, BufferId(2));
  EXPECT_EQ(map.find(kUnknown, 0x1040, 0x1044, 0).id, BufferId(0));
}

TEST(ObjectMap, SubBuffersArePlacesInTheirBuffer) {
  // Argument 0: bytes 64 to 127 of buffer 1; argument 1: all of it.
  ObjectMap map({{BufferId(1), 64, AddressSpace::Global, 64}, {BufferId(1), 256, AddressSpace::Global}}, {},
                1);
  map.place(0, 0, 0x1040, 0);
  map.place(0, 1, 0x1000, 0);
  EXPECT_EQ(BufferAddr(map.find(argument(0), 0x1044, 0x1048, 0).key(0x1044)), BufferAddr(BufferId(1), 68));
  EXPECT_EQ(map.find(argument(0), 0x1080, 0x1084, 0).id, BufferId(0)) << "beyond the sub-buffer";
  EXPECT_EQ(BufferAddr(map.find(argument(1), 0x1080, 0x1084, 0).key(0x1080)), BufferAddr(BufferId(1), 128));
  // Without a static object, the whole buffer counts, wherever the sub-buffer lies in it.
  for (const std::uint64_t address : {0x1000u, 0x1044u, 0x1080u, 0x10fcu})
    EXPECT_EQ(BufferAddr(map.find(kUnknown, address, address + 4, 0).key(address)),
              BufferAddr(BufferId(1), address - 0x1000));
}

TEST(ObjectMap, FindsMemoryThatIsNoArgument) {
  ObjectMap map({{BufferId(1), 64, AddressSpace::Global}}, {}, 1, {{0x5000, 32, BufferId(7)}});
  map.place(0, 0, 0x1000, 0);
  EXPECT_EQ(map.find(kUnknown, 0x5010, 0x5014, 0).id, BufferId(7));
  EXPECT_EQ(map.find(argument(0), 0x5010, 0x5014, 0).id, BufferId(0));
  EXPECT_EQ(map.argument_base(0), 0x1000u);
}

TEST(ObjectMap, KnowsWhatAllWorkItemsShare) {
  const ObjectMap map = example();
  EXPECT_EQ(map.shared(argument(2)).base, 0x1040u);
  EXPECT_EQ(map.shared(private_array(0)).base, 0u);
  EXPECT_EQ(map.shared(kUnknown).base, 0u);
}

}  // namespace
}  // namespace warpscope
