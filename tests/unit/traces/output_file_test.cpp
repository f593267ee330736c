#include "traces/files/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

using testing::TemporaryFolder;

TEST(OutputFile, AppearsUnderItsNameWhenCommitted) {
  const TemporaryFolder folder;
  OutputFile file(folder.file("a"));
  file.write("one ");
  file.write("two");
  EXPECT_FALSE(std::filesystem::exists(folder.file("a")));
  file.commit();
  EXPECT_EQ(testing::read_file(folder.file("a")), "one two");
}

TEST(OutputFile, LeavesAnOlderFileAloneUntilCommitted) {
  const TemporaryFolder folder;
  testing::write_file(folder.file("a"), "old");
  {
    OutputFile file(folder.file("a"));
    file.write("new");
  }
  EXPECT_EQ(testing::read_file(folder.file("a")), "old");
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.part")));
}

TEST(OutputFile, KeepsTheOrderOfLargeAndSmallPieces) {
  const TemporaryFolder folder;
  std::string expected;
  OutputFile file(folder.file("a"));
  for (const std::size_t size : {10u, 100'000u, 65'530u, 3u, 65'536u, 1u}) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    expected += piece;
    file.write(piece);
  }
  file.commit();
  EXPECT_EQ(testing::read_file(folder.file("a")), expected);
}

TEST(OutputFile, UnfinishedOnesCanBeRemovedFromOutside) {
  const TemporaryFolder folder;
  testing::write_file(folder.file("a"), "old");
  OutputFile done(folder.file("b"));
  done.commit();
  testing::write_file(folder.file("b.part"), "of another program");
  { const OutputFile given_up(folder.file("c")); }
  testing::write_file(folder.file("c.part"), "of another program");
  OutputFile open(folder.file("a")), second(folder.file("d"));
  open.write("new");
  remove_unfinished_outputs();
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.part")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("d.part")));
  EXPECT_EQ(testing::read_file(folder.file("a")), "old");
  EXPECT_TRUE(std::filesystem::exists(folder.file("b")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("b.part")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("c.part")));
}

TEST(OutputFile, ManyAreOpenAtATime) {
  const TemporaryFolder folder;
  std::vector<std::unique_ptr<OutputFile>> open;
  open.reserve(200);
  for (int i = 0; i < 200; ++i) open.push_back(std::make_unique<OutputFile>(folder.file(std::to_string(i))));
  for (const auto& file : open) file->commit();
  EXPECT_EQ(testing::read_file(folder.file("199")), "");
}

TEST(OutputFile, SaysWhyItCannotBeWritten) {
  const TemporaryFolder folder;
  const auto message = [](const std::string& path) -> std::string {
    try {
      OutputFile file(path);
      file.write("x");
      file.commit();
    } catch (const InputError& error) {
      return error.what();
    }
    return "written";
  };
  EXPECT_EQ(message(folder.file("none/a")),
            folder.file("none/a") + ": cannot write: No such file or directory");
  EXPECT_EQ(message(folder.file("")), folder.file("") + ": cannot write: Is a directory");
  EXPECT_EQ(message("/dev/full"), "/dev/full: cannot write: No space left on device");
  EXPECT_EQ(message("/dev/null"), "written");
}

}  // namespace
}  // namespace warpscope
