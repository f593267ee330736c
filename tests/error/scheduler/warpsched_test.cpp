// Bad input to warpsched: one clear line on stderr, exit status 2, no file left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "tests/unit/scheduler/capture_on_disk.h"

namespace warpscope::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Finished {
  int status = 0;
  std::string output;  ///< stdout and stderr
};

class Warpsched : public ::testing::Test {
 protected:
  Warpsched() {
    std::string name = ::testing::TempDir() + "warpsched-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    write_copy_capture(file("copy.wtrace"));
  }
  ~Warpsched() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_ + "/" + name; }

  [[nodiscard]] Finished run(const std::string& arguments) const {
    const std::string command =
        "cd " + folder_ + " && " WARPSCOPE_BIN_DIR "/warpsched " + arguments + " 2>&1";
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    Finished finished;
    std::array<char, 4096> buffer{};
    for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
      finished.output.append(buffer.data(), got);
    }
    finished.status = WEXITSTATUS(::pclose(pipe));
    return finished;
  }
  void expect_refusal(const std::string& arguments, const std::string& message) const {
    const Finished finished = run(arguments + " -o out.wsched");
    EXPECT_EQ(finished.status, 2) << arguments;
    EXPECT_THAT(finished.output, StartsWith("warpsched: ")) << arguments;
    EXPECT_THAT(finished.output, HasSubstr(message)) << arguments;
    EXPECT_EQ(std::count(finished.output.begin(), finished.output.end(), '\n'), 1) << finished.output;
    EXPECT_FALSE(std::filesystem::exists(file("out.wsched"))) << arguments;
    EXPECT_FALSE(std::filesystem::exists(file("out.wsched.part"))) << arguments;
  }

  std::string folder_;
};

TEST_F(Warpsched, RefusesBadOptions) {
  expect_refusal("copy.wtrace --policy gto", "expected one of random, sequential, rr, warp");
  expect_refusal("copy.wtrace --warp-size 0", "--warp-size 0: expected a number from 1 to 64");
  expect_refusal("copy.wtrace --warp-size 65", "--warp-size 65: expected a number from 1 to 64");
  expect_refusal("copy.wtrace --cores 3 --core 3", "--core 3: expected a number from 0 to 2");
  expect_refusal("copy.wtrace --launch 2", "--launch 2: no such launch, the capture holds 2");
  expect_refusal("copy.wtrace --reconvergence never", "expected ipdom or loops");
  expect_refusal("copy.wtrace --preset gtx1", "unknown GPU, did you mean gtx1050 or gtx1060 or gtx1070?");
  expect_refusal("copy.wtrace --assign nowhere.txt", "--assign nowhere.txt: cannot read");
  expect_refusal("copy.wtrace --assign .", "--assign .: cannot read: Is a directory");
  expect_refusal("copy.wtrace --format xml", "--format xml: expected binary or text");
  expect_refusal("copy.wtrace --polcy warp", "--help lists the options");
  expect_refusal("", "no capture given");
}

TEST_F(Warpsched, RefusesBadPlacementFiles) {
  std::ofstream(file("placement")) << "0\n1\n7\n";
  expect_refusal("copy.wtrace --cores 2 --assign placement",
                 "placement:3: '7', expected one core number 0 to 1");
}

TEST_F(Warpsched, RefusesFilesThatAreNoWholeCapture) {
  expect_refusal("missing.wtrace", "missing.wtrace");
  std::ofstream(file("empty")) << "";
  expect_refusal("empty", "empty");
  std::ofstream(file("text")) << "not a capture\n";
  expect_refusal("text", "text");
  std::filesystem::copy_file(file("copy.wtrace"), file("cut"));
  std::filesystem::resize_file(file("cut"), std::filesystem::file_size(file("cut")) * 3 / 4);
  expect_refusal("cut", "--partial");
  EXPECT_EQ(run("cut --partial -o out.wsched").status, 0);
}

TEST_F(Warpsched, RefusesAFlippedByte) {
  std::fstream capture(file("copy.wtrace"), std::ios::in | std::ios::out | std::ios::binary);
  const auto middle = static_cast<std::streamoff>(std::filesystem::file_size(file("copy.wtrace")) / 2);
  capture.seekg(middle);
  const int byte = capture.get();
  capture.seekp(middle);
  capture.put(static_cast<char>(byte ^ 0x10));
  capture.close();
  expect_refusal("copy.wtrace", "copy.wtrace");
}

TEST_F(Warpsched, RefusesUnwritableOutput) {
  const Finished finished = run("copy.wtrace -o no/such/folder/out");
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.output, HasSubstr("no/such/folder/out"));
}

TEST_F(Warpsched, SameInputSameBytes) {
  for (const char* options :
       {"--policy warp --preset gtx480", "--policy random --seed 5", "--policy rr --format text"}) {
    ASSERT_EQ(run(std::string("copy.wtrace -o a ") + options).status, 0);
    ASSERT_EQ(run(std::string("copy.wtrace -o b ") + options).status, 0);
    const auto content = [&](const char* name) {
      std::stringstream all;
      all << std::ifstream(file(name), std::ios::binary).rdbuf();
      return all.str();
    };
    EXPECT_FALSE(content("a").empty());
    EXPECT_EQ(content("a"), content("b")) << options;
    EXPECT_EQ(run(std::string("- -o - < copy.wtrace ") + options).output, content("a")) << "pipes";
  }
}

TEST_F(Warpsched, HelpShowsEveryPolicy) {
  const Finished finished = run("--help");
  EXPECT_EQ(finished.status, 0);
  for (const char* policy : {"random:", "sequential:", "rr:", "warp:"})
    EXPECT_THAT(finished.output, HasSubstr(policy));
}

// Listing 5.3: "warp_size groups", then address, R or W, work-group, warp, site. Work-item 0 of group 0 loads
// the first element of the first buffer at the default base address.
TEST_F(Warpsched, TextIsListing53) {
  const Finished finished = run("copy.wtrace --launch 0 --format text -o -");
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.output, StartsWith("32 3\n0x10000000 R 0 0 0\n0x10000004 R 0 0 0\n"));
  EXPECT_EQ(std::count(finished.output.begin(), finished.output.end(), '\n'), 1 + 3 * 40 * 2);
}

}  // namespace
}  // namespace warpscope::testing
