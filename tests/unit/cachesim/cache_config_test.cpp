#include "cachesim/l1/cache_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "cachesim/l1/l1_cache.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string message_of(const CacheConfig& config) {
  try {
    validate(config);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CacheConfig, AcceptsCachesThatExist) {
  EXPECT_EQ(message_of({}), "");
  EXPECT_EQ(message_of({48, 128, 6, "LRU", "WENA", "fermi-xor", 1}), "");
  EXPECT_EQ(message_of({16, 128, 128, "SRRIP", "WBWA", "xor-fold", 1}), "");  // fully associative
  EXPECT_EQ(message_of({24, 128, 4, "FIFO", "WTWA", "linear", 1}), "");       // 48 sets
}

TEST(CacheConfig, SaysWhatIsWrongAndWhatWouldDo) {
  EXPECT_THAT(message_of({0, 128, 4}), AllOf(HasSubstr("0 KiB"), HasSubstr("expected 1 to")));
  EXPECT_THAT(message_of({16, 100, 4}), AllOf(HasSubstr("100 bytes"), HasSubstr("power of two")));
  EXPECT_THAT(message_of({16, 0, 4}), HasSubstr("power of two"));
  EXPECT_THAT(message_of({16, 2, 4}), HasSubstr("power of two from 4"));
  EXPECT_THAT(message_of({1, 2048, 1}), HasSubstr("not a multiple of the line"));
  EXPECT_THAT(message_of({16, 128, 0}), HasSubstr("expected at least 1"));
  EXPECT_THAT(message_of({16, 128, 129}),
              AllOf(HasSubstr("129"), HasSubstr("128 lines"), HasSubstr("at most 128")));
  EXPECT_THAT(message_of({16, 128, 5}),
              AllOf(HasSubstr("not a multiple of ways x line"), HasSubstr("example 4 ways")));
  EXPECT_THAT(message_of({16, 128, 4, "LRU", "WTNA", "nohash"}),
              AllOf(HasSubstr("nohash"), HasSubstr("linear"), HasSubstr("xor-fold")));
  EXPECT_THAT(message_of({16, 128, 8, "LRU", "WTNA", "fermi-xor"}),
              AllOf(HasSubstr("32 or 64 sets"), HasSubstr("16 sets")));
  EXPECT_THAT(message_of({16, 64, 8, "LRU", "WTNA", "fermi-xor"}), HasSubstr("128-byte lines"));
  EXPECT_THAT(message_of({24, 128, 4, "LRU", "WTNA", "xor-fold"}),
              AllOf(HasSubstr("power of two"), HasSubstr("48")));
}

CacheConfig sectored(std::uint32_t sector, const std::string& write = "WTNA") {
  CacheConfig config{16, 128, 4, "LRU", write, "linear", 1};
  config.sector_bytes = sector;
  return config;
}

TEST(CacheConfig, SectorsArePartsOfALine) {
  EXPECT_EQ(message_of(sectored(32)), "");
  EXPECT_EQ(sectored(32).transaction_bytes(), 32u);
  EXPECT_EQ(sectored(32).sector_shift(), 2) << "four to a line";
  EXPECT_EQ(sectored(0).transaction_bytes(), 128u);
  EXPECT_EQ(sectored(0).sector_shift(), 0);
  for (const std::uint32_t sector : {8u, 48u, 256u})
    EXPECT_THAT(message_of(sectored(sector)),
                HasSubstr("expected a power of two from 16 to the line of 128"));
  EXPECT_EQ(message_of(sectored(128, "WENA")), "");
  EXPECT_THAT(message_of(sectored(32, "WENA")), HasSubstr("WENA is defined for whole lines"));
}

TEST(CacheConfig, UnknownPoliciesListTheKnownOnes) {
  const std::string replacement = message_of({16, 128, 4, "lru"});
  for (const ReplacementEntry& entry : replacement_policies())
    EXPECT_THAT(replacement, HasSubstr(entry.name));
  const std::string write = message_of({16, 128, 4, "LRU", "WT"});
  for (const WritePolicy& entry : write_policies()) EXPECT_THAT(write, HasSubstr(entry.name));
}

std::uint32_t set_of(const char* index, std::uint64_t line, std::uint32_t sets) {
  const LineAddr address(line);
  std::uint32_t set = 0;
  set_index(index).function({&address, 1}, sets, &set);
  return set;
}

TEST(SetIndex, LinearIsTheLineNumberModuloSets) {
  EXPECT_EQ(set_of("linear", 0x12345, 32), 5u);
  EXPECT_EQ(set_of("linear", 100, 48), 4u);
}

// Address bits 7-11 exclusive-or bits 13, 14, 15, 17, 19; with 64 sets bit 12 on top.
TEST(SetIndex, FermiXorTakesThePublishedBits) {
  const auto line_with = [](int address_bit) { return std::uint64_t{1} << (address_bit - 7); };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(set_of("fermi-xor", line_with(7 + i), 32), 1u << i);
  const int partner[] = {13, 14, 15, 17, 19};
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(set_of("fermi-xor", line_with(partner[i]), 32), 1u << i) << partner[i];
  for (const int ignored : {16, 18, 20, 25, 40})
    EXPECT_EQ(set_of("fermi-xor", line_with(ignored), 64), 0u) << ignored;
  EXPECT_EQ(set_of("fermi-xor", line_with(12), 32), 0u);
  EXPECT_EQ(set_of("fermi-xor", line_with(12), 64), 32u);
  EXPECT_EQ(set_of("fermi-xor", line_with(8) | line_with(14), 32), 0u);
}

TEST(SetIndex, XorFoldFoldsAllBits) {
  EXPECT_EQ(set_of("xor-fold", 0b00001, 32), 1u);
  EXPECT_EQ(set_of("xor-fold", 0b00011'00001, 32), 0b00010u);
  EXPECT_EQ(set_of("xor-fold", std::uint64_t{1} << 40, 32), 1u);
  EXPECT_EQ(set_of("xor-fold", 12345, 1), 0u);
}

// A hash must spread a stride of any power of two that linear indexing puts into one set.
TEST(SetIndex, HashesSpreadPowerOfTwoStrides) {
  for (const char* index : {"fermi-xor", "xor-fold"}) {
    std::set<std::uint32_t> sets;
    for (std::uint64_t i = 0; i < 8; ++i) sets.insert(set_of(index, i * 64, 32));
    EXPECT_EQ(sets.size(), 8u) << index;
  }
}

}  // namespace
}  // namespace warpscope
