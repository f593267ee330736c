#include "traces/base/printable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"
#include "traces/files/text_file.h"

namespace warpscope {
namespace {

using testing::TemporaryFolder;

TEST(Printable, EscapesWhatMovesTheCursorOrTurnsText) {
  EXPECT_EQ(printable("a\x1b[2J\r\n\tb"), "a\\x1b[2J\\x0d\\n\\tb");
  EXPECT_EQ(printable(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u{9b}31m");                            // CSI of 8 bits, as UTF-8
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u{202e}");  // right-to-left override
  EXPECT_EQ(printable("\xe2\x81\xa6\xe2\x80\xa8"), "\\u{2066}\\u{2028}");
}

TEST(Printable, LeavesCharactersAlone) {
  const std::string text = "kernel_1 … é 日本 \xf0\x9f\x98\x80 \\x41";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("a\xff"), "a\\xff");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
  EXPECT_EQ(printable("\xe2\x80"), "\\xe2\\x80");           // cut off
}

TEST(Printable, LinesKeepTheirEnds) {
  EXPECT_EQ(printable_lines("a\n\tb\x1b\n"), "a\n\tb\\x1b\n");
}

TEST(Printable, ShortensTheMiddleOfWordsAndMessages) {
  EXPECT_EQ(quotable("0123456789", 10), "0123456789");
  EXPECT_EQ(quotable("0123456789x", 4), "01…9x");
  EXPECT_EQ(quotable("ééééé", 5), "é…é");  // 2 + 3 bytes, no half of a character
  const std::string message = printable_message("file:3: '" + std::string(200000, 'a') + "', expected R");
  EXPECT_THAT(message, ::testing::StartsWith("file:3: 'aaa"));
  EXPECT_THAT(message, ::testing::EndsWith("aaa', expected R"));
  EXPECT_LT(message.size(), 250u);
  std::string words;
  for (int i = 0; i < 50000; ++i) words += "abc ";
  EXPECT_LT(printable_message(words).size(), 2010u);
}

TEST(Printable, LogsKeepTheirFirstLines) {
  std::string log = "one\x1b\n" + std::string(1000, 'b') + "\n";
  EXPECT_EQ(printable_log(log).substr(0, 8), "one\\x1b\n");
  EXPECT_LT(printable_log(log).size(), 420u);
  EXPECT_EQ(printable_log(""), "");
  const std::string many = printable_log(std::string(1000, '\n'));
  EXPECT_EQ(std::count(many.begin(), many.end(), '\n'), 201);
}

std::string failure_of(const std::string& path) {
  try {
    (void)read_text_file(path, "a table");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TextFile, IsReadAsItIs) {
  const TemporaryFolder folder;
  const std::string text = "a\r\n\0b" + std::string(200000, 'c');
  testing::write_file(folder.file("text"), text);
  EXPECT_EQ(read_text_file(folder.file("text"), "a text"), text);
  // A regular file may have a long line.
  testing::write_file(folder.file("long"), std::string(3u << 20, 'x'));
  EXPECT_EQ(read_text_file(folder.file("long"), "a text").size(), 3u << 20);
}

TEST(TextFile, RefusesWhatNeverEndsAndWhatIsNoFile) {
  EXPECT_EQ(failure_of("/dev/zero"),
            "/dev/zero: has a line of more than 1 MiB and is not a regular file, expected a table");
  EXPECT_EQ(failure_of("/dev"), "/dev: cannot read: Is a directory, expected a table");
  EXPECT_EQ(failure_of(std::string(300, 'n')),
            std::string(300, 'n') + ": cannot read: File name too long, expected a table");
  const TemporaryFolder folder;
  const std::string sparse = folder.file("sparse");
  testing::write_file(sparse, "");
  std::filesystem::resize_file(sparse, kMostTextBytes + 1);
  EXPECT_EQ(failure_of(sparse), sparse + ": has more than 256 MiB, expected a table");
}

}  // namespace
}  // namespace warpscope
