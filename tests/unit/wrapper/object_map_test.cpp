#include "wrapper/object_map.h"

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

}  // namespace
}  // namespace warpscope
