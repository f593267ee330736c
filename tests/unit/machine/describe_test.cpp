// What captures say of kernels of machine code: whose values flow into addresses and branches, loops, what waits for what. Expected values
// are read off the sources of the kernels (benchmarks/kernels), or come from plain searches.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "machine/describe/describe_kernel.h"
#include "tests/unit/machine/files.h"

namespace warpscope::machine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::uint32_t kDescribedArchitectures[] = {75, 80, 86, 89, 90};
constexpr const char* kDescribedKernels[] = {"atax",      "bitonic",       "histogram", "mm_tiled",
                                             "reduction", "search_sorted", "spmv_csr",  "stencil2d"};

struct Described {
  Described(std::uint32_t architecture, const std::string& kernel)
      : cubin(data_file("kernels/sm_" + std::to_string(architecture) + "/" + kernel + ".cubin"), kernel),
        function(*std::find_if(cubin.functions().begin(), cubin.functions().end(),
                               [](const Function& one) { return one.is_kernel; })),
        code(cubin, function),
        flow(code),
        all(describe_kernel(code, flow)) {}

  [[nodiscard]] const KernelInfo& info() const { return all.info; }
  /// The one parameter that a site's address is computed from: the array it accesses.
  [[nodiscard]] std::uint32_t array(SiteId site) const {
    const std::vector<std::uint32_t>& found = all.parameters_of[site.value()];
    std::vector<std::uint32_t> pointers;
    for (const std::uint32_t one : found)
      if (function.parameters[one].bytes == 8) pointers.push_back(one);
    EXPECT_THAT(pointers, SizeIs(1));
    return pointers.empty() ? ~0U : pointers.front();
  }
  [[nodiscard]] std::set<std::uint32_t> arrays(const std::vector<SiteId>& sites) const {
    std::set<std::uint32_t> found;
    for (const SiteId site : sites) found.insert(array(site));
    return found;
  }
  /// Sites that load from an array.
  [[nodiscard]] std::vector<SiteId> loads(std::uint32_t from) const {
    std::vector<SiteId> found;
    for (std::uint32_t site = 0; site < info().sites.size(); ++site)
      if (info().sites[site].kind == warpscope::AccessKind::Load && array(SiteId(site)) == from)
        found.emplace_back(site);
    return found;
  }

  Cubin cubin;
  const Function& function;
  Code code;
  CodeFlow flow;
  DescribedKernel all;
};

class DescribedCode : public testing::TestWithParam<std::uint32_t> {};

/// begin[row] and length[row] (parameters 0 and 1) decide which of column, value and x are loaded; x is loaded at column's values.
TEST_P(DescribedCode, AddressesOfASparseProduct) {
  const Described spmv(GetParam(), "spmv_csr");
  for (const std::uint32_t rows : {0U, 1U})
    for (const SiteId site : spmv.loads(rows)) {
      const AddressSources& from = *spmv.info().sites[site.value()].address_from;
      EXPECT_TRUE(from.work_item);
      EXPECT_THAT(from.value, IsEmpty());
      EXPECT_THAT(from.part, IsEmpty());
    }
  const std::vector<SiteId> of_x = spmv.loads(4);
  EXPECT_THAT(of_x, Not(IsEmpty()));
  EXPECT_EQ(of_x.size(), spmv.loads(2).size());
  EXPECT_EQ(of_x.size(), spmv.loads(3).size());
  for (const SiteId site : of_x) {
    const AddressSources& from = *spmv.info().sites[site.value()].address_from;
    EXPECT_THAT(from.value, SizeIs(1));
    EXPECT_THAT(spmv.arrays(from.value), ElementsAre(2U)) << "column";
  }
}

TEST_P(DescribedCode, BranchesOfASparseProduct) {
  const Described spmv(GetParam(), "spmv_csr");
  std::set<std::uint32_t> arrays;
  for (const BlockInfo& block : spmv.info().blocks) arrays.merge(spmv.arrays(block.branch_from));
  EXPECT_THAT(arrays, ElementsAre(0U, 1U));
}

/// A tile of 16 x 16: one loop, whose body loads two elements before it uses one, and adds 16 products one after the other.
TEST_P(DescribedCode, ParallelismOfATiledProduct) {
  const Described mm(GetParam(), "mm_tiled");
  ASSERT_THAT(mm.info().loops, SizeIs(1));
  EXPECT_FALSE(mm.info().loops.front().is_counted);
  std::uint32_t products = 0, loads = 0;
  for (const BlockInfo& block : mm.info().blocks) {
    EXPECT_THAT(block.branch_from, IsEmpty());
    if (!block.loop || !block.parallelism) continue;
    const auto found = block.parallelism->path.find("fp32_fma");
    products += found == block.parallelism->path.end() ? 0 : found->second;
    if (block.parallelism->loads == 0) continue;
    loads += block.parallelism->loads;
    EXPECT_EQ(block.parallelism->load_steps, 1U);
    EXPECT_EQ(block.parallelism->load_groups, 1U);
  }
  EXPECT_EQ(products, 16U);
  EXPECT_EQ(loads, 2U);
}

/// Of loops with one entry, blocks are in one if a lane may come to them again.
TEST_P(DescribedCode, BlocksInLoopsComeAgain) {
  for (const char* kernel : kDescribedKernels) {
    const Described one(GetParam(), kernel);
    const auto& blocks = one.flow.blocks();
    for (std::uint32_t block = 0; block < blocks.size(); ++block) {
      std::set<std::uint32_t> reached;
      std::vector<std::uint32_t> open = blocks[block].goes_on;
      while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        if (reached.insert(at).second)
          open.insert(open.end(), blocks[at].goes_on.begin(), blocks[at].goes_on.end());
      }
      EXPECT_EQ(one.info().blocks[block].loop.has_value(), reached.contains(block))
          << kernel << ", block " << block;
    }
  }
}

/// Which key is loaded next depends on the comparison of the last key and the query, and on nothing else that is loaded.
TEST_P(DescribedCode, ASearchGoesOnWhereItsLoadSays) {
  const Described search(GetParam(), "search_sorted");
  std::set<std::uint32_t> arrays;
  for (const SiteId key : search.loads(0)) {
    const AddressSources& from = *search.info().sites[key.value()].address_from;
    EXPECT_THAT(from.value, IsEmpty());
    EXPECT_THAT(from.part, IsEmpty());
    arrays.merge(search.arrays(from.choice));
  }
  EXPECT_THAT(arrays, ElementsAre(0U, 1U));
}

INSTANTIATE_TEST_SUITE_P(Architectures, DescribedCode, testing::ValuesIn(kDescribedArchitectures));

}  // namespace
}  // namespace warpscope::machine
