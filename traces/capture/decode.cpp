// Inverse of encode(). The bytes may be anything: every count is checked against what the payload can hold,
// so memory stays within a constant factor of payload bytes, kMaxColumnCells and kMaxRecordedOrder.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "traces/base/varint.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kMaxColumnCells = 1u << 26;  ///< work-items x sites that they execute

class Decoder {
 public:
  Decoder(std::span<const std::uint8_t> payload, const std::vector<bool>& carries_address,
          WorkGroupTrace& trace)
      : in_(payload), carries_address_(carries_address), trace_(trace) {}

  void run() {
    const std::uint64_t items = in_.varint("number of work-items");
    if (items == 0 || items > kMaxWorkItemsPerGroup) in_.fail("number of work-items", "is not 1 to 65536");
    trace_.work_items = static_cast<std::uint32_t>(items);
    const std::uint64_t flags = in_.varint("flags");
    if (flags > 1) in_.fail("flags", "have unknown bits");
    read_paths();
    read_site_counts();
    trace_.columns.resize(carries_address_.size());
    for (std::size_t site = 0; site < carries_address_.size(); ++site) {
      if (carries_address_[site] && select_members(site)) read_column(site);
    }
    if (flags == 1) read_orders();
    if (in_.remaining() != 0) in_.fail("end of the work-group", "is followed by more bytes");
  }

 private:
  // Runs (value, repeat - 1) until `total` entries are covered. Values are numbered by first appearance, and
  // all `values` of them appear.
  template <class Assign>
  void read_index_runs(std::size_t total, std::uint64_t values, const char* what, Assign assign) {
    std::uint64_t seen = 0;
    for (std::size_t covered = 0; covered < total;) {
      const std::uint64_t value = in_.varint(what);
      const std::uint64_t extra = in_.varint(what);
      if (value > seen || value >= values) in_.fail(what, "is not numbered by first appearance");
      if (extra >= total - covered) in_.fail(what, "covers more work-items than there are");
      seen = std::max(seen, value + 1);
      const std::size_t stop = covered + static_cast<std::size_t>(extra) + 1;
      assign(covered, stop, static_cast<std::uint32_t>(value));
      covered = stop;
    }
    if (seen != values) in_.fail(what, "is never used");
  }

  void read_paths() {
    const std::uint64_t paths = in_.count("number of paths");
    if (paths > trace_.work_items) in_.fail("number of paths", "is larger than that of work-items");
    trace_.paths.resize(paths);
    for (Path& path : trace_.paths) {
      path.bit_count = in_.varint("path length");
      const std::uint64_t size = path.bit_count / 8 + (path.bit_count % 8 != 0 ? 1 : 0);
      const auto bytes = in_.bytes(size, "path");
      path.bits.resize((bytes.size() + 7) / 8);
      if (!bytes.empty()) std::memcpy(path.bits.data(), bytes.data(), bytes.size());
      if (path.bit_count % 64 != 0 && path.bits.back() >> (path.bit_count % 64) != 0) {
        in_.fail("path", "has bits beyond its length");
      }
    }
    trace_.path_of.resize(trace_.work_items);
    read_index_runs(trace_.work_items, paths, "path of a work-item",
                    [&](std::size_t start, std::size_t stop, std::uint32_t value) {
                      std::fill(trace_.path_of.begin() + static_cast<std::ptrdiff_t>(start),
                                trace_.path_of.begin() + static_cast<std::ptrdiff_t>(stop), value);
                    });
  }

  void read_site_counts() {
    for (Path& path : trace_.paths) {
      if (carries_address_.size() > in_.remaining()) in_.fail("execution counts", "are cut off");
      path.site_counts.resize(carries_address_.size());
      for (std::uint64_t& count : path.site_counts) count = in_.varint("execution count");
    }
  }

  // The work-items that execute `site`; false when there is none.
  bool select_members(std::size_t site) {
    const auto executes = [&](const Path& path) { return path.site_counts[site] != 0; };
    const auto executing = std::count_if(trace_.paths.begin(), trace_.paths.end(), executes);
    if (executing == 0) return false;
    everyone_ = static_cast<std::size_t>(executing) == trace_.paths.size();
    if (everyone_) {
      member_count_ = trace_.work_items;
      return true;
    }
    members_.clear();
    for (std::uint32_t item = 0; item < trace_.work_items; ++item) {
      if (executes(trace_.paths[trace_.path_of[item]])) members_.push_back(item);
    }
    member_count_ = members_.size();
    return true;
  }

