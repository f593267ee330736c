#include "wrapper/session/allocations.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace warpscope::layer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr BufferId kBuffer{7};

/// Fresh memory, as the program sees it, and what is said about it.
class Fresh {
 public:
  explicit Fresh(std::size_t bytes) : memory_(bytes) {
    allocations_.add(address(), bytes, "m", true);
    allocations_.number(address(), kBuffer, "m");
  }
  /// Other bytes than those that are there.
  void write(std::size_t first, std::size_t bytes) {
    for (std::uint8_t& byte : std::span(memory_).subspan(first, bytes))
      byte = static_cast<std::uint8_t>(~byte);
  }
  std::vector<UnwrittenBytes> unwritten() { return allocations_.unwritten({kBuffer, kBuffer}).parts; }
  [[nodiscard]] std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(memory_.data()); }
  Allocations& allocations() { return allocations_; }

 private:
  std::vector<std::uint8_t> memory_;
  HostWrites nowhere_{""};
  Allocations allocations_{true, nowhere_};
};

TEST(Allocations, FreshMemoryIsUnwrittenToTheLastByte) {
  for (const std::size_t bytes : {1u, 3u, 4u, 9u, 1000u}) {
    Fresh memory(bytes);
    EXPECT_THAT(memory.unwritten(), ElementsAre(UnwrittenBytes{kBuffer, 0, bytes, 0, 1}));
  }
}

TEST(Allocations, WhatIsWrittenDoesNotComeBack) {
  Fresh memory(100);
  memory.write(0, 41);
  EXPECT_THAT(memory.unwritten(), ElementsAre(UnwrittenBytes{kBuffer, 41, 59, 0, 1}));
  memory.write(0, 41);  // as it was at first
  memory.write(90, 10);
  EXPECT_THAT(memory.unwritten(), ElementsAre(UnwrittenBytes{kBuffer, 41, 49, 0, 1}));
  memory.write(41, 49);
  EXPECT_THAT(memory.unwritten(), IsEmpty());
}

TEST(Allocations, ColumnsAreOnePart) {
  Fresh memory(640);
  for (std::size_t row = 0; row < 10; ++row) memory.write(64 * row, 60);
  EXPECT_THAT(memory.unwritten(), ElementsAre(UnwrittenBytes{kBuffer, 60, 4, 64, 10}));
}

TEST(Allocations, AFewShortPlacesMayBeAccidents) {
  Fresh memory(1000);
  memory.write(0, 400);
  memory.write(404, 596);
  EXPECT_THAT(memory.unwritten(), IsEmpty());
  Fresh three(1000);
  three.write(0, 1000);
  for (const std::size_t place : {100u, 300u, 500u}) three.write(place, 4);
  EXPECT_THAT(three.unwritten(), ElementsAre(UnwrittenBytes{kBuffer, 100, 4, 200, 3}));
}

TEST(Allocations, ThreeBytesInARowMayHaveBeenWritten) {
  Fresh memory(64);
  memory.write(0, 10);
  memory.write(13, 40);
  EXPECT_THAT(memory.unwritten(), ElementsAre(UnwrittenBytes{kBuffer, 53, 11, 0, 1}));
}

TEST(Allocations, WhatIsFreedIsNotLeft) {
  Fresh memory(64);
  EXPECT_EQ(memory.allocations().left().size(), 1u);
  memory.allocations().remove(memory.address());
  EXPECT_THAT(memory.allocations().left(), IsEmpty());
  EXPECT_THAT(memory.unwritten(), IsEmpty());
}

}  // namespace
}  // namespace warpscope::layer
