// Bad input through the program: one line that says what is wrong and what was expected, exit status 2, no
// output file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/unit/temporary_folder.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Outcome {
  int status = -1;
  std::string output, errors;
};

class CachesimErrors : public testing::Test {
 protected:
  void SetUp() override {
    text_ = file("good.txt");
    std::ofstream text(text_);
    text << "4 2\n";
    for (int i = 0; i < 400; ++i)
      text << "0x" << std::hex << 0x1000 + i * 32 << std::dec << " R " << i / 200 << " 0 1\n";
  }

  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
  [[nodiscard]] Outcome run(const std::string& arguments, const std::string& before = "") const {
    const std::string errors = file("errors");
    const std::string command = before + WARPSCOPE_BIN_DIR "/cachesim " + arguments + " 2>" + errors;
    Outcome outcome;
    FILE* pipe = popen(command.c_str(), "r");
    std::array<char, 4096> chunk{};
    while (const std::size_t got = fread(chunk.data(), 1, chunk.size(), pipe))
      outcome.output.append(chunk.data(), got);
    const int status = pclose(pipe);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::ifstream in(errors);
    outcome.errors.assign(std::istreambuf_iterator<char>(in), {});
    return outcome;
  }
  void expect_refused(const std::string& arguments, const testing::Matcher<std::string>& message,
                      const std::string& before = "") const {
    const Outcome outcome = run(arguments, before);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.errors, message) << arguments;
    EXPECT_THAT(outcome.errors, StartsWith("cachesim: ")) << arguments;
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
  }
  [[nodiscard]] std::string bytes_of(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  TemporaryFolder folder_;
  std::string text_;
};

constexpr const char* kCache = " 16 128 4 LRU WTNA ";

TEST_F(CachesimErrors, GoodInputIsAccepted) {
  EXPECT_EQ(run(text_ + kCache + "--self-check").status, 0);
  EXPECT_EQ(run("-" + std::string(kCache), "cat " + text_ + " | ").status, 0);
  const Outcome help = run("--help-all");
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.output, AllOf(HasSubstr("SRRIP"), HasSubstr("WENA"), HasSubstr("fermi-xor"),
                                 HasSubstr("--reuse-histogram")));
}

TEST_F(CachesimErrors, CachesThatCannotBeBuilt) {
  expect_refused(text_ + " 16 128 5 LRU WTNA",
                 AllOf(HasSubstr("not a multiple of ways x line"), HasSubstr("expected")));
  expect_refused(text_ + " 16 100 4 LRU WTNA", HasSubstr("power of two"));
  expect_refused(text_ + " 16 128 256 LRU WTNA", HasSubstr("more than the 128 lines"));
  expect_refused(text_ + " 0 128 4 LRU WTNA", HasSubstr("0 KiB"));
  expect_refused(text_ + " sixteen 128 4 LRU WTNA", AllOf(HasSubstr("'sixteen'"), HasSubstr("whole number")));
  expect_refused(text_ + " 16 128 -4 LRU WTNA", testing::_);
  expect_refused(text_ + " 16 128 4 PLRU WTNA",
                 AllOf(HasSubstr("'PLRU'"), HasSubstr("tree-PLRU"), HasSubstr("SRRIP")));
  expect_refused(text_ + " 16 128 4 LRU WB", AllOf(HasSubstr("'WB'"), HasSubstr("WBWA")));
  expect_refused(text_ + kCache + "--set-index hash", AllOf(HasSubstr("'hash'"), HasSubstr("xor-fold")));
  expect_refused(text_ + " 16 128 8 LRU WTNA --set-index fermi-xor", HasSubstr("32 or 64 sets"));
  expect_refused(text_ + kCache + "--coalescing vega", AllOf(HasSubstr("'vega'"), HasSubstr("fermi")));
  expect_refused(text_ + kCache + "--preset gtx9999", HasSubstr("gtx9999"));
}

TEST_F(CachesimErrors, IncompleteOrContradictingCommands) {
  expect_refused("", HasSubstr("no input given"));
  expect_refused(text_, HasSubstr("no cache given"));
  expect_refused(text_ + " 16 128", HasSubstr("five values"));
  expect_refused(text_ + kCache + "extra", testing::_);
  expect_refused(text_ + kCache + "--nonsense", HasSubstr("nonsense"));
  expect_refused(text_ + kCache + "--runs 5", HasSubstr("nothing is random"));
  expect_refused(text_ + kCache + "--runs 0", HasSubstr("whole number from 1"));
  expect_refused(text_ + kCache + "--policy warp", AllOf(HasSubstr("--policy"), HasSubstr("text stream")));
  expect_refused("coalesce " + text_, HasSubstr("-o FILE"));
}

