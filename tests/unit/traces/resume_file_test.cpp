// What an interrupted run has done, whatever interrupts it and whatever becomes of the file.
#include "traces/files/resume_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

using testing::TemporaryFolder;
using Key = ResumeFile::Key;

constexpr std::uint32_t kTag = section_tag("TEST");
const nlohmann::json kIdentity = {{"version", "1"}, {"options", {{"--seed", "1"}, {"--gpu", "h100"}}}};

std::vector<std::uint8_t> payload(std::uint64_t number) {
  // Short ones are stored as they are, long ones are packed.
  return std::vector<std::uint8_t>(5 + 300 * (number % 2), static_cast<std::uint8_t>(number));
}

void add(const std::string& path, std::initializer_list<std::uint64_t> numbers) {
  ResumeFile file(path, kIdentity);
  for (const std::uint64_t number : numbers) file.add({kTag, 0, number}, payload(number));
}

/// The records of a file, each of which must be what was written; -1 where it is refused.
int intact_records(const std::string& path) {
  try {
    const ResumeFile file(path, kIdentity);
    for (const std::uint64_t number : file.numbers(kTag, 0))
      EXPECT_EQ(file.read({kTag, 0, number}), payload(number));
    return static_cast<int>(file.numbers(kTag, 0).size());
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::StartsWith(path));
    return -1;
  }
}

TEST(ResumeFile, GoesOnWithWhatIsThere) {
  const TemporaryFolder folder;
  const std::string path = folder.file("r");
  add(path, {3, 1});
  add(path, {2});
  ResumeFile file(path, kIdentity);
  EXPECT_THAT(file.numbers(kTag, 0), ::testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(file.numbers(kTag, 1), ::testing::IsEmpty()) << "another stage";
  EXPECT_TRUE(file.has({kTag, 0, 3}));
  EXPECT_FALSE(file.has({kTag, 0, 4}));
  file.add({kTag, 0, 3}, payload(7));
  EXPECT_EQ(file.read({kTag, 0, 3}), payload(7)) << "the later one counts";
  file.remove();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ResumeFile, WithoutRecordsLeavesNothing) {
  const TemporaryFolder folder;
  add(folder.file("r"), {});
  EXPECT_FALSE(std::filesystem::exists(folder.file("r")));
}

TEST(ResumeFile, HasOneOwner) {
  const TemporaryFolder folder;
  const ResumeFile file(folder.file("r"), kIdentity);
  EXPECT_THROW(ResumeFile(folder.file("r"), kIdentity), InputError);
}

TEST(ResumeFile, IsOfOneCommand) {
  const TemporaryFolder folder;
  const std::string path = folder.file("r");
  add(path, {1});
  const std::string before = testing::read_file(path);
  const auto message = [&](const nlohmann::json& identity) {
    try {
      const ResumeFile file(path, identity);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  nlohmann::json other = kIdentity;
  other["options"]["--seed"] = "2";
  EXPECT_THAT(message(other), ::testing::HasSubstr("another --seed"));
  other = kIdentity;
  other["options"]["--keep-l1"] = "on";
  EXPECT_THAT(message(other), ::testing::HasSubstr("another --keep-l1"));
  other = kIdentity;
  other["options"].erase("--gpu");
  EXPECT_THAT(message(other), ::testing::HasSubstr("another --gpu"));
  other = kIdentity;
  other["version"] = "2";
  EXPECT_THAT(message(other), ::testing::HasSubstr("another version"));
  EXPECT_EQ(testing::read_file(path), before) << "it stays for its command";
  EXPECT_EQ(message(kIdentity), "taken");
}

TEST(ResumeFile, DropsAnIncompleteEnd) {
  const TemporaryFolder folder;
  const std::string path = folder.file("r");
  add(path, {0, 1, 2});
  const std::string whole = testing::read_file(path);
  int most = 0;
  for (std::size_t size = 1; size <= whole.size(); ++size) {
    testing::write_file(path, whole.substr(0, size));
    const int records = intact_records(path);
    ASSERT_GE(records, std::min(most, 3)) << "a longer file has no fewer";
    most = std::max(most, records);
    if (records < 1) continue;
    add(path, {9});  // behind what is intact
    ASSERT_EQ(intact_records(path), records + 1) << size;
  }
  EXPECT_EQ(most, 3);
}

TEST(ResumeFile, TakesNothingThatIsDamaged) {
  const TemporaryFolder folder;
  const std::string path = folder.file("r");
  add(path, {0, 1, 2});
  const std::string whole = testing::read_file(path);
  for (std::size_t byte = 0; byte < whole.size(); ++byte)
    for (const int bit : {0, 7}) {
      std::string damaged = whole;
      damaged[byte] = static_cast<char>(damaged[byte] ^ 1 << bit);
      testing::write_file(path, damaged);
      ASSERT_LT(intact_records(path), 3) << "byte " << byte;
    }
}

TEST(ResumeFile, RefusesOtherFiles) {
  const TemporaryFolder folder;
  const std::string path = folder.file("r");
  for (const char* content :
       {"x", "{}", "WSRESUMING", "WSCAPTUR and more of it, longer than a header of a section"}) {
    testing::write_file(path, content);
    EXPECT_EQ(intact_records(path), -1);
    EXPECT_EQ(testing::read_file(path), content) << "it may be somebody's";
  }
}

TEST(ResumeFile, DroppedRecordsDoNotHideOthers) {
  const TemporaryFolder folder;
  const std::string path = folder.file("r");
  const Key state{ResumeFile::kReplaced, 0, 1};
  {
    ResumeFile file(path, kIdentity);
    file.add({kTag, 0, 1}, payload(1));
    file.add(state, std::vector<std::uint8_t>(100'000, 1));
    file.add({kTag, 0, 2}, payload(2));
    file.drop(state);
    file.drop(state);
    EXPECT_FALSE(file.has(state));
  }
  EXPECT_EQ(intact_records(path), 2);
  const ResumeFile file(path, kIdentity);
  if (file.has(state)) {
    EXPECT_THROW(static_cast<void>(file.read(state)), InputError);
  }
}

}  // namespace
}  // namespace warpscope
