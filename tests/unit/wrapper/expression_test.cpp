#include "wrapper/launch/expressions/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traces/base/error.h"

namespace warpscope {
namespace {

Number names(const std::string& name) {
  if (name == "gx") return std::int64_t{512};
  if (name == "half") return 0.5;
  throw UnknownName("unknown name '" + name + "'");
}

Number value(const std::string& text) {
  return evaluate(text, names, "here");
}

void expect_integer(const std::string& text, std::int64_t expected) {
  const Number result = value(text);
  ASSERT_TRUE(std::holds_alternative<std::int64_t>(result)) << text;
  EXPECT_EQ(std::get<std::int64_t>(result), expected) << text;
}

std::string expression_message(const std::string& text) {
  try {
    value(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Expression, FollowsCsPrecedence) {
  expect_integer("2+3*4", 14);
  expect_integer("(2+3)*4", 20);
  expect_integer("20/3/2", 3);
  expect_integer("20-3-2", 15);
  expect_integer("7%4*2", 6);
  expect_integer("-3+5", 2);
  expect_integer("2*-3", -6);
  expect_integer(" 2 * ( 3 + 4 ) ", 14);
}

TEST(Expression, DividesIntegersTowardsZero) {
  expect_integer("-7/2", -3);
  expect_integer("-7%2", -1);
}

TEST(Expression, KnowsNamesAndFunctions) {
  expect_integer("gx*gx", 262144);
  expect_integer("min(gx, 100)", 100);
  expect_integer("max(gx, 100) + 1", 513);
  expect_integer("ceil_div(gx, 100)", 6);
  expect_integer("ceil_div(500, 100)", 5);
  expect_integer("0xff", 255);
}

TEST(Expression, ComputesInDoubleAsSoonAsAnOperandIs) {
  EXPECT_DOUBLE_EQ(std::get<double>(value("gx*half")), 256.0);
  EXPECT_DOUBLE_EQ(std::get<double>(value("1.5e2f + 1")), 151.0);
  EXPECT_DOUBLE_EQ(std::get<double>(value("1/2.0")), 0.5);
}

TEST(Expression, NamesWhatIsWrong) {
  EXPECT_THAT(expression_message("2+"), testing::HasSubstr("here: '2+': it ends too early"));
  EXPECT_THAT(expression_message("(2"), testing::HasSubstr("')' is missing"));
  EXPECT_THAT(expression_message("2 3"), testing::HasSubstr("unexpected '3'"));
  EXPECT_THAT(expression_message("1/0"), testing::HasSubstr("division by zero"));
  EXPECT_THAT(expression_message("5%(gx-512)"), testing::HasSubstr("division by zero"));
  EXPECT_THAT(expression_message("pow(2,3)"), testing::HasSubstr("unknown function 'pow'"));
  EXPECT_THAT(expression_message("width"), testing::StartsWith("here: 'width': unknown name 'width'"));
  EXPECT_THAT(expression_message("9223372036854775807+1"), testing::HasSubstr("integer overflow"));
  EXPECT_THAT(expression_message("9223372036854775808"), testing::HasSubstr("larger than"));
  EXPECT_THAT(expression_message(std::string(100000, '(')), testing::HasSubstr("nested too deeply"));
  EXPECT_THAT(expression_message(std::string(100000, '-')), testing::HasSubstr("nested too deeply"));
}

TEST(Expression, RejectsSizesThatAreNone) {
  EXPECT_EQ(evaluate_size("gx/2", names, "here", 1), 256u);
  EXPECT_THROW(evaluate_size("0", names, "here", 1), InputError);
  EXPECT_EQ(evaluate_size("0", names, "here", 0), 0u);
  EXPECT_THROW(evaluate_size("-1", names, "here", 0), InputError);
  EXPECT_THROW(evaluate_size("1.5", names, "here", 1), InputError);
  EXPECT_THROW(evaluate_size("gx*gx*gx*gx*gx", names, "here", 1), InputError);
}

}  // namespace
}  // namespace warpscope