  void read_column(std::size_t site) {
    SiteColumn& column = trace_.columns[site];
    cells_ += trace_.work_items;
    if (cells_ > kMaxColumnCells)
      in_.fail("work-group", "has more than 2^26 pairs of a work-item and a site");
    read_shapes(column);
    column.shape_of.assign(trace_.work_items, SiteColumn::kNone);
    column.first.assign(trace_.work_items, 0);
    read_index_runs(
        member_count_, column.shapes.size(), "shape of a work-item",
        [&](std::size_t start, std::size_t stop, std::uint32_t shape) {
          for (std::size_t member = start; member < stop; ++member) {
            const std::size_t item = everyone_ ? member : members_[member];
            column.shape_of[item] = shape;
            if (trace_.paths[trace_.path_of[item]].site_counts[site] - 1 != shape_length_[shape]) {
              in_.fail("shape of a work-item", "does not have as many steps as it executes accesses");
            }
          }
        });
    read_first_locations(column);
  }

  void read_shapes(SiteColumn& column) {
    const std::uint64_t shapes = in_.count("number of shapes");
    column.shapes.reserve(shapes);
    shape_length_.assign(shapes, 0);
    for (std::size_t index = 0; index < shapes; ++index) {
      const std::uint64_t runs = in_.count("number of runs");
      const std::uint8_t* const start = in_.position();
      std::uint64_t length = 0;
      for (std::uint64_t run = 0; run < runs; ++run) {
        if (__builtin_add_overflow(length, in_.delta_run("address difference").repeat, &length)) {
          in_.fail("address difference", "repeats too often");
        }
      }
      shape_length_[index] = length;
      column.shapes.add_coded({start, in_.position()}, runs);
    }
  }

  void read_first_locations(SiteColumn& column) {
    std::uint64_t location = 0;
    for (std::size_t member = 0; member < member_count_;) {
      const DeltaRun run = in_.delta_run("first location");
      if (run.repeat > member_count_ - member)
        in_.fail("first location", "covers more work-items than there are");
      const std::size_t stop = member + static_cast<std::size_t>(run.repeat);
      for (; member < stop; ++member) {
        location += static_cast<std::uint64_t>(run.delta);
        column.first[everyone_ ? member : members_[member]] = location;
      }
    }
  }

  void read_orders() {
    trace_.recorded_order.resize(trace_.work_items);
    std::uint64_t budget = kMaxRecordedOrder;
    for (std::size_t item = 0; item < trace_.work_items; ++item) {
      const std::uint64_t total = in_.varint("recorded order");
      if (total > budget) in_.fail("recorded order", "is longer than 2^26 over all work-items");
      budget -= total;
      read_order(trace_.recorded_order[item], total);
      if (!counts_agree(item)) in_.fail("recorded order", "does not agree with the execution counts");
    }
  }

  void read_order(std::vector<SiteId>& order, std::uint64_t total) {
    while (order.size() < total) {
      const std::uint64_t site = in_.varint("recorded site");
      const std::uint64_t extra = in_.varint("recorded site");
      if (site >= carries_address_.size()) in_.fail("recorded site", "does not exist");
      if (extra >= total - order.size()) in_.fail("recorded site", "repeats too often");
      order.insert(order.end(), extra + 1, SiteId(static_cast<std::uint32_t>(site)));
    }
  }

  bool counts_agree(std::size_t item) {
    site_tally_.assign(carries_address_.size(), 0);
    for (const SiteId site : trace_.recorded_order[item]) ++site_tally_[site.value()];
    return site_tally_ == trace_.paths[trace_.path_of[item]].site_counts;
  }

  ByteReader in_;
  const std::vector<bool>& carries_address_;
  WorkGroupTrace& trace_;
  std::size_t cells_ = 0;               ///< of all columns so far
  bool everyone_ = false;               ///< every work-item executes the current site
  std::size_t member_count_ = 0;        ///< work-items that execute the current site
  std::vector<std::uint32_t> members_;  ///< which, unless everyone_
  std::vector<std::uint64_t> shape_length_;
  std::vector<std::uint64_t> site_tally_;
};

}  // namespace

WorkGroupTrace decode(std::span<const std::uint8_t> payload, LaunchId launch, WorkGroupId group,
                      const std::vector<bool>& carries_address) {
  WorkGroupTrace trace;
  trace.launch = launch;
  trace.group = group;
  Decoder(payload, carries_address, trace).run();
  return trace;
}

}  // namespace warpscope
