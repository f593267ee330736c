// Random work-groups survive encode and decode; random damage is refused or decodes to something consistent.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/thinning.h"
#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"
#include "traces/capture/invariants.h"
#include "traces/capture/walk.h"
#include "traces/files/section.h"

namespace warpscope {
namespace {

using testing::Random;

std::uint64_t first_seed() {
  const char* given = std::getenv("WARPSCOPE_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 0) : 1;
}

TEST(ChunkProperty, RandomWorkGroupsRoundTrip) {
  const std::uint64_t first = first_seed();
  std::printf("seeds %llu to %llu (WARPSCOPE_TEST_SEED)\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + 299));
  for (std::uint64_t seed = first; seed < first + 300; seed += kCaseStep) {
    Random random(seed);
    const auto items = static_cast<std::uint32_t>(1 + random.below(200));
    WorkGroupTrace trace = testing::random_trace(random, 0, 3, items, seed % 2 == 0);
    if (seed % 3 == 0) testing::add_random_walks(trace, random);
    const auto bytes = encode(trace);
    const WorkGroupTrace back = decode(bytes, LaunchId(0), WorkGroupId(3), testing::sample_carries_address());
    ASSERT_TRUE(testing::same(back, trace)) << "seed " << seed;
    ASSERT_EQ(encode(back), bytes) << "seed " << seed;
    if (!trace.walks.empty()) continue;
    CheckResult result;
    check_work_group(testing::sample_kernel(), testing::sample_buffers(), back, result);
    ASSERT_EQ(result.violation_count, 0u) << "seed " << seed << ": " << result.violations[0];
  }
}

// What a consumer relies on, checked without the decoder's own code.
void expect_consistent(const WorkGroupTrace& trace, std::uint64_t seed) {
  ASSERT_EQ(trace.path_of.size(), trace.work_items);
  ASSERT_EQ(trace.columns.size(), testing::sample_carries_address().size());
  if (!trace.walks.empty()) {
    ASSERT_EQ(trace.walks.walk_of.size(), (trace.work_items + 31) / 32);
  }
  for (const std::uint32_t walk : trace.walks.walk_of) ASSERT_LT(walk, trace.walks.walks.size());
  for (std::size_t site = 0; site < trace.columns.size(); ++site) {
    const SiteColumn& column = trace.columns[site];
    if (column.shapes.empty()) continue;
    ASSERT_EQ(column.shape_of.size(), trace.work_items);
    ASSERT_EQ(column.first.size(), trace.work_items);
    for (std::size_t item = 0; item < trace.work_items; ++item) {
      ASSERT_LT(trace.path_of[item], trace.paths.size());
      const std::uint64_t count = trace.paths[trace.path_of[item]].site_counts[site];
      if (count == 0) {
        ASSERT_EQ(column.shape_of[item], SiteColumn::kNone) << "seed " << seed;
        continue;
      }
      ASSERT_LT(column.shape_of[item], column.shapes.size()) << "seed " << seed;
      std::uint64_t steps = 0;
      for (const DeltaRun& run : column.shapes[column.shape_of[item]]) steps += run.repeat;
      ASSERT_EQ(steps, count - 1) << "seed " << seed;
    }
  }
}

void damage(std::vector<std::uint8_t>& bytes, Random& random) {
  for (std::uint64_t changes = 1 + random.below(4); changes > 0 && !bytes.empty(); --changes) {
    const auto at = static_cast<std::ptrdiff_t>(random.below(bytes.size()));
    switch (random.below(4)) {
      case 0:
        bytes[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(random.next());
        break;
      case 1:
        bytes[static_cast<std::size_t>(at)] ^= static_cast<std::uint8_t>(1u << random.below(8));
        break;
      case 2:
        bytes.erase(bytes.begin() + at);
        break;
      default:
        bytes.insert(bytes.begin() + at, static_cast<std::uint8_t>(random.next() | 0x80));
    }
  }
}

TEST(ChunkProperty, DamagedPayloadsAreRefusedOrConsistent) {
  const std::uint64_t first = first_seed();
  std::uint64_t refused = 0;
  std::uint64_t accepted = 0;
  for (std::uint64_t seed = first; seed < first + 20'000; seed += kCaseStep) {
    Random random(seed);
    const auto items = static_cast<std::uint32_t>(1 + random.below(20));
    WorkGroupTrace whole = testing::random_trace(random, 0, 0, items, seed % 2 == 0);
    if (seed % 3 == 0) testing::add_random_walks(whole, random);
    auto bytes = encode(whole);
    damage(bytes, random);
    try {
      const WorkGroupTrace trace =
          decode(bytes, LaunchId(0), WorkGroupId(0), testing::sample_carries_address());
      expect_consistent(trace, seed);
      CheckResult ignored;  // must end, whatever it finds
      check_work_group(testing::sample_kernel(), testing::sample_buffers(), trace, ignored);
      ++accepted;
    } catch (const InputError&) {
      ++refused;
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
  std::printf("seeds from %llu: %llu refused, %llu consistent\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(refused), static_cast<unsigned long long>(accepted));
  EXPECT_GT(refused, accepted);
}

TEST(ChunkProperty, RandomBytesAreRefusedOrConsistent) {
  const std::uint64_t first = first_seed();
  for (std::uint64_t seed = first; seed < first + 20'000; seed += kCaseStep) {
    Random random(seed);
    std::vector<std::uint8_t> bytes(random.below(64));
    for (std::uint8_t& byte : bytes)
      byte = static_cast<std::uint8_t>(random.below(4) == 0 ? random.next() : random.below(4));
    try {
      expect_consistent(decode(bytes, LaunchId(0), WorkGroupId(0), testing::sample_carries_address()), seed);
    } catch (const InputError&) {
      continue;
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// A section whose checksum is right but whose content is damaged: decompression must hold, too.
TEST(SectionProperty, DamagedSectionsWithARightChecksumDoNotCrash) {
  const std::uint64_t first = first_seed();
  SectionEncoder encoder;
  SectionDecoder decoder;
  for (std::uint64_t seed = first; seed < first + 5'000; seed += kCaseStep) {
    Random random(seed);
    const auto payload = encode(testing::random_trace(random, 0, 0, 64));
    const auto span = encoder.encode(section_tag("CHNK"), LaunchId(0), 0, payload);
    std::vector<std::uint8_t> section(span.begin(), span.end());
    for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
      section[4 + random.below(section.size() - 4)] = static_cast<std::uint8_t>(random.next());
    }
    store_le(section.data() + 4, static_cast<std::uint32_t>(section.size() - kSectionHeaderBytes));
    store_le(section.data() + 24, section_checksum(section));
    try {
      const auto back = decoder.decode(section, "section");
      (void)decode(back, LaunchId(0), WorkGroupId(0), testing::sample_carries_address());
    } catch (const InputError&) {
    }
  }
}

}  // namespace
}  // namespace warpscope
