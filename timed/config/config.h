#pragma once
// What the timed engine simulates. Every field has a default, docs/reference/timed-model.md has the source of what is assumed,
// and presets fill in what they know.
#include <cstdint>
#include <string>
#include <vector>

#include "cachesim/access/bank_model.h"
#include "cachesim/l1/cache_config.h"
#include "cachesim/transactions/access_path.h"
#include "timed/config/instruction_cost.h"
#include "timed/config/machine_times.h"
#include "timed/config/slice_distances.h"
#include "traces/base/policy_parameter.h"

namespace warpscope::timed {

using Cycle = std::uint64_t;  ///< cycles of the core clock, from the start of the first launch
constexpr Cycle kNever = ~Cycle{0};

inline constexpr std::uint32_t kMostLoadStoreUnits = 4;  ///< limit per core

/// The part of a core that issues.
struct IssueConfig {
  std::string policy = "gto";     ///< a name of timed/issue/registry.def
  std::uint32_t schedulers = 4;   ///< per core; warp w belongs to scheduler w mod schedulers
  std::uint32_t issue_width = 1;  ///< instructions per scheduler and cycle, of different warps
  PolicyValues parameters;        ///< parameters of the policies, each in its range
  /// An instruction depends on the one this many before it in its warp: it issues latency / independent
  /// cycles after its predecessor. 1 = a chain; absent: what the capture says of each block (timed/program/dependence.h).
  std::optional<std::uint32_t> independent{};
  std::uint32_t unroll = 4;  ///< iterations of an innermost loop of one block that issue as one body
  /// Registers of a work-item for values of global memory that are on their way. 0 = no limit.
  std::uint32_t load_registers = 0;
  /// Conditional parts of at most so many instructions are predicated: the loads of several in a row issue together. 0 = none are.
  std::uint32_t predicated = 0;
  bool barriers_take_a_cycle = true;  ///< false: warps go on in the turn in which the last one arrives
  bool interleave_groups =
      false;  ///< hardware warp numbers go warp by warp over the groups, as fixed order's
  CostTable costs = default_costs();
  MachineTimes machine;
};

/// What a memory access costs the L1.
enum class L1Stages : std::uint8_t {
  InOrder,    ///< tags_per_cycle lines in their order; data_bytes_per_cycle of the sectors touched
  Wavefronts  ///< the tag and data wavefronts of the coalescing rule (cachesim/access/access_stages.h)
};

/// The load-store unit and the L1. Zero entries, merges or widths mean "no limit".
struct L1Config {
  CacheConfig cache;                    ///< its sectors are what is fetched and counted
  bool allocate_on_fill = false;        ///< a line takes its place when its data arrives, not when it misses
  std::uint32_t hit_latency = 28;       ///< cycles from issue to a dependent instruction, unit idle
  std::uint32_t local_latency = 19;     ///< the same for local memory without conflicts
  BankRules banks;                      ///< rules of local memory
  std::uint32_t constant_latency = 27;  ///< the same for __constant, one address per warp
  std::uint32_t queue_entries = 8;      ///< memory instructions that wait in front of the L1
  L1Stages stages = L1Stages::InOrder;
  std::uint32_t lanes_per_cycle =
      0;                             ///< of a warp's access that the load-store unit begins; not of constants
  std::uint32_t tags_per_cycle = 4;  ///< lines looked up; of banked tags one of each bank, a power of two
  /// With wavefronts: a data wavefront of all banks takes as many cycles as its bytes need.
  std::uint32_t data_bytes_per_cycle = 128;
  std::uint32_t mshr_entries = 256;     ///< lines with outstanding sectors
  std::uint32_t mshr_merges = 0;        ///< warp instructions per entry, the first included
  L1Takes takes = L1Takes::Everything;  ///< other accesses go to the L2
  std::uint32_t units = 1;     ///< load-store units of a core, each with an L1; a work-group uses one
  bool sectors_apart = false;  ///< each sector is a look-up of its own, in the coalescer's order
};

/// The timed engine's own hash for the L2.
constexpr const char* kSpread = "spread";

/// A cache that neighbouring cores share, between their L1s and the L2.
struct SharedL1Config {
  std::uint64_t size_kib = 0;  ///< 0 = there is none
  std::uint32_t ways = 16;
  std::uint32_t cores = 1;            ///< number of cores that share an L1
  std::uint32_t bytes_per_cycle = 0;  ///< bandwidth of one; 0 = no limit
  std::uint32_t latency = 0;          ///< cycles from L1 miss to its data, nothing in the way
};

/// Everything behind the L1s.
struct MemoryConfig {
  std::uint32_t request_bytes_per_cycle = 32;  ///< one core's writes to the L2
  std::uint32_t reply_bytes_per_cycle = 64;    ///< the L2's replies to one core
  std::uint32_t replies_per_cycle = 0;      ///< replies to one core, each for a line's sectors; 0 = no limit
  std::uint32_t request_queue_cycles = 64;  ///< a core stops when its writes are this far behind; 0 = never
  SharedL1Config shared_l1;
  std::uint64_t l2_size_kib = 6144;
  std::uint32_t l2_line_bytes = 128, l2_ways = 16, l2_sector_bytes = 32;
  std::uint32_t l2_slices = 64;
  /// Which slice has a line, and which set of it; of the latter's function the line number divided by slices.
  /// kSpread: a hash of all bits. Else a name of cachesim/l1/set_index.def.
  std::string l2_slice_index = kSpread, l2_set_index = kSpread;
  double l2_bytes_per_cycle = 32;    ///< bandwidth of one slice
  double l2_requests_per_cycle = 0;  ///< limit of one slice, for a line's sectors each; 0 = no limit
  double l2_store_cost = 1;          ///< what a store takes of a slice, over what a load of as much does
  /// Parts of the slices, of as many cores each. A core asks its own part, which keeps what it fetches from another's: the DRAM behind a
  /// line is one part's. Stores and atomics go there.
  std::uint32_t l2_partitions = 1;
  std::uint32_t l2_far_latency = 0;  ///< cycles more to what only another part has
  std::uint32_t l2_latency = 193;    ///< cycles from L1 miss to data, nothing in the way, at the median
  std::uint32_t l2_latency_below = 0,
                l2_latency_above = 0;  ///< what a tenth of the slices takes less, and more
  std::uint32_t dram_channels = 32;
  double dram_bytes_per_cycle = 20.3;  ///< bandwidth of one channel
  std::uint32_t dram_latency = 180;    ///< cycles that an L2 miss adds
  /// A load's miss fetches aligned pieces of so many bytes, and a write-back writes them; 0 = an L2 sector.
  std::uint32_t dram_access_bytes = 0;
  bool l2_keeps_content = true;  ///< whether content stays from launch to launch
  /// A written sector goes on to the DRAM at once, once while the L2 has it: as in a larger launch of its kind, where the L2 cannot hold
  /// until the end what was written.
  bool l2_writes_through = false;

