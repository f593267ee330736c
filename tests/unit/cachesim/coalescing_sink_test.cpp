// Where accesses go, and at which simulated addresses.
#include "cachesim/transactions/coalescing_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "header_builder.h"
#include "traces/base/error.h"

namespace warpscope::test {
namespace {

using ::testing::ElementsAre;

constexpr auto kLoad = AccessKind::Load;
constexpr auto kStore = AccessKind::Store;
constexpr auto kGlobal = AddressSpace::Global;

RecordingSink coalesced(const StreamHeader& header, const std::vector<WarpAccess>& accesses,
                        L1Takes takes = L1Takes::Everything, const char* rule = "fermi",
                        std::uint32_t line_bytes = 128) {
  RecordingSink recorded;
  CoalescingSink sink(line_bytes, coalescing_rule(rule), recorded, takes);
  sink.begin(header);
  sink.begin_launch(LaunchId(0));
  for (const WarpAccess& access : accesses) sink.access(access);
  sink.end();
  return recorded;
}

TEST(CoalescingSink, GlobalAccessGetsItsBuffersAddress) {
  Accesses make;
  const StreamHeader h = header({kGlobal, kGlobal}, {site(kLoad, kGlobal)});
  const Layout layout(h.buffers, h.layout);
  const auto recorded = coalesced(h, {make.strided(0, BufferAddr(BufferId(2), 256), 4)});
  ASSERT_EQ(recorded.transactions.size(), 1u);
  EXPECT_EQ(recorded.transactions[0].line().value(), (layout.base(BufferId(2)).value() + 256) / 128);
  EXPECT_TRUE(recorded.transactions[0].is_first());
  EXPECT_EQ(recorded.origin_of(recorded.transactions[0]).buffer, BufferId(2));
  EXPECT_EQ(recorded.lanes, 32u);
  EXPECT_TRUE(recorded.ended);
  EXPECT_LT(recorded.transactions[0].line().value(), recorded.header.line_limit);
}

TEST(CoalescingSink, RememberedPatternsGiveTheSameAtEveryPlaceInALine) {
  Accesses make;
  std::vector<SiteInfo> sites = {site(kLoad, kGlobal, 4), site(kLoad, kGlobal, 8), site(kLoad, kGlobal, 16)};
  sites[1].alignment = 4;  // two instructions
  const StreamHeader h = header({kGlobal}, sites);
  std::vector<WarpAccess> cached, fresh;
  for (std::uint32_t round = 0; round < 3; ++round)
    for (std::uint64_t offset = 0; offset < 2048; offset += 4)
      for (std::uint32_t s = 0; s < 3; ++s) {
        cached.push_back(make.strided(s, BufferAddr(BufferId(1), offset), 12, 7));
        fresh.push_back(make.strided(s, BufferAddr(BufferId(1), offset), 12, 0));
        cached.push_back(make.strided(s, BufferAddr(BufferId(1), offset + 4096), -4, 8));
        fresh.push_back(make.strided(s, BufferAddr(BufferId(1), offset + 4096), -4, 0));
        cached.push_back(make.strided(s, BufferAddr(BufferId(1), offset), 16, 9));
        fresh.push_back(make.strided(s, BufferAddr(BufferId(1), offset), 16, 0));
      }
  for (const CoalescingRule& rule : coalescing_rules())
    for (const std::uint32_t line_bytes : {32u, 128u}) {
      SCOPED_TRACE(rule.name);
      const auto a = coalesced(h, cached, L1Takes::Everything, rule.name, line_bytes);
      const auto b = coalesced(h, fresh, L1Takes::Everything, rule.name, line_bytes);
      EXPECT_EQ(a.transactions, b.transactions);
      EXPECT_EQ(a.lanes, b.lanes);
    }
}

// CUDA C Programming Guide, G.3.2.1: lane k of a half-warp accesses word k of an aligned stretch of 16 words.
// Of 16 bytes each these are 256 bytes, two segments of 128; half a stretch further every lane has a
// transaction.
TEST(CoalescingSink, RemembersWhereG80sStretchesOf256BytesBegin) {
  Accesses make;
  const StreamHeader h = header({kGlobal}, {site(kLoad, kGlobal, 16)});
  const WarpAccess aligned = make.strided(0, BufferAddr(BufferId(1), 0), 16, 7);
  WarpAccess between = aligned;
  between.base = BufferAddr(BufferId(1), 128);
  EXPECT_EQ(coalesced(h, {aligned}, L1Takes::Nothing, "g80").transactions.size(), 4u);
  EXPECT_EQ(coalesced(h, {aligned, between}, L1Takes::Nothing, "g80").transactions.size(), 4u + 32u);
}

// Lanes 0 and 1 of a GT200's half-warp reach the two ends of a segment of 128 bytes, lane 2 private memory:
// the two lines of 32 bytes between, which no lane touches, move with the segment, not with lane 2.
TEST(CoalescingSink, LinesOfASegmentThatNoLaneTouchesBelongToTheNearest) {
  Accesses make;
  const StreamHeader h = header({kGlobal, AddressSpace::Private}, {site(kLoad, AddressSpace::Generic)}, 512);
  const BufferAddr a(BufferId(1), 0), own(BufferId(2), 0);
  const auto far = static_cast<std::int64_t>(own.key() - a.key());
  const auto recorded =
      coalesced(h, {make.make(0, a, 0b111, {0, 124, far})}, L1Takes::Everything, "gt200", 32);
  std::vector<std::uint32_t> buffers;
  for (const Transaction one : recorded.transactions)
    buffers.push_back(recorded.origin_of(one).buffer.value());
  EXPECT_THAT(buffers, ElementsAre(1, 1, 1, 1, 2));
}

TEST(CoalescingSink, LocalAndConstantMemoryAreCountedButDoNotReachTheL1) {
  Accesses make;
  const StreamHeader h = header({kGlobal, AddressSpace::Local, AddressSpace::Constant},
                                {site(kLoad, AddressSpace::Local), site(kLoad, AddressSpace::Constant)});
  const auto recorded = coalesced(
      h, {make.strided(0, BufferAddr(BufferId(2), 0), 4), make.strided(1, BufferAddr(BufferId(3), 0), 0)});
  EXPECT_TRUE(recorded.transactions.empty());
  EXPECT_EQ(recorded.lanes, 64u);
  EXPECT_EQ(recorded.outside_requests, 2u);
  ASSERT_EQ(recorded.origins.size(), 2u);
  EXPECT_EQ(recorded.origins[0].destination, Destination::Local);
  EXPECT_EQ(recorded.origins[1].destination, Destination::Constant);
}

TEST(CoalescingSink, GenericPointersGoWhereTheirBufferLives) {
  Accesses make;
  const StreamHeader h = header({kGlobal, AddressSpace::Local}, {site(kLoad, AddressSpace::Generic)});
  const auto recorded = coalesced(
      h, {make.strided(0, BufferAddr(BufferId(1), 0), 4), make.strided(0, BufferAddr(BufferId(2), 0), 4)});
  EXPECT_EQ(recorded.transactions.size(), 1u);
  EXPECT_EQ(recorded.outside_requests, 1u);
}

TEST(CoalescingSink, AtomicsAndVolatileAccessesPassBy) {
  Accesses make;
  SiteInfo volatile_load = site(kLoad, kGlobal);
  volatile_load.is_volatile = true;
  const StreamHeader h =
      header({kGlobal}, {site(AccessKind::Atomic, kGlobal), volatile_load, site(kLoad, kGlobal)});
  std::vector<WarpAccess> accesses;
  for (std::uint32_t s = 0; s < 3; ++s) accesses.push_back(make.strided(s, BufferAddr(BufferId(1), 0), 4));
  const auto recorded = coalesced(h, accesses);
  ASSERT_EQ(recorded.transactions.size(), 3u);
  EXPECT_TRUE(recorded.transactions[0].bypasses());
  EXPECT_EQ(recorded.transactions[0].kind(), AccessKind::Atomic);
  EXPECT_TRUE(recorded.transactions[1].bypasses());
  EXPECT_FALSE(recorded.transactions[2].bypasses());
}

TEST(CoalescingSink, AccessesOutsideEveryObjectAreCountedApart) {
  Accesses make;
  const StreamHeader h = header({kGlobal}, {site(kStore, kGlobal)});
  const auto recorded = coalesced(h, {make.strided(0, BufferAddr(BufferId(0), 4096), 4)});
  EXPECT_TRUE(recorded.transactions.empty());
  ASSERT_EQ(recorded.origins.size(), 1u);
  EXPECT_EQ(recorded.origins[0].destination, Destination::NoObject);
  EXPECT_EQ(recorded.outside_requests, 1u);
}

TEST(CoalescingSink, LanesInSeveralBuffersKeepTheirOwners) {
  Accesses make;
  const StreamHeader h = header({kGlobal, kGlobal}, {site(kLoad, kGlobal)});
  const BufferAddr a(BufferId(1), 0), b(BufferId(2), 512), nowhere(BufferId(0), 64);
  const auto at = [&](BufferAddr where) { return static_cast<std::int64_t>(where.key() - a.key()); };
  // Lanes 0, 1 in a, lane 2 outside everything, lanes 3, 4 in b.
  const auto recorded = coalesced(h, {make.make(0, a, 0b11111, {0, 4, at(nowhere), at(b), at(b) + 4})});
  ASSERT_EQ(recorded.transactions.size(), 2u);
  EXPECT_EQ(recorded.origin_of(recorded.transactions[0]).buffer, BufferId(1));
  EXPECT_EQ(recorded.origin_of(recorded.transactions[1]).buffer, BufferId(2));
  EXPECT_TRUE(recorded.transactions[0].is_first());
  EXPECT_FALSE(recorded.transactions[1].is_first());
  EXPECT_EQ(recorded.lanes, 5u);
  EXPECT_EQ(recorded.outside_requests, 0u);  // the instruction did reach the memory
}

TEST(CoalescingSink, PrivateWordsOfAWarpLieSideBySide) {
  Accesses make;
  const StreamHeader h =
      header({kGlobal, AddressSpace::Private},
             {site(kLoad, AddressSpace::Private), site(kStore, AddressSpace::Private, 8)}, 64);
  const BufferAddr word3(BufferId(2), 12);
  // The same word of 32 lanes: one line. An 8-byte access: two words, two lines, one request.
  auto recorded = coalesced(h, {make.strided(0, word3, 0), make.strided(1, BufferAddr(BufferId(2), 16), 0)});
  ASSERT_EQ(recorded.transactions.size(), 3u);
  const std::uint64_t base = recorded.transactions[0].line().value() - 3;
  EXPECT_EQ(base * 128 % (2u << 20), 0u);  // above the buffers
  EXPECT_EQ(recorded.transactions[1].line().value(), base + 4);
  EXPECT_EQ(recorded.transactions[2].line().value(), base + 5);
  EXPECT_TRUE(recorded.transactions[1].is_first());
  EXPECT_FALSE(recorded.transactions[2].is_first());
  // Lane l accesses word l of its own array: 16 words of 32 lanes in 16 lines.
  recorded = coalesced(h, {make.make(0, BufferAddr(BufferId(2), 0), 0xffff,
                                     {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60})});
  EXPECT_EQ(recorded.transactions.size(), 16u);
}

TEST(CoalescingSink, PrivateMemoryBeginsBehindEverythingElse) {
  Accesses make;
  const StreamHeader h = header({kGlobal, AddressSpace::Private},
                                {site(kStore, kGlobal), site(kStore, AddressSpace::Private)}, 64);
  const auto recorded = coalesced(
      h, {make.strided(0, BufferAddr(BufferId(1), 0), 0), make.strided(1, BufferAddr(BufferId(2), 0), 0)});
  ASSERT_EQ(recorded.transactions.size(), 2u);
  EXPECT_LT(recorded.transactions[0].line().value(), recorded.header.private_from);
  EXPECT_EQ(recorded.transactions[1].line().value(), recorded.header.private_from);
  EXPECT_EQ(coalesced(header({kGlobal}, {site(kStore, kGlobal)}), {}).header.private_from, kNoPrivateMemory);
}

TEST(CoalescingSink, WhatTheL1DoesNotTakePassesBy) {
  const SiteInfo global = site(kLoad, kGlobal), own = site(kLoad, AddressSpace::Private);
  const auto passes = [](const SiteInfo& info, L1Takes takes) {
    const PlannedDestination planned = planned_destination(info, takes);
    EXPECT_EQ(planned.in_private, planned.elsewhere) << "the site says where its objects are";
    return planned.elsewhere == Destination::Bypass;
  };
  EXPECT_FALSE(passes(global, L1Takes::Everything) || passes(own, L1Takes::Everything));
  EXPECT_TRUE(!passes(global, L1Takes::GlobalMemory) && passes(own, L1Takes::GlobalMemory));
  EXPECT_TRUE(passes(global, L1Takes::PrivateMemory) && !passes(own, L1Takes::PrivateMemory));
  EXPECT_TRUE(passes(global, L1Takes::Nothing) && passes(own, L1Takes::Nothing));
  EXPECT_EQ(planned_destination(site(kLoad, AddressSpace::Local), L1Takes::Nothing).elsewhere,
            Destination::Local);
}

// A generic pointer leaves it to the object, access by access: buffer 1 is global, 2 private.
TEST(CoalescingSink, ThroughAGenericPointerTheObjectDecides) {
  Accesses make;
  const StreamHeader h =
      header({kGlobal, AddressSpace::Private},
             {site(kLoad, AddressSpace::Generic), site(kStore, AddressSpace::Generic)}, 64);
  const BufferAddr global(BufferId(1), 0), own(BufferId(2), 0);
  const auto passing_by = [&](L1Takes takes) {
    std::vector<WarpAccess> accesses;
    for (const BufferAddr where : {global, own, own, global, global, own})
      accesses.push_back(make.strided(where == own ? 1 : 0, where, 0));
    for (const BufferAddr where : {own, global}) accesses.push_back(make.strided(0, where, 0));
    std::string passes;
    for (const Transaction t : coalesced(h, accesses, takes).transactions) passes += t.bypasses() ? 'p' : '.';
    return passes;
  };
  EXPECT_EQ(passing_by(L1Takes::Everything), "........");
  EXPECT_EQ(passing_by(L1Takes::PrivateMemory), "p..pp..p");
  EXPECT_EQ(passing_by(L1Takes::GlobalMemory), ".pp..pp.");
  EXPECT_EQ(passing_by(L1Takes::Nothing), "pppppppp");
}

// Lanes 0 and 1 read a word of their private arrays, 2 and 3 one of a global buffer.
TEST(CoalescingSink, LanesOfOneGenericAccessGoDifferentWays) {
  Accesses make;
  const StreamHeader h = header({kGlobal, AddressSpace::Private}, {site(kLoad, AddressSpace::Generic)}, 64);
  const BufferAddr global(BufferId(1), 0), own(BufferId(2), 0);
  const auto there = static_cast<std::int64_t>(global.key() - own.key());
  const auto recorded =
      coalesced(h, {make.make(0, own, 0b1111, {0, 0, there, there + 4})}, L1Takes::PrivateMemory);
  ASSERT_EQ(recorded.transactions.size(), 2u);
  for (const Transaction t : recorded.transactions) {
    EXPECT_EQ(t.bypasses(), t.line().value() < recorded.header.private_from);
    EXPECT_EQ(recorded.origin_of(t).buffer, t.bypasses() ? BufferId(1) : BufferId(2));
  }
}

// What came before does not matter: lanes in two global buffers take no stage of an L1 for private memory,
// whose line a lane of the access after needs.
TEST(CoalescingSink, StagesOfLanesInSeveralBuffersAreThoseOfTheFirst) {
  Accesses make;
  const StreamHeader h =
      header({kGlobal, kGlobal, AddressSpace::Private}, {site(kLoad, AddressSpace::Generic)}, 64);
  const BufferAddr a(BufferId(1), 0), b(BufferId(2), 0), own(BufferId(3), 0);
  const auto between = [](BufferAddr from, BufferAddr to) {
    return static_cast<std::int64_t>(to.key() - from.key());
  };
  const auto stages_of = [&](const std::vector<WarpAccess>& accesses) {
    RecordingSink recorded;
    CoalescingSink sink(32, coalescing_rule("volta"), recorded, L1Takes::PrivateMemory, StageRules{});
    sink.begin(h);
    sink.begin_launch(LaunchId(0));
    StageCounts all;
    for (const WarpAccess& access : accesses) sink.access(access);
    sink.end();
    for (const OriginTally& tally : recorded.tallies) all += tally.stages;
    return all;
  };
  const WarpAccess in_own = make.strided(0, own, 0), in_a = make.strided(0, a, 0);
  const WarpAccess in_both = make.make(0, a, 0b11, {0, between(a, b)});
  const WarpAccess first_in_own = make.make(0, own, 0b11, {0, between(own, a)});
  const StageCounts own_alone = stages_of({in_own}), a_alone = stages_of({in_a});
  EXPECT_EQ(own_alone.tag_wavefronts, 1u);
  EXPECT_EQ(a_alone.tag_wavefronts, 0u);
  EXPECT_EQ(stages_of({in_own, in_both}).tag_wavefronts, 1u);
  EXPECT_EQ(stages_of({in_a, first_in_own}).tag_lookups, 2u);
}

TEST(CoalescingSink, EveryWarpHasItsOwnPrivateMemory) {
  Accesses make;
  const StreamHeader h =
      header({AddressSpace::Private}, {site(kLoad, AddressSpace::Private)}, 64);  // 2 warps per group
  std::vector<WarpAccess> accesses;
  for (std::uint32_t group = 0; group < 2; ++group)
    for (std::uint32_t warp = 0; warp < 2; ++warp) {
      accesses.push_back(make.strided(0, BufferAddr(BufferId(1), 0), 0));
      accesses.back().group = WorkGroupId(group);
      accesses.back().warp = WarpId(warp);
    }
  const auto recorded = coalesced(h, accesses);
  ASSERT_EQ(recorded.transactions.size(), 4u);
  for (std::size_t i = 1; i < 4; ++i)  // 64 bytes of 32 lanes: 16 lines further
    EXPECT_EQ(recorded.transactions[i].line().value(), recorded.transactions[0].line().value() + 16 * i);
}

TEST(CoalescingSink, RefusesSitesCoresAndAddressesOutOfRange) {
  Accesses make;
  const StreamHeader h = header({kGlobal}, {site(kLoad, kGlobal)}, 4096);
  EXPECT_THROW(coalesced(h, {make.strided(1, BufferAddr(BufferId(1), 0), 4)}), InputError);
  EXPECT_THROW(coalesced(h, {make.strided(0, BufferAddr(BufferId(1), std::uint64_t{1} << 39), 4)}),
               InputError);
  WarpAccess access = make.strided(0, BufferAddr(BufferId(1), 0), 4);
  access.core = CoreId(1u << 31);
  EXPECT_THROW(coalesced(h, {access}), InputError);
}

TEST(CoalescingSink, PlainAddressesOfTextStreamsNeedNoBuffer) {
  Accesses make;
  StreamHeader h;
  h.carries_core = false;
  WarpAccess access = make.strided(5, BufferAddr(0x7f0012345600), 4);
  WarpAccess store = access;
  store.kind = kStore;
  const auto recorded = coalesced(h, {access, store});
  ASSERT_EQ(recorded.transactions.size(), 2u);
  EXPECT_EQ(recorded.transactions[0].line().value(), 0x7f0012345600u / 128);
  EXPECT_EQ(recorded.transactions[0].kind(), kLoad);
  EXPECT_EQ(recorded.transactions[1].kind(), kStore);
  EXPECT_EQ(recorded.origins.size(), 2u);
}

TEST(CoalescingSink, PlainAddressesAreThoseOfGlobalMemory) {
  Accesses make;
  StreamHeader h;
  h.carries_core = false;
  const auto passes_by = [&](L1Takes takes) {
    RecordingSink recorded;
    CoalescingSink sink(128, coalescing_rule("fermi"), recorded, takes);
    sink.begin(h);
    sink.access(make.strided(0, BufferAddr(0x7f0012345600), 4));
    sink.end();
    return recorded.transactions.at(0).bypasses();
  };
  EXPECT_FALSE(passes_by(L1Takes::Everything) || passes_by(L1Takes::GlobalMemory));
  EXPECT_TRUE(passes_by(L1Takes::PrivateMemory) && passes_by(L1Takes::Nothing));
}

TEST(CoalescingSink, BarriersAreNotAccesses) {
  const StreamHeader h = header({kGlobal}, {site(AccessKind::Barrier, kGlobal)});
  WarpAccess barrier;
  barrier.site = SiteId(0);
  const auto recorded = coalesced(h, {barrier});
  EXPECT_TRUE(recorded.transactions.empty());
  EXPECT_TRUE(recorded.origins.empty());
}

TEST(CoalescingSink, LaunchesStartTheirOriginsAfresh) {
  Accesses make;
  StreamHeader h = header({kGlobal}, {site(kLoad, kGlobal)});
  h.launches.push_back(h.launches[0]);
  h.launches.edit()[1].id = LaunchId(1);
  RecordingSink recorded;
  CoalescingSink sink(128, coalescing_rule("fermi"), recorded);
  sink.begin(h);
  for (std::uint32_t launch = 0; launch < 2; ++launch) {
    sink.begin_launch(LaunchId(launch));
    sink.access(make.strided(0, BufferAddr(BufferId(1), 0), 4));
  }
  sink.end();
  EXPECT_EQ(recorded.origins.size(), 2u);
  EXPECT_EQ(recorded.transactions[0].origin(), recorded.transactions[1].origin());
}

}  // namespace
}  // namespace warpscope::test
