#include "wrapper/session/host_writes.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "traces/program/unwritten_pattern.h"

namespace warpscope::layer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t kPieces = 4;

struct Record {
  std::uint64_t head, offset;
  std::size_t size;
  bool operator==(const Record&) const = default;
};

/// Four pieces of memory, the last of them 100 bytes, and the records about it.
class Memory : public ::testing::Test {
 protected:
  Memory() { std::filesystem::remove(path_); }
  ~Memory() override { std::filesystem::remove(path_); }

  void change(std::size_t piece) { ++bytes_[piece * HostWrites::kPiece + 5]; }
  void begin(std::uint32_t launch) { writes_.before(LaunchId(launch), memory()); }
  void end() { writes_.after(memory()); }
  void leave() { writes_.leave(memory()); }
  void fill() {
    const auto pattern = unwritten_pattern(kOrder);
    for (std::size_t at = 0; at < bytes_.size(); ++at) bytes_[at] = pattern[at % kPatternBytes];
  }

  [[nodiscard]] std::vector<Record> records() const {
    std::ifstream file(path_, std::ios::binary);
    const std::vector<char> data{std::istreambuf_iterator<char>(file), {}};
    std::vector<Record> result;
    for (std::size_t at = 0; at < data.size();) {
      std::array<std::uint64_t, 3> head{};
      std::memcpy(head.data(), data.data() + at, sizeof head);
      const std::uint64_t offset = head[1] - memory().front().address;
      EXPECT_TRUE(std::equal(data.begin() + static_cast<std::ptrdiff_t>(at + sizeof head),
                             data.begin() + static_cast<std::ptrdiff_t>(at + sizeof head + head[2]),
                             bytes_.begin() + static_cast<std::ptrdiff_t>(offset),
                             [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; }) ||
                  head[0] != HostWrites::kOfKernels);
      result.push_back({head[0], offset, head[2]});
      at += sizeof head + head[2];
    }
    return result;
  }

 private:
  static constexpr std::uint64_t kOrder = 3;
  [[nodiscard]] std::vector<AllocatedBytes> memory() const {
    return {{reinterpret_cast<std::uintptr_t>(bytes_.data()), kOrder, bytes_, true}};
  }

  std::vector<std::uint8_t> bytes_ =
      std::vector<std::uint8_t>((kPieces - 1) * HostWrites::kPiece + 100, std::uint8_t{1});
  const std::string path_ = ::testing::TempDir() + "host_writes_test.bin";
  HostWrites writes_{path_};
};

constexpr std::uint64_t kPiece = HostWrites::kPiece;

TEST_F(Memory, WhatIsThereBeforeTheFirstLaunchIsTheHosts) {
  begin(0);
  EXPECT_THAT(records(), ElementsAre(Record{0, 0, 3 * kPiece + 100}));
}

TEST_F(Memory, WhatNobodyHasWrittenIsLeftOut) {
  fill();
  change(1);
  begin(0);
  EXPECT_THAT(records(), ElementsAre(Record{0, kPiece, kPiece}));
}

TEST_F(Memory, WhatChangesInALaunchIsTheKernels) {
  fill();
  begin(0);
  change(2);
  change(3);
  end();
  begin(1);
  EXPECT_THAT(records(), IsEmpty());
  end();
  leave();
  EXPECT_THAT(records(), ElementsAre(Record{HostWrites::kOfKernels, 2 * kPiece, kPiece + 100}));
}

TEST_F(Memory, WhatTheHostWritesOverAKernelsIsTheHosts) {
  fill();
  begin(0);
  change(0);
  change(2);
  end();
  change(2);
  begin(1);
  end();
  leave();
  EXPECT_THAT(records(),
              ElementsAre(Record{1, 2 * kPiece, kPiece}, Record{HostWrites::kOfKernels, 0, kPiece}));
}

TEST_F(Memory, OtherMemoryAtTheSameAddressBeginsAnew) {
  fill();
  begin(0);
  change(0);
  end();
  leave();
  begin(1);
  EXPECT_THAT(records(), ElementsAre(Record{HostWrites::kOfKernels, 0, kPiece}, Record{1, 0, kPiece}));
}

}  // namespace
}  // namespace warpscope::layer