  /// That a launch takes at least which moves so many bytes to and from the DRAM; 0 without a limit. Nothing waits for a write, but no
  /// DRAM moves more in a cycle than it can.
  [[nodiscard]] Cycle least_cycles(std::uint64_t dram_bytes) const {
    if (dram_bytes_per_cycle == 0) return 0;
    return static_cast<Cycle>(static_cast<double>(dram_bytes) / (dram_bytes_per_cycle * dram_channels));
  }
  /// Nothing that a core asks for comes back earlier.
  [[nodiscard]] std::uint32_t least_latency() const {
    const std::uint32_t nearest = l2_latency - SliceDistances::most_below(l2_latency_below);
    return shared_l1.size_kib == 0 || nearest < shared_l1.latency ? nearest : shared_l1.latency;
  }
};

struct TimedConfig {
  IssueConfig issue;
  L1Config l1;
  MemoryConfig memory;
  std::uint32_t group_start_latency = 100;  ///< cycles from a freed slot to the next work-group's first issue
  std::uint32_t dispatch_window_cycles = 1;  ///< places that become free in one of these go core by core
  std::uint32_t warp_start_cycles = 0;       ///< time of a core for each warp of a work-group it starts
  double group_starts_per_cycle = 0;         ///< limit for all cores together; 0 = no limit
  std::uint32_t launch_cycles = 0;  ///< of a launch's duration, those before and after its cores are active
  std::string coalescing = "crawford";
  std::uint64_t seed = 1;  ///< seed of random replacement

  /// Nothing takes time and nothing runs out: the fixed order, played by the timed engine.
  void make_ideal();
  /// make_ideal(), and what else differs from the fixed order of policy warp: then every counter is equal to
  /// cachesim's. The placement of the work-groups is DispatchOptions'.
  void make_fixed_order();
  /// No latency in the memory, no limit on outstanding misses; issue as it is.
  void remove_memory_latency();
  void remove_mshr_limits();
};

/// Throws InputError that names the value, for what cannot be simulated. The name of the policy is issue_policy_named()'s to check.
void validate(const TimedConfig& config);

}  // namespace warpscope::timed