TEST_F(CachesimErrors, InputsThatAreNone) {
  expect_refused(file("none") + kCache, HasSubstr("No such file"));
  write("empty", "");
  expect_refused(file("empty") + kCache, HasSubstr("empty"));
  write("noise", "hello world\n");
  expect_refused(file("noise") + kCache, HasSubstr("noise"));
  expect_refused("-" + std::string(kCache), HasSubstr("empty"), "true | ");
  write("bad.txt", "32 4\n0x1000 R 0 0 1\n0x1000 Q 0 0 1\n");
  expect_refused(file("bad.txt") + kCache, HasSubstr("bad.txt:3"));
}

TEST_F(CachesimErrors, DamagedTransactionStreams) {
  ASSERT_EQ(run("coalesce " + text_ + " -o " + file("a.wtxn")).status, 0);
  ASSERT_EQ(run(file("a.wtxn") + kCache).status, 0);
  expect_refused(file("a.wtxn") + " 16 64 4 LRU WTNA", HasSubstr("coalesced for 128"));
  expect_refused(file("a.wtxn") + kCache + "--cores 15", HasSubstr("--cores"));
  expect_refused(file("a.wtxn") + kCache + "--coalescing crawford", HasSubstr("coalesced already"));
  expect_refused(file("a.wtxn") + kCache + "--reuse-by-source", HasSubstr("does not say which lanes"));
  expect_refused(text_ + kCache + "--reuse-by-whom", HasSubstr("expected --reuse-by-source"));
  expect_refused("coalesce " + file("a.wtxn") + " -o " + file("b.wtxn"), HasSubstr("coalesced already"));
  const std::string bytes = bytes_of("a.wtxn");
  write("cut.wtxn", bytes.substr(0, bytes.size() - 20));
  expect_refused(file("cut.wtxn") + kCache, AllOf(HasSubstr("cut short"), HasSubstr("--partial")));
  const Outcome partial = run(file("cut.wtxn") + kCache + "--partial --json -");
  EXPECT_EQ(partial.status, 0);
  EXPECT_THAT(partial.output, HasSubstr("\"partial\": true"));
  std::string damaged = bytes;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  write("damaged.wtxn", damaged);
  expect_refused(file("damaged.wtxn") + kCache, AllOf(HasSubstr("byte"), HasSubstr("checksum")));
  expect_refused(file("damaged.wtxn") + kCache + "--partial", HasSubstr("checksum"));
}

TEST_F(CachesimErrors, OutputsThatCannotBeWritten) {
  expect_refused(text_ + kCache + "--json " + file("none/r.json"),
                 AllOf(HasSubstr(file("none/r.json")), HasSubstr("cannot write")));
  expect_refused("coalesce " + text_ + " -o " + file("none/a.wtxn"), HasSubstr("cannot write"));
  expect_refused(text_ + kCache + "--json /dev/full", HasSubstr("No space left"));
  expect_refused("coalesce " + text_ + " -o /dev/full", HasSubstr("No space left"));
}

TEST_F(CachesimErrors, AFailureLeavesNoResultBehind) {
  write("bad.txt", "32 4\n0x1000 R 0 0 1\nnonsense\n");
  EXPECT_EQ(run(file("bad.txt") + kCache + "--json " + file("r.json")).status, 2);
  EXPECT_FALSE(std::filesystem::exists(file("r.json")));
  EXPECT_FALSE(std::filesystem::exists(file("r.json.part")));
}

TEST_F(CachesimErrors, SameInputSameBytes) {
  const std::string options = kCache + std::string("--cores 2 --runs 5 --reuse-histogram --json ");
  ASSERT_EQ(run(text_ + options + file("a.json")).status, 0);
  ASSERT_EQ(run(text_ + options + file("b.json")).status, 0);
  EXPECT_EQ(bytes_of("a.json"), bytes_of("b.json"));
}

TEST_F(CachesimErrors, ResultsSayCrawfordForTheFormerNameRoot) {
  const std::string sweep = "sweep " + text_ + " --ways 1-4 --sets 32 --json ";
  for (const std::string& options : {text_ + kCache + "--json ", sweep}) {
    ASSERT_EQ(run(options + file("new.json") + " --coalescing crawford").status, 0);
    ASSERT_EQ(run(options + file("old.json") + " --coalescing root").status, 0);
    EXPECT_THAT(bytes_of("new.json"), HasSubstr("\"coalescing\": \"crawford\""));
    EXPECT_EQ(bytes_of("new.json"), bytes_of("old.json"));
  }
}

}  // namespace
}  // namespace warpscope
