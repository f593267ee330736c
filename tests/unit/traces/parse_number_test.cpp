// Whole numbers, real numbers and names in text from outside.
#include "traces/base/parse_number.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "traces/base/names.h"

namespace warpscope {
namespace {

TEST(ParseNumber, TakesAllOfTheTextOrNothing) {
  EXPECT_EQ(parse_number("0"), 0u);
  EXPECT_EQ(parse_number("007"), 7u);
  EXPECT_EQ(parse_number("18446744073709551615"), ~std::uint64_t{0});
  for (const char* wrong : {"", " ", " 1", "1 ", "+1", "-1", "1.0", "1e3", "0x10", "18446744073709551616"})
    EXPECT_EQ(parse_number(wrong), std::nullopt) << wrong;
}

TEST(ParseNumber, BoundsAreAllowed) {
  EXPECT_EQ(parse_number("2", 2, 4), 2u);
  EXPECT_EQ(parse_number("4", 2, 4), 4u);
  EXPECT_EQ(parse_number("1", 2, 4), std::nullopt);
  EXPECT_EQ(parse_number("5", 2, 4), std::nullopt);
}

TEST(ParseNumber, HexadecimalWhereAsked) {
  const auto parse = [](const char* text) {
    return parse_number(text, 0, ~std::uint64_t{0}, Notation::DecimalOrHex);
  };
  EXPECT_EQ(parse("0x1F"), 31u);
  EXPECT_EQ(parse("0Xff"), 255u);
  EXPECT_EQ(parse("10"), 10u);
  for (const char* wrong : {"0x", "0xg", "ff", "0x-1", "0x10000000000000000"})
    EXPECT_EQ(parse(wrong), std::nullopt) << wrong;
}

TEST(TakeNumber, LeavesTheRest) {
  std::string_view text = "12-34";
  EXPECT_EQ(take_number(text), 12u);
  EXPECT_EQ(text, "-34");
  EXPECT_EQ(take_number(text), std::nullopt);
  EXPECT_EQ(text, "-34");
}

TEST(ParseReal, TakesAllOfTheTextOrNothing) {
  EXPECT_EQ(parse_real("1.5"), 1.5);
  EXPECT_EQ(parse_real("-2e3"), -2000.0);
  for (const char* wrong : {"", "1.5x", " 1", "1 "}) EXPECT_EQ(parse_real(wrong), std::nullopt) << wrong;
}

struct Named {
  const char* name;
  int value;
};

TEST(Names, AreFoundInTables) {
  constexpr std::array kTable = {Named{"one", 1}, Named{"two", 2}};
  ASSERT_NE(find_named(kTable, "two"), nullptr);
  EXPECT_EQ(find_named(kTable, "two")->value, 2);
  EXPECT_EQ(find_named(kTable, "tw"), nullptr);
  EXPECT_EQ(names_of(kTable), "one, two");
  EXPECT_EQ(names_of(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(names_of(std::vector<std::string>{}), "");
  EXPECT_STREQ(unknown_name("--rule x: unknown rule", names_of(kTable)).what(),
               "--rule x: unknown rule, expected one of one, two");
}

}  // namespace
}  // namespace warpscope
