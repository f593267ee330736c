#pragma once
// The cores of a launch, in shards that host threads simulate at the same time. Within a window no core needs what another
// one does, so the number of threads changes no result.
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cachesim/simulate/task_pool.h"
#include "scheduler/replay/address_replay.h"
#include "timed/issue/core.h"
#include "timed/memory/access_lines.h"
#include "timed/parallel/memory_exchange.h"

namespace warpscope::timed {

/// Shards of `cores` for `threads`. One thread has one, as shards do not share what they remember of accesses; several
/// have some each, so that one whose cores have little to do takes another.
std::uint32_t shards_of(std::uint32_t cores, std::uint32_t threads);

class CoreShards {
 public:
  /// Cores that one thread simulates at a time, and what they share: neither may be used by two threads.
  struct Shard {
    AccessLines& lines;
    PatternMemory patterns;
    std::vector<std::uint32_t> cores{};
    std::vector<WarpStallCounts> stalls{};  ///< of machine code, by instruction
    std::exception_ptr failure{};           ///< exception of the core `failed`
    std::uint32_t failed = 0;
  };
  using MakeCore = std::function<std::unique_ptr<Core>(std::uint32_t core, Shard& shard)>;

  /// A shard for each of `lines`, which outlive this as `memory` and `pool` do. Core c is in shard c mod their number.
  CoreShards(std::uint32_t cores, const std::vector<std::unique_ptr<AccessLines>>& lines,
             std::uint32_t warps_per_group, std::uint32_t sites, const MakeCore& make, MemoryExchange& memory,
             TaskPool& pool);

  /// All cores get their replies, simulate up to cycle `end` and send. Throws what the lowest of the cores threw that failed.
  void advance(Cycle end);
  /// From now on advance() notes what each core takes of the host's time.
  void time_cores() { seconds_.resize(cores_.size()); }
  /// Of the last advance(), by core.
  [[nodiscard]] std::span<const double> seconds() const { return seconds_; }

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(cores_.size()); }
  Core& operator[](std::uint32_t core) { return *cores_[core]; }
  [[nodiscard]] const Core& operator[](std::uint32_t core) const { return *cores_[core]; }
  [[nodiscard]] bool idle() const;
  /// What the cores counted, with origins numbered as in `origins`, which gets those of all cores, ascending. Throws
  /// InputError when these are too many.
  [[nodiscard]] std::vector<CoreCounts> counts(std::vector<Origin>& origins) const;
  /// What the warps of all cores did, by instruction of machine code; empty without it.
  [[nodiscard]] std::vector<WarpStallCounts> stalls() const;

 private:
  void advance(std::uint32_t shard, Cycle end);
  void prepare(std::uint32_t core);

  MemoryExchange& memory_;
  TaskPool& pool_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<std::unique_ptr<Core>> cores_;
  std::vector<double> seconds_;  ///< empty: not noted
};

}  // namespace warpscope::timed
