// Which conditional parts are predicated, and what that does to the order of loads and waits.
#include "timed/program/predicates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/timed/line_kernel.h"
#include "timed/program/program.h"

namespace warpscope::timed {
namespace {

using namespace timed::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using warpscope::testing::KernelBuilder;

constexpr std::uint32_t kMost = 7;

/// `parts` times "if (…) local[…] = global[…]", one behind the other. Blocks: 0 branches to part 1 or to 2, which branches to part
/// 3 or to 4, and so on. A part: load, store of its value, branch.
KernelInfo guarded_copies(std::uint32_t parts) {
  KernelBuilder builder;
  for (std::uint32_t part = 0; part < parts; ++part) {
    builder.block({}, {2 * part + 1, 2 * part + 2});
    const SiteId load = builder.load();
    builder.block({load, builder.site(AccessKind::Store, AddressSpace::Local)}, {2 * part + 2});
  }
  builder.block({}, {});
  KernelInfo kernel = builder.finish();
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    BlockInfo& block = kernel.blocks[b];
    block.instructions = b + 1 == kernel.blocks.size() ? 0 : b % 2 == 0 ? 2 : 3;
    if (b + 1 == kernel.blocks.size()) continue;
    block.mix["branch"] = 1;
    if (b % 2 == 0) {
      block.mix["compare"] = 1;
      continue;
    }
    block.mix["load_global"] = block.mix["store_local"] = 1;
    for (std::uint32_t position = 0; position < 2; ++position)
      kernel.sites[block.sites[position].value()].point = {BlockId(b), position};
    kernel.sites[block.sites[0].value()].consumers = {{BlockId(b), 1}};
  }
  return kernel;
}

std::vector<int> ends(const KernelInfo& kernel, std::uint32_t most = kMost) {
  std::vector<int> found;
  for (const std::optional<BlockId>& end : ends_of_predicated(kernel, most))
    found.push_back(end ? static_cast<int>(end->value()) : -1);
  return found;
}

SiteInfo& load_of_part(KernelInfo& kernel, std::uint32_t part) {
  return kernel.sites[kernel.blocks[2 * part + 1].sites[0].value()];
}

TEST(Predicates, PartsInARowEndBehindTheLast) {
  EXPECT_THAT(ends(guarded_copies(3)), ElementsAre(-1, 6, -1, 6, -1, 6, -1));
  EXPECT_THAT(ends(guarded_copies(2)), ElementsAre(-1, 4, -1, 4, -1));
}

TEST(Predicates, OneAloneStaysAsItIs) {
  EXPECT_THAT(ends(guarded_copies(1)), ElementsAre(-1, -1, -1));
}

TEST(Predicates, ALongPartIsABranch) {
  KernelInfo kernel = guarded_copies(3);
  kernel.blocks[3].instructions = kMost + 1;  // and a branch, which does not count
  EXPECT_THAT(ends(kernel), ElementsAre(-1, 6, -1, 6, -1, 6, -1));
  kernel.blocks[3].instructions = kMost + 2;
  EXPECT_THAT(ends(kernel), ElementsAre(-1, -1, -1, -1, -1, -1, -1));
  EXPECT_THAT(ends(guarded_copies(3), 0), ElementsAre(-1, -1, -1, -1, -1, -1, -1));
}

TEST(Predicates, ALoadThatIsBoundToTheRowBeginsAnother) {
  KernelInfo kernel = guarded_copies(4);
  load_of_part(kernel, 2).earliest = {BlockId(3), 1};  // behind the second part's load
  EXPECT_THAT(ends(kernel), ElementsAre(-1, 4, -1, 4, -1, 8, -1, 8, -1));
  load_of_part(kernel, 2).earliest = {BlockId(0), 0};
  EXPECT_THAT(ends(kernel), ElementsAre(-1, 8, -1, 8, -1, 8, -1, 8, -1));
}

TEST(Predicates, AnAccessBetweenEndsTheRow) {
  KernelInfo kernel = guarded_copies(3);
  const auto between = static_cast<std::uint32_t>(kernel.sites.size());
  kernel.sites.push_back(kernel.sites[1]);
  kernel.blocks[2].sites.emplace_back(between);
  EXPECT_THAT(ends(kernel), ElementsAre(-1, -1, -1, 6, -1, 6, -1));
}

TEST(Predicates, AtomicsVolatilesAndLoopsAreBranches) {
  KernelInfo kernel = guarded_copies(2);
  load_of_part(kernel, 1).kind = AccessKind::Atomic;
  EXPECT_THAT(ends(kernel), ElementsAre(-1, -1, -1, -1, -1));
  kernel = guarded_copies(2);
  load_of_part(kernel, 1).is_volatile = true;
  EXPECT_THAT(ends(kernel), ElementsAre(-1, -1, -1, -1, -1));
  kernel = guarded_copies(2);
  kernel.blocks[3].loop = 0;
  EXPECT_THAT(ends(kernel), ElementsAre(-1, -1, -1, -1, -1));
}

/// Cycles of one warp that takes all three parts; every load misses, and is answered after 100 cycles.
std::uint64_t cycles(std::uint32_t predicated) {
  const KernelInfo kernel = guarded_copies(3);
  TimedConfig config = plain_config();
  config.issue.predicated = predicated;
  const VectorSource source =
      launch_of(kernel, 1, 1,
                [](std::uint32_t, std::uint32_t, SiteId site, std::uint64_t) { return site.value() * 128u; },
                {0, 0, 0});
  return run(source, config).cycles;
}

TEST(Predicates, LoadsOfARowAreOnTheirWayTogether) {
  // One after the other they wait for 100 cycles each, together for about one of them.
  EXPECT_GT(cycles(0), 300u);
  EXPECT_LT(cycles(kMost), 150u);
}

}  // namespace
}  // namespace warpscope::timed
