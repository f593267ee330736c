// Failures of a tool's body.
#include "tools/options/run_tool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpscope {
namespace {

int status_of(const std::function<int()>& body, std::string& errors) {
  ::testing::internal::CaptureStderr();
  const int status = run_tool("tool", body);
  errors = ::testing::internal::GetCapturedStderr();
  return status;
}

TEST(RunTool, TurnsFailuresIntoStatusAndMessage) {
  std::string errors;
  EXPECT_EQ(status_of([] { return 3; }, errors), 3);
  EXPECT_EQ(errors, "");
  EXPECT_EQ(status_of([]() -> int { throw InputError("a.cl:1: what"); }, errors), kExitBadInput);
  EXPECT_EQ(errors, "tool: a.cl:1: what\n");
  EXPECT_EQ(status_of([]() -> int { throw std::bad_alloc(); }, errors), kExitBadInput);
  EXPECT_THAT(errors, ::testing::HasSubstr("out of memory"));
  EXPECT_EQ(status_of([]() -> int { throw ClosedPipe(); }, errors), kExitOk);
  EXPECT_EQ(errors, "");
}

}  // namespace
}  // namespace warpscope
