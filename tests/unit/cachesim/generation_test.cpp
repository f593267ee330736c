// What a preset changes: which accesses reach the L1, and how large it is for each launch.
#include <gtest/gtest.h>

#include "cachesim/simulate/request.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "gpus/preset.h"
#include "header_builder.h"
#include "simulate.h"

namespace warpscope::test {
namespace {

constexpr auto kGlobalSpace = AddressSpace::Global;
constexpr auto kPrivateSpace = AddressSpace::Private;

/// Bypassing transactions of a global load, a global store and a private load.
std::vector<bool> bypasses(L1Takes takes) {
  Accesses make;
  StreamHeader h = header({kGlobalSpace, kPrivateSpace},
                          {site(AccessKind::Load, kGlobalSpace), site(AccessKind::Store, kGlobalSpace),
                           site(AccessKind::Load, kPrivateSpace)},
                          1u << 10);
  RecordingSink recorded;
  CoalescingSink sink(128, coalescing_rule("kepler"), recorded, takes);
  sink.begin(h);
  sink.begin_launch(LaunchId(0));
  sink.access(make.strided(0, BufferAddr(BufferId(1), 0), 4));
  sink.access(make.strided(1, BufferAddr(BufferId(1), 0), 4));
  sink.access(make.strided(2, BufferAddr(BufferId(2), 0), 0));
  sink.end();
  std::vector<bool> result;
  for (const Transaction transaction : recorded.transactions) result.push_back(transaction.bypasses());
  return result;
}

TEST(L1Takes, WhatTheGenerationCaches) {
  EXPECT_EQ(bypasses(L1Takes::Everything), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(bypasses(L1Takes::GlobalMemory), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(bypasses(L1Takes::PrivateMemory), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(bypasses(L1Takes::Nothing), (std::vector<bool>{true, true, true}));
}

SimulationRequest request_on(const std::string& gpu, const std::vector<PresetChange>& changes = {}) {
  SimulationRequest request;
  use_gpu(request, load_preset(gpu, changes));
  complete(request);
  return request;
}

TEST(EveryPresetOfTheRepository, GivesACacheThatCanBeSimulated) {
  for (const std::string& name : preset_names()) {
    SCOPED_TRACE(name);
    const SimulationRequest request = request_on(name);
    EXPECT_EQ(request.simulation.cache.transaction_bytes(), request.preset->l1_sector_bytes.value_or(128));
    EXPECT_EQ(request.takes == L1Takes::Everything, request.preset->l1_caches_global_loads);
  }
  EXPECT_EQ(request_on("gtx280").takes, L1Takes::Nothing);
  EXPECT_EQ(request_on("gtx680").takes, L1Takes::PrivateMemory);
  EXPECT_EQ(request_on("k40").takes, L1Takes::PrivateOrReadOnly);
  EXPECT_EQ(request_on("gtx980").takes, L1Takes::ReadOnlyLoads);
  EXPECT_EQ(request_on("gtx1080").takes, L1Takes::PrivateAndReadOnly);
  EXPECT_EQ(request_on("p100").takes, L1Takes::Everything);
  EXPECT_EQ(request_on("gtx980", {{"l1_caches_global_loads", "true"}}).takes, L1Takes::GlobalMemory);
  EXPECT_EQ(request_on("k40", {{"l1_caches_global_loads", "true"}}).takes, L1Takes::Everything);
  EXPECT_EQ(request_on("v100", {{"l1_store_hits_line", "false"}}).simulation.cache.write_policy, "WTWA");
  EXPECT_EQ(request_on("a6000").simulation.cache.write_policy, "WTWL");
  EXPECT_EQ(request_on("rtx2080").simulation.cache.private_write_policy, "WTWA");  // Turing, as measured
  EXPECT_EQ(request_on("gtx480").simulation.cache.private_write_policy, "WBWA");   // Fermi, as documented
  EXPECT_EQ(request_on("a6000", {{"l1_store_hits_line", "false"}}).simulation.cache.write_policy, "WTWA");
  EXPECT_EQ(request_on("a6000", {{"l1_store_miss_allocates", "false"}}).simulation.cache.write_policy,
            "WTNA");
  EXPECT_EQ(request_on("p100", {{"l1_store_hits_line", "true"}}).simulation.cache.write_policy, "WTNA");
}

// One rule for compute capability 7.0 and later, as measured on 7.0, 8.6 and 9.0 (gpus/README.md).
TEST(EveryPresetOfTheRepository, LetsStoresTakeATagAndHitByLineFromVoltaOn) {
  for (const std::string& name : preset_names()) {
    SCOPED_TRACE(name);
    const SimulationRequest request = request_on(name);
    if (request.preset->vendor != "NVIDIA" || !request.preset->compute_capability) continue;
    const bool since_volta = std::stod(*request.preset->compute_capability) >= 7;
    EXPECT_EQ(request.simulation.cache.write_policy == "WTWL", since_volta);
  }
}

/// Whether a load of global memory, with or without the mark, and one of private memory bypass the L1.
std::vector<bool> loads_bypass(L1Takes takes) {
  SiteInfo marked = site(AccessKind::Load, kGlobalSpace);
  marked.is_read_only = true;
  std::vector<bool> result;
  for (const SiteInfo& info :
       {site(AccessKind::Load, kGlobalSpace), marked, site(AccessKind::Load, kPrivateSpace)})
    result.push_back(planned_destination(info, takes).elsewhere == Destination::Bypass);
  return result;
}

TEST(L1Takes, ReadOnlyLoads) {
  EXPECT_EQ(loads_bypass(L1Takes::ReadOnlyLoads), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(loads_bypass(L1Takes::PrivateAndReadOnly), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(loads_bypass(L1Takes::PrivateMemory), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(loads_bypass(L1Takes::Everything), (std::vector<bool>{false, false, false}));
}

// Kepler: the read-only cache of 48 KiB for a kernel that has nothing for the L1, else the L1 of 16 KiB.
TEST(ReadOnlyCache, IsThatOfAKernelWithoutPrivateMemory) {
  const SimulationRequest request = request_on("k40");
  LaunchInfo launch;
  launch.kernel.edit().sites = {site(AccessKind::Load, kGlobalSpace)};
  EXPECT_EQ(request.simulation.cache_of(launch).size_kib, 48u);
  EXPECT_EQ(request.simulation.cache_of(launch).sets(), 16u);
  launch.kernel.edit().sites.push_back(site(AccessKind::Load, kPrivateSpace));
  EXPECT_EQ(request.simulation.cache_of(launch).size_kib, 16u);
}

// A V100 core holds 32 groups of 64 work-items, but of 9 KiB of local memory ten, of 900 bytes 32: carve-outs
// of 96 and 32 KiB, whatever the launch's number of groups. None: 128 - 5 = 123 KiB.
TEST(UnifiedMemory, TheL1OfALaunchIsWhatItsLocalMemoryLeaves) {
  const SimulationRequest request = request_on("v100");
  LaunchInfo launch;
  launch.global = {128, 1, 1};
  launch.local = {64, 1, 1};
  EXPECT_EQ(request.simulation.cache_of(launch).size_kib, 123u);
  launch.kernel.edit().static_local_bytes = 900;
  EXPECT_EQ(request.simulation.cache_of(launch).size_kib, 91u);
  launch.kernel.edit().static_local_bytes = 9 * 1024;
  EXPECT_EQ(request.simulation.cache_of(launch).size_kib, 27u);
  SimulationRequest by_hand = request_on("v100");
  by_hand.simulation.cache_of = nullptr;
  by_hand.cache_of_preset = false;
  complete(by_hand);
  EXPECT_FALSE(by_hand.simulation.cache_of) << "a cache given by hand is fixed";
}

/// The same transactions in two launches, with one set of 16 lines in launch 0, of 8 lines in launch 1.
SimulationResult with_two_sizes(const std::vector<Transaction>& transactions,
                                std::uint64_t private_from = kNoPrivateMemory) {
  SimulationOptions options;
  options.cache = {2, 128, 16, "LRU", "WTNA", "linear", 1, 0, "WBWA"};
  options.keep_l1 = true;  // a change of size empties the cache all the same
  options.self_check = true;
  options.cache_of = [&](const LaunchInfo& launch) {
    CacheConfig config = options.cache;
    if (launch.kernel->static_local_bytes != 0) {
      config.size_kib = 1;
      config.ways = 8;
    }
    return config;
  };
  L1Simulator simulator(options);
  TransactionHeader h;
  h.private_from = private_from;
  h.stream = header({kGlobalSpace, kPrivateSpace}, {site(AccessKind::Load, kGlobalSpace)});
  h.stream.launches.push_back(h.stream.launches[0]);
  h.stream.launches.edit()[1].id = LaunchId(1);
  h.stream.launches.edit()[1].kernel.edit().static_local_bytes = 1024;
  simulator.begin(h);
  const OriginTally tally{transactions[0].origin(), {transactions.size()}, 0};
  for (std::uint32_t launch = 0; launch < 2; ++launch) {
    simulator.begin_launch(LaunchId(launch));
    simulator.add_origins(kOrigins);
    simulator.block({CoreId(0), {&tally, 1}, transactions});
  }
  simulator.end();
  return simulator.result();
}

// Nine lines in turn, twice: 9 misses, then all 18.
TEST(UnifiedMemory, LaunchesRunWithL1sOfTheirOwn) {
  std::vector<Transaction> transactions;
  for (int round = 0; round < 2; ++round)
    for (std::uint64_t line = 0; line < 9; ++line) transactions.push_back(transaction(line, false));
  const SimulationResult result = with_two_sizes(transactions);
  EXPECT_EQ(result.launches[0].of(AccessKind::Load).misses, 9u);
  EXPECT_EQ(result.launches.record(0).l1_kib, 2u);
  EXPECT_EQ(result.launches.record(1).l1_kib, 1u);
  EXPECT_EQ(result.launches[1].of(AccessKind::Load).misses, 18u);
}

// Stores to nine lines: the ninth pushes out a dirty one of eight.
TEST(UnifiedMemory, PrivateMemoryIsWrittenBackWhateverTheSize) {
  std::vector<Transaction> transactions;
  for (std::uint64_t line = 0; line < 9; ++line) transactions.push_back(private_transaction(line, true));
  const SimulationResult result = with_two_sizes(transactions, 0);
  EXPECT_EQ(result.launches[0].write_backs, 0u);
  EXPECT_EQ(result.launches[1].write_backs, 1u);
  EXPECT_EQ(result.launches[1].classes.cold, 9u);
}

}  // namespace
}  // namespace warpscope::test
