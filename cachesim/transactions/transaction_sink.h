#pragma once
// The stream between coalescer and caches, in memory or through a transaction stream file.
#include <span>
#include <string>
#include <vector>

#include "cachesim/access/access_stages.h"
#include "cachesim/transactions/accessor.h"
#include "cachesim/transactions/origin.h"
#include "cachesim/transactions/transaction.h"
#include "traces/stream/stream.h"

namespace warpscope {

/// What a stream of transactions says about itself, once.
struct TransactionHeader {
  StreamHeader stream;
  std::uint32_t transaction_bytes = 128;  ///< a line, or a sector where the cache has sectors
  std::string coalescing = "fermi";
  std::uint64_t line_limit = Transaction::kMaxLine + 1;  ///< every line number is below it
  bool stages = false;                            ///< whether the tallies hold stages, wavefronts and degrees
  std::vector<std::string> tallies = {};          ///< meaning of each number of a tally in a file; else empty
  std::uint64_t private_from = kNoPrivateMemory;  ///< numbers of private memory are not below it
};

/// What the transactions of an origin do not say themselves.
struct OriginTally {
  OriginId origin;
  AccessCounts access = {};              ///< whatever their destination
  std::uint64_t outside_requests = 0;    ///< warp instructions of origins that make no transactions
  StageCounts stages = {};               ///< stages of the accesses that make them
  std::uint64_t outside_wavefronts = 0;  ///< local: cycles of the banks; constant: distinct addresses
  /// Of outside_wavefronts those beyond one per pass (local), per request (constant).
  std::uint64_t outside_conflicts = 0;
  OriginTally& operator+=(const OriginTally& other);  ///< adds a tally of the same origin
};
/// Calls visit("name", tally.name...) for each number of a tally, in the order of a transaction stream.
template <class Visit, class... Tallies>
void each_tally_counter(const Visit& visit, Tallies&... tally) {
  each_access_counter(visit, tally.access...);
  visit("outside_requests", tally.outside_requests...);
  each_stage_counter(visit, tally.stages...);
  visit("outside_wavefronts", tally.outside_wavefronts...);
  visit("outside_conflicts", tally.outside_conflicts...);
}

/// Passes of local memory that took `degree` cycles each.
struct DegreeTally {
  OriginId origin;
  std::uint16_t degree = 0;
  std::uint64_t passes = 0;
  bool operator==(const DegreeTally&) const = default;
};

/// Some accesses of one core, in order. Blocks of different cores come in no particular order.
struct TransactionBlock {
  CoreId core;
  std::span<const OriginTally> tallies;
  std::span<const Transaction> transactions;
  std::span<const DegreeTally> degrees = {};
  std::span<const Accessor> accessors = {};  ///< accessor of each transaction; empty: not known
};

class TransactionSink {
 public:
  virtual ~TransactionSink() = default;
  virtual void begin(const TransactionHeader& header) = 0;  ///< called once, first
  virtual void begin_launch(LaunchId launch) = 0;           ///< ends the launch before; origins start afresh
  virtual void add_origins(
      std::span<const Origin> added) = 0;  ///< called before the first block that uses them
  virtual void block(const TransactionBlock& block) = 0;
  virtual void end() = 0;  ///< called once, last
};

}  // namespace warpscope
