#include "wrapper/recording/work_group_builder.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "wrapper/recording/summary.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kLongestToken = std::numeric_limits<std::uint32_t>::max();

void append_run(std::vector<DeltaRun>& runs, std::int64_t delta, std::uint64_t repeat) {
  if (!runs.empty() && runs.back().delta == delta)
    runs.back().repeat += repeat;
  else
    runs.push_back({delta, repeat});
}

bool same(std::span<const DeltaRun> a, const ShapeView& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

bool same(std::span<const DeltaRun> a, std::span<const DeltaRun> b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace

WorkGroupBuilder::WorkGroupBuilder(const KernelInfo& kernel, std::uint32_t items, bool keep_order)
    : kernel_(kernel),
      items_(items),
      keep_order_(keep_order),
      barrier_flow_(kernel),
      totals_(kernel.sites.size()) {
  std::uint32_t columns = 0;
  for (const SiteInfo& site : kernel.sites) column_of_site_.push_back(has_address(site.kind) ? columns++ : 0);
  const std::size_t sites = kernel.sites.size();
  key_of_slot_.resize(sites * items);
  for (std::uint32_t item = 0; item < items; ++item)
    for (std::size_t site = 0; site < sites; ++site)
      key_of_slot_[item * sites + site] = column_of_site_[site] * items + item;
  run_start_.resize(std::size_t{columns} * items + 1);
  first_.resize(std::size_t{columns} * items);
  used_.resize(first_.size());
}

void WorkGroupBuilder::begin(LaunchId launch, WorkGroupId group) {
  trace_.launch = launch;
  trace_.group = group;
  trace_.work_items = items_;
  totals_before_ = totals_;
}

const WorkGroupTrace& WorkGroupBuilder::build(const Recording& recording, ObjectMap& objects, LaunchId launch,
                                              WorkGroupId group) {
  begin(launch, group);
  trace_.columns.resize(kernel_.sites.size());
  executions_.assign(kernel_.sites.size() * items_, 0);
  sort_tokens(recording);
  for (std::uint32_t site = 0; site < kernel_.sites.size(); ++site) {
    const auto executions = std::span(executions_).subspan(std::size_t{site} * items_, items_);
    if (has_address(kernel_.sites[site].kind)) {
      build_column(objects, site, executions);
    } else {
      for (std::uint32_t item = 0; item < items_; ++item)
        executions[item] = recording.slot(item, site).repeat;
    }
    for (const std::uint64_t count : executions) totals_[site].executions += count;
  }
  build_paths(recording);
  check_barriers();
  trace_.walks = recording.walks();
  trace_.recorded_order.clear();
  if (keep_order_) trace_.recorded_order = recording.order();
  return trace_;
}

// Turns records by work-item, as they were made, into columns: in one pass over the slots,
// because stepping through them site by site would wait for the host's memory at every step.
std::size_t WorkGroupBuilder::gather_slots(const Recording& recording) {
  if (recording.is_by_warps()) return gather_lanes(recording);
  std::size_t open_runs = 0;
  const std::size_t sites = kernel_.sites.size();
  for (std::uint32_t item = 0; item < items_; ++item)
    for (std::uint32_t site = 0; site < sites; ++site) {
      if (!has_address(kernel_.sites[site].kind)) continue;
      const Slot slot = recording.slot(item, site);
      const std::uint32_t key = key_of_slot_[item * sites + site];
      first_[key] = slot.first;
      used_[key] = slot.delta != Slot::kUnused;
      if (used_[key] == 0 || slot.repeat == 0) continue;
      ++run_start_[key + 1];
      ++open_runs;
    }
  return open_runs;
}

/// The same of lanes, whose records are by site already.
std::size_t WorkGroupBuilder::gather_lanes(const Recording& recording) {
  constexpr std::uint32_t kLanes = LaneSlots::kLanes;
  std::size_t open_runs = 0;
  for (std::uint32_t site = 0; site < kernel_.sites.size(); ++site) {
    if (!has_address(kernel_.sites[site].kind)) continue;
    for (std::uint32_t item = 0; item < items_; item += kLanes) {
      const std::size_t key = std::size_t{column_of_site_[site]} * items_ + item;
      const std::uint32_t count = std::min(kLanes, items_ - item);
      const LaneSlots* const lanes = recording.lanes_at(site, item / kLanes);
      if (lanes == nullptr) {
        std::fill_n(&used_[key], count, 0);
        continue;
      }
      std::copy_n(lanes->first.begin(), count, &first_[key]);
      for (std::uint32_t lane = 0; lane < count; ++lane) {
        const bool is_used = lanes->delta[lane] != Slot::kUnused;
        const bool is_open = is_used && lanes->repeat[lane] != 0;
        used_[key + lane] = is_used ? 1 : 0;
        run_start_[key + lane + 1] += is_open ? 1 : 0;
        open_runs += is_open ? 1 : 0;
      }
    }
  }
  return open_runs;
}

// Counting sort of the token log by (site, work-item); the run that was still growing comes last.
void WorkGroupBuilder::sort_tokens(const Recording& recording) {
  std::fill(run_start_.begin(), run_start_.end(), 0);
  split_runs_ = false;
  const std::size_t open_runs = gather_slots(recording);
  for (const Token& token : recording.tokens()) {
    ++run_start_[key_of_slot_[token.slot] + 1];
    split_runs_ |= token.repeat == kLongestToken;
  }
  runs_.resize(open_runs + recording.tokens().size());
  if (runs_.empty()) return;
  for (std::size_t key = 1; key < run_start_.size(); ++key) run_start_[key] += run_start_[key - 1];
  // run_start_[key] serves as the cursor of its key; afterwards it points to the end, so everything moves up
  // by one.
  for (const Token& token : recording.tokens())
    runs_[run_start_[key_of_slot_[token.slot]]++] = {token.delta, token.repeat};
  if (open_runs > 0) add_open_runs(recording);
  std::copy_backward(run_start_.begin(), run_start_.end() - 1, run_start_.end());
  run_start_[0] = 0;
}

/// The runs that were still growing, behind those that had ended.
void WorkGroupBuilder::add_open_runs(const Recording& recording) {
  const std::size_t sites = kernel_.sites.size();
  const auto add = [&](std::uint32_t item, std::size_t site) {
    const Slot slot = recording.slot(item, static_cast<std::uint32_t>(site));
    if (slot.delta == Slot::kUnused || slot.repeat == 0) return;
    runs_[run_start_[key_of_slot_[item * sites + site]]++] = {slot.delta, slot.repeat};
  };
  if (recording.is_by_warps()) {
    for (std::size_t site = 0; site < sites; ++site)
      for (std::uint32_t item = 0; item < items_; ++item) add(item, site);
    return;
  }
  for (std::uint32_t item = 0; item < items_; ++item)
    for (std::size_t site = 0; site < sites; ++site) add(item, site);
}

WorkGroupBuilder::Runs WorkGroupBuilder::runs_of(std::uint32_t column, std::uint32_t item) {
  const std::size_t key = std::size_t{column} * items_ + item;
  const Runs runs(runs_.data() + run_start_[key], run_start_[key + 1] - run_start_[key]);
  if (!split_runs_) return runs;
  scratch_.clear();
  for (const DeltaRun& run : runs) append_run(scratch_, run.delta, run.repeat);
  // Copied back, so that the caller may still compare with an earlier work-item's runs.
  std::copy(scratch_.begin(), scratch_.end(), runs_.begin() + static_cast<std::ptrdiff_t>(run_start_[key]));
  return runs.first(scratch_.size());
}

WorkGroupBuilder::Extent WorkGroupBuilder::measure(Runs runs) {
  Extent extent;
  extent.accesses = 1;
  std::int64_t at = 0;
  for (const DeltaRun& run : runs) {
    at += run.delta * static_cast<std::int64_t>(run.repeat);
    extent.lowest = std::min(extent.lowest, at);
    extent.highest = std::max(extent.highest, at);
    extent.accesses += run.repeat;
  }
  return extent;
}

std::uint32_t WorkGroupBuilder::intern_shape(SiteColumn& column, Runs runs) {
  const std::uint64_t hash = XXH3_64bits(runs.data(), runs.size_bytes());
  const auto [number, is_new] =
      shapes_.find_or_add(hash, [&](std::uint32_t other) { return same(runs, column.shapes[other]); });
  if (is_new) column.shapes.add(runs);
  return number;
}

// No work-item comes to the site twice, and every address is in an object.
bool WorkGroupBuilder::build_single_accesses(SiteColumn& column, ObjectMap& objects, std::uint32_t site,
                                             std::span<std::uint64_t> executions) {
  const std::size_t key = std::size_t{column_of_site_[site]} * items_;
  if (!runs_.empty() && run_start_[key] != run_start_[key + items_]) return false;
  const std::uint64_t* const first = &first_[key];
  const std::uint8_t* const used = &used_[key];
  const SiteInfo& info = kernel_.sites[site];
  const bool is_unknown = info.object.kind == StaticObject::Kind::Unknown;
  const PlacedObject shared = objects.shared(info.object);
  for (std::uint32_t item = 0; item < items_; ++item) {
    if (used[item] == 0) continue;
    const std::uint64_t end = first[item] + info.width;
    PlacedObject object = is_unknown ? objects.find_shared(first[item], end) : shared;
    if (!object.contains(first[item], end)) object = objects.find(info.object, first[item], end, item);
    if (object.id.value() == 0) return false;
    executions[item] = 1;
    column.first[item] = object.key(first[item]);
    column.shape_of[item] = 0;
  }
  if (std::find(used, used + items_, 1) == used + items_)
    column = SiteColumn{};
  else
    column.shapes.add(Runs{});
  return true;
}

void WorkGroupBuilder::build_column(ObjectMap& objects, std::uint32_t site,
                                    std::span<std::uint64_t> executions) {
  const SiteInfo& info = kernel_.sites[site];
  SiteColumn& column = trace_.columns[site];
  column.shapes.clear();
  column.shape_of.assign(items_, SiteColumn::kNone);
  column.first.assign(items_, 0);
  if (build_single_accesses(column, objects, site, executions)) return;
  const PlacedObject shared = objects.shared(info.object);
  shapes_.clear();
  Runs previous;
  Extent extent;
  std::uint32_t previous_shape = SiteColumn::kNone;  // shape of `previous` where it was stored unchanged
  bool any = false;
  for (std::uint32_t item = 0; item < items_; ++item) {
    const std::size_t key = std::size_t{column_of_site_[site]} * items_ + item;
    if (used_[key] == 0) continue;
    const std::uint64_t first = first_[key];
    const Runs runs = runs_of(column_of_site_[site], item);
    if (!any || !same(runs, previous)) {
      extent = measure(runs);
      previous = runs;
      previous_shape = SiteColumn::kNone;
    }
    any = true;
    executions[item] = extent.accesses;
    const std::uint64_t lowest = first + static_cast<std::uint64_t>(extent.lowest);
    const std::uint64_t end = first + static_cast<std::uint64_t>(extent.highest) + info.width;
    const PlacedObject object =
        shared.contains(lowest, end) ? shared : objects.find(info.object, lowest, end, item);
    if (object.id.value() != 0) {
      column.first[item] = object.key(first);
      if (previous_shape == SiteColumn::kNone) previous_shape = intern_shape(column, runs);
      column.shape_of[item] = previous_shape;
    } else {
      const Runs translated =
          translate_one_by_one(first, runs, info, objects, item, column.first[item], totals_[site]);
      column.shape_of[item] = intern_shape(column, translated);
    }
  }
  if (!any) column = SiteColumn{};
}

WorkGroupBuilder::Runs WorkGroupBuilder::translate_one_by_one(std::uint64_t first, Runs runs,
                                                              const SiteInfo& site, ObjectMap& objects,
                                                              std::uint32_t item, std::uint64_t& first_key,
                                                              SiteTotals& totals) {
  expanded_.clear();
  const auto locate = [&](std::uint64_t address) -> std::uint64_t {
    const PlacedObject object = objects.find(site.object, address, address + site.width, item);
    if (object.id.value() != 0) return object.key(address);
    ++totals.out_of_bounds;
    totals.first_out_of_bounds =
        std::min(totals.first_out_of_bounds, std::uint64_t{trace_.group.value()} << 32 | item);
    return 0;
  };
  std::uint64_t address = first;
  std::uint64_t key = first_key = locate(first);
  for (const DeltaRun& run : runs) {
    for (std::uint64_t step = 0; step < run.repeat; ++step) {
      address += static_cast<std::uint64_t>(run.delta);
      const std::uint64_t next = locate(address);
      append_run(expanded_, static_cast<std::int64_t>(next - key), 1);
      key = next;
    }
  }
  return expanded_;
}

void WorkGroupBuilder::sort_outcomes(const Recording& recording) {
  outcome_start_.assign(items_ + 1, 0);
  for (const OutcomeToken& token : recording.outcome_tokens()) ++outcome_start_[token.item + 1];
  for (std::size_t item = 1; item <= items_; ++item) outcome_start_[item] += outcome_start_[item - 1];
  outcomes_.resize(outcome_start_.back());
  for (const OutcomeToken& token : recording.outcome_tokens())
    outcomes_[outcome_start_[token.item]++] = token;
  std::copy_backward(outcome_start_.begin(), outcome_start_.end() - 1, outcome_start_.end());
  outcome_start_[0] = 0;
}

// Canonical form of a path: (word, repeat) pairs of full words, then the last bits and how many there are.
void WorkGroupBuilder::gather_outcomes(const Recording& recording, std::uint32_t item) {
  path_.clear();
  for (std::size_t at = outcome_start_[item]; at < outcome_start_[item + 1]; ++at)
    add_words(outcomes_[at].word, outcomes_[at].repeat);
  end_outcomes(recording.outcomes(item));
}

void WorkGroupBuilder::add_words(std::uint64_t word, std::uint64_t repeat) {
  if (path_.size() >= 2 && path_[path_.size() - 2] == word) {
    path_.back() += repeat;
  } else {
    path_.push_back(word);
    path_.push_back(repeat);
  }
}

void WorkGroupBuilder::end_outcomes(const OutcomeState& state) {
  if (state.pending_repeat > 0) add_words(state.pending, state.pending_repeat);
  path_.push_back(state.bits);
  path_.push_back(state.fill);
}

void WorkGroupBuilder::add_path(std::uint32_t item) {
  Path& path = trace_.paths.emplace_back();
  const std::size_t full = path_.size() - 2;
  for (std::size_t at = 0; at < full; at += 2) path.bits.insert(path.bits.end(), path_[at + 1], path_[at]);
  const std::uint64_t rest = path_.back();
  path.bit_count = 64 * path.bits.size() + rest;
  if (rest > 0) path.bits.push_back(path_[full]);
  path.site_counts.resize(kernel_.sites.size());
  for (std::size_t site = 0; site < path.site_counts.size(); ++site)
    path.site_counts[site] = executions_[site * items_ + item];
  paths_.push_back(path_);
}

void WorkGroupBuilder::build_paths(const Recording& recording) {
  sort_outcomes(recording);
  number_paths([&](std::uint32_t item) { gather_outcomes(recording, item); });
}

const WorkGroupTrace& WorkGroupBuilder::build_front(const Recording& recording,
                                                    std::vector<std::uint64_t> executions, LaunchId launch,
                                                    WorkGroupId group) {
  begin(launch, group);
  trace_.columns.assign(kernel_.sites.size(), {});
  executions_ = std::move(executions);
  SortedRecords::Cursor words = recording.file()->words();
  number_paths([&](std::uint32_t item) {
    path_.clear();
    words.visit(item, [&](std::uint64_t word, std::uint64_t repeat) { add_words(word, repeat); });
    end_outcomes(recording.outcomes(item));
  });
  check_barriers();
  trace_.walks = recording.walks();
  trace_.recorded_order.clear();
  if (keep_order_) trace_.recorded_order = recording.order();
  return trace_;
}

void WorkGroupBuilder::count(std::span<const SiteTotals> outside) {
  for (std::size_t site = 0; site < totals_.size(); ++site) {
    SiteTotals& totals = totals_[site];
    for (std::uint32_t item = 0; item < items_; ++item)
      totals.executions += executions_[site * items_ + item];
    totals.out_of_bounds += outside[site].out_of_bounds;
    totals.first_out_of_bounds = std::min(totals.first_out_of_bounds, outside[site].first_out_of_bounds);
  }
}

template <class Gather>
void WorkGroupBuilder::number_paths(Gather gather) {
  trace_.paths.clear();
  trace_.path_of.resize(items_);
  paths_.clear();
  path_numbers_.clear();
  std::uint32_t previous = 0;
  for (std::uint32_t item = 0; item < items_; ++item) {
    gather(item);
    if (paths_.empty() || paths_[previous] != path_) {
      const std::uint64_t hash = XXH3_64bits(path_.data(), path_.size() * sizeof(path_[0]));
      const auto [number, is_new] =
          path_numbers_.find_or_add(hash, [&](std::uint32_t other) { return paths_[other] == path_; });
      if (is_new) add_path(item);
      previous = number;
    }
    trace_.path_of[item] = previous;
    check_counts(item);
  }
}

void WorkGroupBuilder::check_counts(std::uint32_t item) {
  const auto& counts = trace_.paths[trace_.path_of[item]].site_counts;
  bool equal = true;
  for (std::size_t site = 0; site < counts.size(); ++site)
    equal &= counts[site] == executions_[site * items_ + item];
  if (equal) return;
  const std::string text = fmt::format(
      "work-item {} of work-group {} takes the same branches as another but executes its accesses a "
      "different "
      "number of times",
      item, trace_.group.value());
  if (barrier_flow_.has_branches()) throw UnrecordableGroup(text);
  throw std::logic_error(text);
}

void WorkGroupBuilder::check_barriers() const {
  if (kernel_.independent_threads) return;
  const auto divergence = barrier_flow_.check(trace_.paths);
  if (!divergence) return;
  const auto item_of = [this](std::uint32_t path) {
    return std::find(trace_.path_of.begin(), trace_.path_of.end(), path) - trace_.path_of.begin();
  };
  const std::string place = location_of(kernel_.sites[divergence->barrier.value()]);
  if (divergence->first_path == divergence->second_path)
    throw UnrecordableGroup(
        fmt::format("{}: barrier in divergent flow: the work-items do not all come to it", place));
  throw UnrecordableGroup(fmt::format(
      "{}: barrier in divergent flow: work-items {} and {} part at a branch that decides about it", place,
      item_of(divergence->first_path), item_of(divergence->second_path)));
}

void WorkGroupBuilder::forget() {
  totals_ = totals_before_;
  for (auto* runs : {&runs_, &scratch_, &expanded_}) std::vector<DeltaRun>().swap(*runs);
  std::vector<OutcomeToken>().swap(outcomes_);
  std::vector<std::uint64_t>().swap(path_);
  std::vector<std::vector<std::uint64_t>>().swap(paths_);
  shapes_ = {};
  trace_ = {};
}

std::size_t WorkGroupBuilder::memory_bytes() const {
  std::size_t bytes = runs_.capacity() * sizeof(DeltaRun) + outcomes_.capacity() * sizeof(OutcomeToken) +
                      executions_.capacity() * sizeof(std::uint64_t) +
                      run_start_.capacity() * sizeof(std::size_t) +
                      first_.capacity() * sizeof(std::uint64_t) + used_.capacity();
  for (const SiteColumn& column : trace_.columns) {
    bytes += column.shapes.memory_bytes() + column.first.capacity() * sizeof(std::uint64_t) +
             column.shape_of.capacity() * sizeof(std::uint32_t);
  }
  for (const Path& path : trace_.paths) bytes += path.bits.capacity() * sizeof(std::uint64_t);
  return bytes;
}

}  // namespace warpscope
