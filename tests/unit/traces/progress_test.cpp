#include "traces/base/progress.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

using std::chrono::seconds;

TEST(Progress, TheRestIsSupposedToGoAsFast) {
  EXPECT_EQ(time_left(25, 100, seconds(10)), "30 s left");
  EXPECT_EQ(time_left(3, 10, seconds(10)), "24 s left");  // 23.3
  EXPECT_EQ(time_left(1, 11, seconds(12)), "2 min 0 s left");
  EXPECT_EQ(time_left(1, 1001, seconds(5)), "1 h 23 min left");  // 5,000 s
}

TEST(Progress, NothingIsSaidOfWhatIsNotKnown) {
  EXPECT_EQ(time_left(0, 100, seconds(10)), "");
  EXPECT_EQ(time_left(100, 100, seconds(10)), "");
  EXPECT_EQ(time_left(120, 100, seconds(10)), "");
  EXPECT_EQ(time_left(50, 100, seconds(1)), "");
}

TEST(Progress, AMinuteIsLong) {
  EXPECT_TRUE(is_long(1, 11, seconds(12)));
  EXPECT_FALSE(is_long(25, 100, seconds(10)));
  EXPECT_FALSE(is_long(1, 61, seconds(1))) << "too early to say";
  EXPECT_FALSE(is_long(0, 100, seconds(500)));
  EXPECT_FALSE(is_long(100, 100, seconds(500)));
}

}  // namespace
}  // namespace warpscope
