#pragma once
// Turns what a thread recorded into the form that a capture stores: work-items in order, equal control paths
// and equal address shapes shared, addresses as locations in memory objects.
#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "traces/program/kernel_info.h"
#include "traces/program/work_group_trace.h"
#include "wrapper/recording/barrier_flow.h"
#include "wrapper/recording/lookup/intern_table.h"
#include "wrapper/recording/lookup/object_map.h"
#include "wrapper/recording/recording.h"
#include "wrapper/recording/spill/payload_parts.h"

namespace warpscope {

/// Sums over the work-groups that one thread built, indexed by site.
struct SiteTotals {
  std::uint64_t executions = 0;
  std::uint64_t out_of_bounds = 0;  ///< accesses outside of every known object
  /// Where the first of them happened, in (work-group, work-item) order: work-group << 32 | work-item.
  std::uint64_t first_out_of_bounds = ~std::uint64_t{0};

  SiteTotals& operator+=(const SiteTotals& other) {
    executions += other.executions;
    out_of_bounds += other.out_of_bounds;
    first_out_of_bounds = std::min(first_out_of_bounds, other.first_out_of_bounds);
    return *this;
  }
};

/// A work-group that cannot be part of a capture, and why: one clause for people.
class UnrecordableGroup : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class WorkGroupBuilder {
 public:
  /// `kernel` must outlive the builder.
  WorkGroupBuilder(const KernelInfo& kernel, std::uint32_t items, bool keep_order);

  /// The result stays valid until the next call. Throws UnrecordableGroup if work-items part at a branch that
  /// decides about a barrier; std::logic_error if work-items with equal branch outcomes executed different
  /// numbers of accesses: then the instrumentation is wrong.
  const WorkGroupTrace& build(const Recording& recording, ObjectMap& objects, LaunchId launch,
                              WorkGroupId group);

  /// What build() makes of records of which some are in a file, without columns. `executions`: site-major, per work-item.
  /// Throws as build() does.
  const WorkGroupTrace& build_front(const Recording& recording, std::vector<std::uint64_t> executions,
                                    LaunchId launch, WorkGroupId group);
  /// Counts the work-group of build_front(), whose accesses outside of objects are `outside`, by site.
  void count(std::span<const SiteTotals> outside);

  /// After a build() that threw: as if it had not been called, and its memory is free.
  void forget();

  [[nodiscard]] const std::vector<SiteTotals>& totals() const { return totals_; }
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  using Runs = std::span<const DeltaRun>;

  /// What one (work-item, site) did, and how far it reached from its first address.
  struct Extent {
    std::int64_t lowest = 0, highest = 0;  ///< bytes relative to the first access
    std::uint64_t accesses = 0;
  };

  std::size_t gather_slots(const Recording& recording);
  std::size_t gather_lanes(const Recording& recording);
  void sort_tokens(const Recording& recording);
  void add_open_runs(const Recording& recording);
  void build_column(ObjectMap& objects, std::uint32_t site, std::span<std::uint64_t> executions);
  bool build_single_accesses(SiteColumn& column, ObjectMap& objects, std::uint32_t site,
                             std::span<std::uint64_t> executions);
  void begin(LaunchId launch, WorkGroupId group);
  void build_paths(const Recording& recording);
  /// `gather(item)` sets path_.
  template <class Gather>
  void number_paths(Gather gather);
  void check_counts(std::uint32_t item);
  void check_barriers() const;
  void sort_outcomes(const Recording& recording);
  void gather_outcomes(const Recording& recording, std::uint32_t item);
  void add_words(std::uint64_t word, std::uint64_t repeat);
  void end_outcomes(const OutcomeState& state);
  void add_path(std::uint32_t item);
  [[nodiscard]] Runs runs_of(std::uint32_t column, std::uint32_t item);
  static Extent measure(Runs runs);
  std::uint32_t intern_shape(SiteColumn& column, Runs runs);
  /// Location by location, for a work-item that leaves an object on the way.
  Runs translate_one_by_one(std::uint64_t first, Runs runs, const SiteInfo& site, ObjectMap& objects,
                            std::uint32_t item, std::uint64_t& first_key, SiteTotals& totals);

  const KernelInfo& kernel_;
  std::uint32_t items_;
  bool keep_order_;
  BarrierFlow barrier_flow_;
  std::vector<std::uint32_t> column_of_site_;  ///< dense number of the sites that carry an address
  std::vector<std::uint32_t> key_of_slot_;     ///< position of a slot's runs in sorted order: column-major
  std::vector<SiteTotals> totals_;
  std::vector<SiteTotals> totals_before_;  ///< totals of the current work-group
  WorkGroupTrace trace_;

  std::vector<std::uint64_t> first_;    ///< per key: address of the first access
  std::vector<std::uint8_t> used_;      ///< whether the key was used, indexed by key
  std::vector<std::size_t> run_start_;  ///< per key, into runs_
  std::vector<DeltaRun> runs_;
  bool split_runs_ = false;  ///< whether a token was too short for its run
  std::vector<DeltaRun> scratch_, expanded_;
  InternTable shapes_;

  std::vector<std::uint64_t> executions_;  ///< site-major, per work-item
  std::vector<std::size_t> outcome_start_;
  std::vector<OutcomeToken> outcomes_;
  std::vector<std::uint64_t> path_;                ///< canonical form of the current work-item
  std::vector<std::vector<std::uint64_t>> paths_;  ///< the same of trace_.paths
  InternTable path_numbers_;
};

/// Encodes a work-group of which some records are in a file, all of them (Recording::complete_file()), and counts it in
/// `builder`. Throws as WorkGroupBuilder::build() does, and InputError if a file cannot be written.
void put_spilled_group(const KernelInfo& kernel, const Recording& recording, ObjectMap& objects,
                       LaunchId launch, WorkGroupId group, WorkGroupBuilder& builder, PayloadParts& out);

}  // namespace warpscope
