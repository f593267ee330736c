#include "traces/stream/line_form.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpscope {
namespace {

/// Lines in memory with what must be readable before and behind them; tries a line after having learnt
/// another.
class Lines {
 public:
  Lines(const std::string& learnt, const std::string& tried)
      : memory_(std::string(LineForm::kSlack, 'f') + learnt + tried + std::string(LineForm::kSlack, 'f')),
        tried_(memory_.data() + LineForm::kSlack + learnt.size()),
        end_(tried_ + tried.size()) {
    const std::size_t tail = learnt.find(' ');
    form.learn(tried_ - learnt.size(), static_cast<int>(tail) - 2,
               static_cast<std::ptrdiff_t>(learnt.size() - tail));
  }
  /// Addresses of the lines that are equal; checks that the cursor is behind them.
  std::vector<std::uint64_t> read(std::size_t room = 8) {
    std::vector<std::uint64_t> addresses(room);
    const char* cursor = tried_;
    addresses.resize(form.read(cursor, end_, addresses));
    const std::size_t length = tried_ == end_ ? 0 : std::string(tried_, end_).find('\n') + 1;
    EXPECT_EQ(cursor - tried_, static_cast<std::ptrdiff_t>(addresses.size() * length));
    return addresses;
  }
  LineForm form;

 private:
  std::string memory_;
  const char* tried_;
  const char* end_;
};

using Addresses = std::vector<std::uint64_t>;

TEST(LineForm, ReadsAddressesOfOneToSixteenDigits) {
  const std::string digits = "0123456789aBcDeF";
  for (std::size_t count = 1; count <= digits.size(); ++count) {
    const std::string line = "0x" + digits.substr(0, count) + " R 3 4 5\n";
    EXPECT_EQ(Lines(line, line).read(), Addresses{std::stoull(digits.substr(0, count), nullptr, 16)}) << line;
  }
}

TEST(LineForm, ReadsAsManyAsThereAreOrAsThereIsRoomFor) {
  const std::string learnt = "0x10 W 0 0 1\n", three = "0x1f W 0 0 1\n0xa0 W 0 0 1\n0x07 W 0 0 1\n";
  EXPECT_EQ(Lines(learnt, three).read(), (Addresses{0x1f, 0xa0, 7}));
  EXPECT_EQ(Lines(learnt, three).read(2), (Addresses{0x1f, 0xa0}));
  EXPECT_EQ(Lines(learnt, three + "0x008 W 0 0 1\n").read(), (Addresses{0x1f, 0xa0, 7}));
  EXPECT_EQ(Lines(learnt, "").read(), Addresses{});
}

// Every byte at every place of a line: only digits may differ, and only by another digit.
TEST(LineForm, TakesNoOtherByteAnywhere) {
  const std::string line = "0x10011F38 R 60 1 1\n";
  for (std::size_t place = 0; place < line.size(); ++place) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string tried = line;
      tried[place] = static_cast<char>(byte);
      const bool digit = place >= 2 && place < 10 && byte != 0 &&
                         std::string("0123456789abcdefABCDEF").find(tried[place]) != std::string::npos;
      const Addresses expected = digit           ? Addresses{std::stoull(tried.substr(2, 8), nullptr, 16)}
                                 : tried == line ? Addresses{0x10011F38}
                                                 : Addresses{};
      // The length of a line that is not taken does not count, so the cursor is not looked at.
      const std::string memory =
          std::string(LineForm::kSlack, '7') + tried + std::string(LineForm::kSlack, '7');
      const char* cursor = memory.data() + LineForm::kSlack;
      Addresses addresses(1);
      addresses.resize(Lines(line, line).form.read(cursor, cursor + tried.size(), addresses));
      ASSERT_EQ(addresses, expected) << "byte " << byte << " at " << place;
    }
  }
}

TEST(LineForm, LeavesLongTailsLongAddressesAndAddressesFrom2To62On) {
  const std::string long_tail = "0x10 R 1000000 1000 1\n";
  EXPECT_EQ(Lines(long_tail, long_tail).read(), Addresses{});
  const std::string longest_tail = "0x10 R 10000 10 100\n";
  EXPECT_EQ(Lines(longest_tail, longest_tail).read(), Addresses{16});
  const std::string long_address = "0x00000000000000010 R 1 1 1\n";
  EXPECT_EQ(Lines(long_address, long_address).read(), Addresses{});
  EXPECT_EQ(Lines("0x1000000000000000 R 1 1 1\n", "0x3fffffffffffffff R 1 1 1\n").read(),
            Addresses{(std::uint64_t{1} << 62) - 1});
  EXPECT_EQ(Lines("0x1000000000000000 R 1 1 1\n", "0x4000000000000000 R 1 1 1\n").read(), Addresses{});
}

TEST(LineForm, ForgottenAndFreshFormsTakeNothing) {
  Lines lines("0x10 R 1 1 1\n", "0x11 R 1 1 1\n");
  lines.form.forget();
  EXPECT_EQ(lines.read(), Addresses{});
}

}  // namespace
}  // namespace warpscope
