#pragma once
// Runs cachesim's simulator on a list of references, for comparison with other models.
#include <span>
#include <vector>

#include "cachesim/l1/core_seed.h"
#include "cachesim/simulate/l1_simulator.h"

namespace warpscope::test {

/// Loads and stores of global memory, those of them that bypass the L1, those of private memory.
inline constexpr Origin kOrigins[] = {{SiteId(0), BufferId(1), AccessKind::Load, Destination::L1},
                                      {SiteId(1), BufferId(1), AccessKind::Store, Destination::L1},
                                      {SiteId(2), BufferId(1), AccessKind::Load, Destination::Bypass},
                                      {SiteId(3), BufferId(1), AccessKind::Store, Destination::Bypass},
                                      {SiteId(4), BufferId(2), AccessKind::Load, Destination::L1},
                                      {SiteId(5), BufferId(2), AccessKind::Store, Destination::L1}};

/// Of global memory. `first`: of its request.
inline Transaction transaction(std::uint64_t line, bool store, bool bypass = false, bool first = true) {
  const auto origin = static_cast<std::uint16_t>((bypass ? 2 : 0) + (store ? 1 : 0));
  return {LineAddr(line), OriginId(origin), store ? AccessKind::Store : AccessKind::Load, bypass, first};
}

/// The same of private memory.
inline Transaction private_transaction(std::uint64_t line, bool store, bool first = true) {
  return {LineAddr(line), OriginId(store ? 5 : 4), store ? AccessKind::Store : AccessKind::Load, false,
          first};
}

/// What the reference of that number in a random stream may be: by turns anything, only a load that does not
/// bypass, any load. A turn is a whole batch of the simulator, which looks up batches of loads in another way.
inline bool may_store(std::size_t number) {
  return number / 1024 % 3 == 0;
}
inline bool may_bypass(std::size_t number) {
  return number / 1024 % 3 != 1;
}

/// The references of a launch, and who makes them (for reuse by previous accessor; else empty).
struct Touched {
  std::vector<Transaction> transactions;
  std::vector<Accessor> accessors;
};

inline const std::vector<Transaction>& transactions_of(const Touched& launch) {
  return launch.transactions;
}
inline std::span<const Accessor> accessors_of(const Touched& launch) {
  return launch.accessors;
}
inline const std::vector<Transaction>& transactions_of(const std::vector<Transaction>& launch) {
  return launch;
}
inline std::span<const Accessor> accessors_of(const std::vector<Transaction>& /*launch*/) {
  return {};
}

/// What core 0 draws random victims with in launch `number` of those that simulate_launches() is given.
inline std::uint64_t random_seed(const CacheConfig& config, std::size_t number) {
  return seed_for(seed_in_launch(config.seed, LaunchId(static_cast<std::uint32_t>(number))), 0);
}

template <typename Launch>
SimulationResult simulate_launches(const SimulationOptions& options, const std::vector<Launch>& launches,
                                   std::uint64_t line_limit = Transaction::kMaxLine + 1,
                                   std::uint64_t private_from = kNoPrivateMemory) {
  L1Simulator simulator(options);
  TransactionHeader header;
  header.transaction_bytes = options.cache.transaction_bytes();
  header.line_limit = line_limit;
  header.private_from = private_from;
  header.stream.buffers.push_back({BufferId(2), "own", AddressSpace::Private, 4, "private"});
  for (std::uint32_t number = 0; number < launches.size(); ++number) {
    LaunchInfo info;
    info.id = LaunchId(number);
    header.stream.launches.push_back(info);
  }
  simulator.begin(header);
  std::uint32_t number = 0;
  for (const Launch& launch : launches) {
    simulator.begin_launch(LaunchId(number++));
    simulator.add_origins(kOrigins);
    std::vector<OriginTally> tallies(std::size(kOrigins));
    for (std::uint16_t i = 0; i < std::size(kOrigins); ++i) tallies[i].origin = OriginId(i);
    for (const Transaction t : transactions_of(launch)) ++tallies[t.origin().value()].access.lanes;
    simulator.block({CoreId(0), tallies, transactions_of(launch), {}, accessors_of(launch)});
  }
  simulator.end();
  return simulator.result();
}

/// Simulates launches, one after the other, on core 0.
inline SimulationResult simulate(const SimulationOptions& options,
                                 const std::vector<std::vector<Transaction>>& launches,
                                 std::uint64_t line_limit = Transaction::kMaxLine + 1,
                                 std::uint64_t private_from = kNoPrivateMemory) {
  return simulate_launches(options, launches, line_limit, private_from);
}

}  // namespace warpscope::test
