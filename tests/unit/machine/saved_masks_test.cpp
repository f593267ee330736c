// Masks of convergence barriers that are in registers: what comes back.
#include "machine/execute/base/saved_masks.h"

#include <gtest/gtest.h>

namespace warpscope::machine {
namespace {

TEST(SavedMasks, ComeBackWithoutTheLanesThatWereTakenOut) {
  SavedMasks masks;
  masks.save(7, 0xff, 0x0f);
  masks.take_out(7, 0xff, 0x30, 0);
  masks.take_out(7, 0xcf, 0x40, 0);  // what it is by then
  EXPECT_EQ(masks.restore(7, 0xff, 0, 0), 0x8fu);
  EXPECT_EQ(masks.restore(7, 0xff, 0, 0), 0xffu) << "once";
  EXPECT_EQ(masks.restore(7, 0xff, 3, 0), 0x8fu);
  EXPECT_EQ(masks.restore(7, 0xff, 4, 0), 0xffu) << "a lane that has not saved it";
}

TEST(SavedMasks, OtherBarriersAndMasksAreNotTouched) {
  SavedMasks masks;
  masks.save(7, 0xff, 0x0f);
  masks.save(6, 0xff, 0x0f);
  masks.take_out(6, 0xff, 0x30, 0);
  masks.take_out(7, 0xfe, 0x30, 0);
  EXPECT_EQ(masks.restore(7, 0xff, 0, 0), 0xffu);
  EXPECT_EQ(masks.restore(6, 0xff, 0, 0), 0xcfu);
}

TEST(SavedMasks, LanesThatHaveExitedDoNotCount) {
  SavedMasks masks;
  masks.save(7, 0xff, 0x0f);
  masks.take_out(7, 0x7f, 0x30, 0x80);
  EXPECT_EQ(masks.restore(7, 0xff, 0, 0x80) & ~0x80u, 0x4fu);
}

TEST(SavedMasks, TheLastOfSeveralCallsComesBackFirst) {
  SavedMasks masks;
  masks.save(7, 0xff, 0x01);
  masks.take_out(7, 0xff, 0x30, 0);
  masks.save(7, 0xff, 0x01);
  EXPECT_EQ(masks.restore(7, 0xff, 0, 0), 0xffu);
  EXPECT_EQ(masks.restore(7, 0xff, 0, 0), 0xcfu);
}

}  // namespace
}  // namespace warpscope::machine
