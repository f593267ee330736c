// Containers of device code, also hostile ones; and names of allocations.
#include "wrapper/session/container.h"

#include <gtest/gtest.h>

#include <cstring>

#include "traces/base/error.h"

namespace warpscope::layer {
namespace {

void put(std::string& bytes, std::uint64_t number) {
  char raw[sizeof(number)];
  std::memcpy(raw, &number, sizeof(number));
  bytes.append(raw, sizeof(raw));
}

/// A container by the format's description: magic, size, size of the directory, directory, sections.
std::string container(const std::string& directory, const std::string& sections) {
  std::string bytes = "WSCUDA01";
  put(bytes, 24 + directory.size() + sections.size());
  put(bytes, directory.size());
  return bytes + directory + sections;
}

constexpr const char* kDirectory =
    R"({"source_name": "a.cu", "options": ["-DN=3"], "architecture": 80, "relocatable": false,
        "sections": [{"name": "optimised", "bytes": 3}, {"name": "future", "bytes": 2}, {"name": "source", "bytes": 4}]})";

Container read(const std::string& bytes) {
  return read_container(bytes.data(), bytes.size());
}

TEST(ContainerTest, SectionsAreViewsInOrder) {
  const std::string bytes = container(kDirectory, "abcxxtext");
  EXPECT_EQ(container_size(bytes.data()), bytes.size());
  const Container result = read(bytes);
  EXPECT_EQ(result.source_name, "a.cu");
  EXPECT_EQ(result.options, std::vector<std::string>{"-DN=3"});
  EXPECT_EQ(result.architecture, 80u);
  EXPECT_FALSE(result.is_relocatable);
  EXPECT_EQ(result.optimised, "abc");
  EXPECT_EQ(result.source, "text");
  EXPECT_TRUE(result.kernels.empty());
}

TEST(ContainerTest, WhatIsNoContainerHasNoSize) {
  EXPECT_EQ(container_size(nullptr), 0u);
  EXPECT_EQ(container_size("\x50\xed\x55\xba of another compiler"), 0u);
  EXPECT_THROW(read("\x50\xed\x55\xba of another compiler"), InputError);
  EXPECT_THROW(read(""), InputError);
}

TEST(ContainerTest, EveryPrefixIsRefused) {
  const std::string bytes = container(kDirectory, "abcxxtext");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(read(bytes.substr(0, size)), InputError) << size;
}

TEST(ContainerTest, HostileDirectories) {
  const std::string huge = R"({"source_name": "a.cu", "options": [], "architecture": 1, "relocatable": false,
                               "sections": [{"name": "source", "bytes": 18446744073709551615}]})";
  EXPECT_THROW(read(container(huge, "text")), InputError);
  EXPECT_THROW(read(container(R"({"source_name": 3})", "")), InputError);
  EXPECT_THROW(read(container("[", "")), InputError);
  std::string bytes = container(kDirectory, "abcxxtext");
  const std::uint64_t most = ~std::uint64_t{0};
  std::memcpy(bytes.data() + 16, &most, sizeof(most));
  EXPECT_THROW(read(bytes), InputError);
}

}  // namespace
}  // namespace warpscope::layer
