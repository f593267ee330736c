// How a kernel's blocks become instructions and waits.
#include "timed/program/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/timed/line_kernel.h"

namespace warpscope::timed {
namespace {

using namespace timed::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// What is executed, without how far apart.
std::vector<Op> ops(const Program& program, Segment segment) {
  const auto span = program.ops(segment);
  std::vector<Op> result(span.begin(), span.end());
  for (Op& op : result) op.gap = 0;
  return result;
}
std::uint16_t class_index(const char* name) {
  return static_cast<std::uint16_t>(instruction_class_named(name));
}
Op alu(std::uint32_t count) {
  return {Op::Kind::Compute, class_index("int_alu"), count};
}
Op wait(std::uint16_t load) {
  return {Op::Kind::Wait, load, 0};
}

TEST(Program, InstructionsBelongToTheSiteBehindThem) {
  LineKernel k;
  k.compute(2);
  const SiteId a = k.load();
  k.compute(3);
  const SiteId b = k.store();
  const Program program(k.compute(4).finish(), {});
  EXPECT_THAT(ops(program, program.site(a.value()).before), ElementsAre(alu(2)));
  EXPECT_THAT(ops(program, program.site(a.value()).after), IsEmpty());
  EXPECT_THAT(ops(program, program.site(b.value()).before), ElementsAre(alu(3)));
  EXPECT_THAT(ops(program, program.site(b.value()).after), ElementsAre(alu(4)));
  EXPECT_THAT(ops(program, program.body(0)), IsEmpty());
}

TEST(Program, ABlockWithoutSitesRunsWhenItIsEntered) {
  const Program program(LineKernel().compute(4).finish(), {});
  EXPECT_THAT(ops(program, program.body(0)), ElementsAre(alu(4)));
}

TEST(Program, AWaitStandsBeforeTheUser) {
  LineKernel k;
  const SiteId a = k.load();
  const Program program(k.compute(2).use(a).compute(1).finish(), {});
  EXPECT_THAT(ops(program, program.site(a.value()).after), ElementsAre(alu(2), wait(0), alu(2)));
}

TEST(Program, ALoadIssuesBeforeAWaitThatItNeedNotFollow) {
  LineKernel k;
  const SiteId a = k.load();
  k.use(a);
  const SiteId b = k.load();
  KernelInfo kernel = k.use(b).finish();
  const Program in_order(kernel, {});
  EXPECT_THAT(ops(in_order, in_order.site(b.value()).before), ElementsAre(wait(0), alu(1)));
  kernel.sites[b.value()].earliest = ProgramPoint{BlockId(0), 0};
  const Program early(kernel, {});
  EXPECT_THAT(ops(early, early.site(b.value()).before), ElementsAre(alu(1)));
  EXPECT_THAT(ops(early, early.site(b.value()).after), ElementsAre(wait(0), wait(1), alu(1)));
}

TEST(Program, ALoadWhoseAddressWasLoadedWaitsForIt) {
  LineKernel k;
  const SiteId a = k.load();
  k.use(a);
  const SiteId b = k.load();
  KernelInfo kernel = k.use(b).finish();
  // Arithmetic on the address may move up, too: then the load is bound to the place right behind the other.
  const ProgramPoint other = kernel.sites[a.value()].point;
  kernel.sites[b.value()].earliest = ProgramPoint{other.block, other.position + 1};
  const Program program(kernel, {});
  EXPECT_THAT(ops(program, program.site(b.value()).before), ElementsAre(wait(0), alu(1)));
}

/// a, its use, a store, b, its use. b may issue where `earliest` says.
KernelInfo load_store_load(ProgramPoint earliest) {
  LineKernel k;
  const SiteId a = k.load();
  k.use(a);
  k.store();
  const SiteId b = k.load();
  KernelInfo kernel = k.use(b).finish();
  kernel.sites[b.value()].earliest = earliest;
  return kernel;
}

TEST(Program, ALoadIssuesBeforeAStoreThatItNeedNotFollow) {
  const Program early(load_store_load({BlockId(0), 0}), {});
  EXPECT_THAT(ops(early, early.site(1).before), ElementsAre(alu(1)));
  EXPECT_THAT(ops(early, early.site(2).before), IsEmpty());
  EXPECT_THAT(ops(early, early.site(2).after), ElementsAre(wait(0), wait(1), alu(1)));
}

TEST(Program, ALoadOfWhatAStoreMayWriteFollowsIt) {
  const Program in_order(load_store_load({BlockId(0), 3}), {});  // the store is at 2
  EXPECT_THAT(ops(in_order, in_order.site(1).before), ElementsAre(wait(0), alu(1)));
}

TEST(Program, NoWaitMovesBehindAVolatileStore) {
  KernelInfo kernel = load_store_load({BlockId(0), 0});
  kernel.sites[1].is_volatile = true;
  const Program program(kernel, {});
  EXPECT_THAT(ops(program, program.site(1).before), ElementsAre(wait(0), alu(1)));
}

TEST(Program, SoManyLoadsGoBeforeStores) {
  LineKernel k;
  const SiteId first = k.load();
  k.use(first).store();
  for (int copies = 0; copies < 50; ++copies) {
    k.load();
    k.store();
  }
  KernelInfo kernel = k.finish();
  for (SiteInfo& site : kernel.sites) site.earliest = ProgramPoint{BlockId(0), 0};
  const Program program(kernel, {});
  std::uint32_t waits_before = 0;  // the site in front of which the first load is awaited
  for (std::uint32_t site = 0; site < kernel.sites.size(); ++site)
    for (const Op& op : ops(program, program.site(site).before))
      if (op.kind == Op::Kind::Wait) waits_before = site;
  EXPECT_EQ(waits_before, 2u * 44 + 1);  // the 44th of the loads behind the first store is site 88
}

/// `count` loads of `width` bytes, then a use of each.
KernelInfo sums(std::uint32_t count, std::uint32_t width) {
  LineKernel k;
  std::vector<SiteId> loads;
  for (std::uint32_t i = 0; i < count; ++i) loads.push_back(k.load());
  for (const SiteId load : loads) k.use(load);
  for (SiteInfo& site : k.kernel().sites) site.width = site.alignment = width;
  return k.finish();
}

std::vector<Op> waits(std::uint32_t first, std::uint32_t end) {
  std::vector<Op> all;
  for (std::uint32_t load = first; load < end; ++load) all.push_back(wait(static_cast<std::uint16_t>(load)));
  return all;
}

IssueConfig with_registers(std::uint32_t registers) {
  IssueConfig config;
  config.load_registers = registers;
  return config;
}

/// As in the machine code: `most` loads, then three of them are awaited one by one, and the others, which share a scoreboard, at once.
TEST(Program, SixteenRegistersOfLoadsAreOnTheirWay) {
  for (const std::uint32_t width : {1u, 4u, 8u}) {
    SCOPED_TRACE(::testing::Message() << width << " bytes");
    const std::uint32_t most = 16 / std::max(1u, width / 4), count = most + 5;
    const Program program(sums(count, width), with_registers(16));
    const auto before = [&](std::uint32_t load) { return ops(program, program.site(load).before); };
    for (std::uint32_t load = 0; load < most; ++load) EXPECT_THAT(before(load), IsEmpty()) << load;
    for (std::uint32_t load = most; load < most + 3; ++load)
      EXPECT_EQ(before(load), waits(load - most, load - most + 1)) << load;
    EXPECT_EQ(before(most + 3), waits(3, most));
    EXPECT_THAT(before(most + 4), IsEmpty());
    const auto last = static_cast<std::uint16_t>(most);
    EXPECT_THAT(ops(program, program.site(count - 1).after),
                ElementsAre(alu(most), wait(last), alu(1), wait(last + 1), alu(1), wait(last + 2), alu(1),
                            wait(last + 3), wait(last + 4), alu(2)));
  }
}

TEST(Program, FourLoadsOfSixteenBytesAreOnTheirWay) {
  const Program program(sums(8, 16), with_registers(16));
  for (std::uint32_t load = 0; load < 8; ++load)
    EXPECT_EQ(ops(program, program.site(load).before), load < 4 ? waits(0, 0) : waits(load - 4, load - 3))
        << load;
}

TEST(Program, OnlyLoadsOfGlobalMemoryAreLimited) {
  KernelInfo kernel = sums(20, 4);
  const Program limited(kernel, with_registers(16));
  EXPECT_EQ(ops(limited, limited.site(16).before), waits(0, 1));
  for (SiteInfo& site : kernel.sites) site.space = AddressSpace::Local;
  const Program program(kernel, with_registers(16));
  for (std::uint32_t load = 0; load < 20; ++load)
    EXPECT_THAT(ops(program, program.site(load).before), IsEmpty());
}

TEST(Program, WithoutALimitAllLoadsAreOnTheirWay) {
  const Program program(sums(100, 16), {});
  for (std::uint32_t load = 0; load < 100; ++load)
    EXPECT_THAT(ops(program, program.site(load).before), IsEmpty());
}

TEST(Program, ALoadThatIsUsedElsewhereHoldsNobodyUp) {
  LineKernel k;
  for (std::uint32_t i = 0; i < 20; ++i) k.load();
  const Program program(k.finish(), with_registers(16));
  for (std::uint32_t load = 0; load < 20; ++load)
    EXPECT_THAT(ops(program, program.site(load).before), IsEmpty());
}

TEST(Program, ClassesAreSpreadEvenly) {
  LineKernel k;
  KernelInfo kernel = k.compute(6).finish();
  kernel.blocks[0].mix = {{"int_alu", 4}, {"fp32_fma", 2}};
  const Program program(kernel, {});
  const Op fma{Op::Kind::Compute, class_index("fp32_fma"), 1};
  EXPECT_THAT(ops(program, program.body(0)), ElementsAre(alu(1), fma, alu(2), fma, alu(1)));
}

TEST(Program, WhatHasNoClassIsNotExecuted) {
  LineKernel k;
  KernelInfo kernel = k.compute(6).finish();  // such as four addresses and two sums
  kernel.blocks[0].mix = {{"fp32_fma", 2}};
  const Program program(kernel, {});
  EXPECT_THAT(ops(program, program.body(0)), ElementsAre(Op{Op::Kind::Compute, class_index("fp32_fma"), 2}));
}

TEST(Program, AnInstructionOfAVectorIsSeveral) {
  LineKernel k;
  KernelInfo kernel = k.compute(2).finish();
  kernel.blocks[0].mix = {{"fp32_fma", 8}};
  const Program program(kernel, {});
  EXPECT_THAT(ops(program, program.body(0)), ElementsAre(Op{Op::Kind::Compute, class_index("fp32_fma"), 8}));
}

TEST(Program, PhisCostNothingAndBranchesEndTheBlock) {
  LineKernel k;
  KernelInfo kernel = k.compute(4).finish();
  kernel.blocks[0].mix = {{"phi", 1}, {"int_alu", 2}, {"branch", 1}};
  const Program program(kernel, {});
  EXPECT_THAT(ops(program, program.body(0)),
              ElementsAre(alu(2), Op{Op::Kind::Compute, class_index("branch"), 1}));
}

TEST(Program, WideAndUnalignedAccessesTakeSeveralInstructions) {
  LineKernel k;
  const SiteId a = k.load();
  KernelInfo kernel = k.finish();
  kernel.sites[a.value()].width = 64;
  kernel.sites[a.value()].alignment = 8;
  EXPECT_EQ(Program(kernel, {}).site(a.value()).instructions, 8u);
}

}  // namespace
}  // namespace warpscope::timed
