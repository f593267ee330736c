#pragma once
// A subcommand of cachesim as a program, in its own folder: exit status, output and messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "tests/unit/temporary_folder.h"

namespace warpscope::test {

class CachesimProgram : public testing::Test {
 protected:
  explicit CachesimProgram(std::string subcommand) : subcommand_(std::move(subcommand)) {}

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
  }
  [[nodiscard]] std::string bytes_of(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Exit status, -1 if a signal ended it; output in "output", messages in "errors".
  [[nodiscard]] int run(const std::string& arguments, const std::string& before = "") const {
    const std::string command = "cd " + folder().string() + " && " + before + WARPSCOPE_BIN_DIR "/cachesim " +
                                subcommand_ + " " + arguments + " >output 2>errors";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  /// One line, exit status 2, and no file "result".
  void expect_refused(const std::string& arguments, const testing::Matcher<std::string>& message) const {
    EXPECT_EQ(run(arguments), 2) << arguments;
    const std::string errors = bytes_of("errors");
    EXPECT_THAT(errors, testing::AllOf(testing::StartsWith("cachesim: "), message)) << arguments;
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
    EXPECT_FALSE(std::filesystem::exists(file("result"))) << arguments;
    EXPECT_FALSE(std::filesystem::exists(file("result.part"))) << arguments;
  }

 private:
  std::string subcommand_;
  TemporaryFolder folder_;
};

}  // namespace warpscope::test
