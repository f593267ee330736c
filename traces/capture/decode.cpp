// Inverse of encode(). The bytes may be anything: every count is checked against what the payload can hold,
// so memory stays within a constant factor of payload bytes, kMaxColumnCells and kMaxRecordedOrder.
#include <algorithm>
#include <cstring>

#include "traces/base/varint.h"
#include "traces/capture/encode_pieces.h"
#include "traces/capture/runs/group_form.h"
#include "traces/program/shared_group.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kMaxColumnCells = 1u << 26;  ///< work-items x sites that they execute
/// So many bytes of a payload in pages are read before their memory is given back.
constexpr std::ptrdiff_t kMostPagedBytes = 16 << 20;

using Pages = std::shared_ptr<const PagedBytes>;

// Runs (value, repeat - 1) until `total` entries are covered. Values are numbered by first appearance, and
// all `values` of them appear.
template <class Assign>
void read_index_runs(ByteReader& in, std::size_t total, std::uint64_t values, const char* what,
                     Assign assign) {
  std::uint64_t seen = 0;
  for (std::size_t covered = 0; covered < total;) {
    const std::uint64_t value = in.varint(what);
    const std::uint64_t extra = in.varint(what);
    if (value > seen || value >= values) in.fail(what, "is not numbered by first appearance");
    if (extra >= total - covered) in.fail(what, "covers more work-items than there are");
    seen = std::max(seen, value + 1);
    const std::size_t stop = covered + static_cast<std::size_t>(extra) + 1;
    assign(covered, stop, static_cast<std::uint32_t>(value));
    covered = stop;
  }
  if (seen != values) in.fail(what, "is never used");
}

/// What comes before the columns.
struct Front {
  std::uint32_t work_items = 0;
  bool has_orders = false;
  GroupPaths paths;
};

void read_paths(ByteReader& in, Front& front) {
  const std::uint64_t paths = in.count("number of paths");
  if (paths > front.work_items) in.fail("number of paths", "is larger than that of work-items");
  front.paths.paths.resize(paths);
  for (Path& path : front.paths.paths) {
    path.bit_count = in.varint("path length");
    const std::uint64_t size = path.bit_count / 8 + (path.bit_count % 8 != 0 ? 1 : 0);
    const auto bytes = in.bytes(size, "path");
    path.bits.resize((bytes.size() + 7) / 8);
    if (!bytes.empty()) std::memcpy(path.bits.data(), bytes.data(), bytes.size());
    if (path.bit_count % 64 != 0 && path.bits.back() >> (path.bit_count % 64) != 0) {
      in.fail("path", "has bits beyond its length");
    }
  }
  std::vector<std::uint32_t>& path_of = front.paths.path_of;
  path_of.resize(front.work_items);
  read_index_runs(in, front.work_items, paths, "path of a work-item",
                  [&](std::size_t start, std::size_t stop, std::uint32_t value) {
                    std::fill(path_of.begin() + static_cast<std::ptrdiff_t>(start),
                              path_of.begin() + static_cast<std::ptrdiff_t>(stop), value);
                  });
}

WarpWalk read_walk(ByteReader& in) {
  WarpWalk walk;
  const auto hash = in.bytes(4, "hash of a walk");
  for (unsigned byte = 0; byte < 4; ++byte) walk.hash |= std::uint32_t{hash[byte]} << 8 * byte;
  walk.turns.resize(in.count("number of turns"));
  for (WarpTurn& turn : walk.turns) {
    const std::uint64_t lanes = in.varint("lanes of a turn");
    if (lanes == 0 || lanes >> kLanesOfWalks != 0) in.fail("lanes of a turn", "are not 1 to 32");
    turn.lanes = static_cast<std::uint32_t>(lanes);
    turn.blocks = in.varint("blocks of a turn") + 1;
  }
  return walk;
}

void read_walks(ByteReader& in, Front& front) {
  GroupWalks& walks = front.paths.walks;
  const std::uint64_t number = in.count("number of walks");
  walks.walk_of.resize((front.work_items + kLanesOfWalks - 1) / kLanesOfWalks);
  if (number > walks.walk_of.size()) in.fail("number of walks", "is larger than that of warps");
  for (std::uint64_t walk = 0; walk < number; ++walk) walks.walks.push_back(read_walk(in));
  read_index_runs(in, walks.walk_of.size(), number, "walk of a warp",
                  [&](std::size_t start, std::size_t stop, std::uint32_t value) {
                    std::fill(walks.walk_of.begin() + static_cast<std::ptrdiff_t>(start),
                              walks.walk_of.begin() + static_cast<std::ptrdiff_t>(stop), value);
                  });
}

Front read_front(ByteReader& in, std::size_t sites) {
  Front front;
  const std::uint64_t items = in.varint("number of work-items");
  if (items == 0 || items > kMaxWorkItemsPerGroup) in.fail("number of work-items", "is not 1 to 65536");
  front.work_items = static_cast<std::uint32_t>(items);
  const std::uint64_t flags = in.varint("flags");
  if (flags > (kHasOrders | kHasWalks)) in.fail("flags", "have unknown bits");
  front.has_orders = (flags & kHasOrders) != 0;
  read_paths(in, front);
  if ((flags & kHasWalks) != 0) read_walks(in, front);
  for (Path& path : front.paths.paths) {
    if (sites > in.remaining()) in.fail("execution counts", "are cut off");
    path.site_counts.resize(sites);
    for (std::uint64_t& count : path.site_counts) count = in.varint("execution count");
  }
  return front;
}

void check_end(const ByteReader& in) {
  if (in.remaining() != 0) in.fail("end of the work-group", "is followed by more bytes");
}

class ColumnDecoder {
 public:
  /// Where in the payload the parts of a column are.
  struct Places {
    const std::uint8_t *begin = nullptr, *locations = nullptr, *behind_first = nullptr, *end = nullptr;
    DeltaRun first;
  };

  /// All of these outlive this. `pages`: where the payload is; null: in memory.
  ColumnDecoder(ByteReader& in, std::uint32_t work_items, const GroupPaths& paths, Pages pages = {})
      : in_(in), work_items_(work_items), paths_(paths), pages_(std::move(pages)), released_(in.position()) {}

  /// Whether any work-item executes `site`, which carries an address: then a column follows.
  bool begin(std::size_t site) {
    const auto executes = [&](const Path& path) { return path.site_counts[site] != 0; };
    const auto executing = std::count_if(paths_.paths.begin(), paths_.paths.end(), executes);
    if (executing == 0) return false;
    cells_ += work_items_;
    if (cells_ > kMaxColumnCells)
      in_.fail("work-group", "has more than 2^26 pairs of a work-item and a site");
    site_ = site;
    everyone_ = static_cast<std::size_t>(executing) == paths_.paths.size();
    return true;
  }

  /// The column of the site that begin() found.
  Places read(SiteColumn& column) {
    select_members();
    Places places;
    places.begin = in_.position();
    read_shapes(column);
    column.shape_of.assign(work_items_, SiteColumn::kNone);
    column.first.assign(work_items_, 0);
    read_index_runs(
        in_, member_count_, column.shapes.size(), "shape of a work-item",
        [&](std::size_t start, std::size_t stop, std::uint32_t shape) {
          for (std::size_t member = start; member < stop; ++member) {
            const std::size_t item = everyone_ ? member : members_[member];
            column.shape_of[item] = shape;
            if (paths_.paths[paths_.path_of[item]].site_counts[site_] - 1 != shape_length_[shape]) {
              in_.fail("shape of a work-item", "does not have as many steps as it executes accesses");
            }
          }
        });
    places.locations = in_.position();
    read_first_locations(column, places);
    places.end = in_.position();
    return places;
  }

 private:
  void select_members() {
    member_count_ = work_items_;
    if (everyone_) return;
    members_.clear();
    for (std::uint32_t item = 0; item < work_items_; ++item) {
      if (paths_.paths[paths_.path_of[item]].site_counts[site_] != 0) members_.push_back(item);
    }
    member_count_ = members_.size();
  }

  void read_shapes(SiteColumn& column) {
    const std::uint64_t shapes = in_.count("number of shapes");
    if (pages_ != nullptr) column.shapes.keep_in(pages_);
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
      add_shape(column, {start, in_.position()}, runs);
    }
  }

  void add_shape(SiteColumn& column, std::span<const std::uint8_t> coded, std::uint64_t runs) {
    if (pages_ == nullptr) return column.shapes.add_coded(coded, runs);
    column.shapes.add_paged(coded, runs);
    if (in_.position() - released_ < kMostPagedBytes) return;
    pages_->release();
    released_ = in_.position();
  }

  void read_first_locations(SiteColumn& column, Places& places) {
    std::uint64_t location = 0;
    for (std::size_t member = 0; member < member_count_;) {
      const DeltaRun run = in_.delta_run("first location");
      if (run.repeat > member_count_ - member)
        in_.fail("first location", "covers more work-items than there are");
      if (member == 0) {
        places.first = run;
        places.behind_first = in_.position();
      }
      const std::size_t stop = member + static_cast<std::size_t>(run.repeat);
      for (; member < stop; ++member) {
        location += static_cast<std::uint64_t>(run.delta);
        column.first[everyone_ ? member : members_[member]] = location;
      }
    }
  }

  ByteReader& in_;
  std::uint32_t work_items_;
  const GroupPaths& paths_;
  Pages pages_;
  const std::uint8_t* released_;        ///< where the memory of the pages was last given back
  std::size_t cells_ = 0;               ///< number of cells of all columns so far
  std::size_t site_ = 0;                ///< the current one
  bool everyone_ = false;               ///< every work-item executes it
  std::size_t member_count_ = 0;        ///< work-items that execute it
  std::vector<std::uint32_t> members_;  ///< which, unless everyone_
  std::vector<std::uint64_t> shape_length_;
};

class OrderDecoder {
 public:
  /// `trace` has its paths; `in` is behind its columns.
  OrderDecoder(ByteReader& in, WorkGroupTrace& trace) : in_(in), trace_(trace) {}

  void run() {
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

 private:
  void read_order(std::vector<SiteId>& order, std::uint64_t total) {
    while (order.size() < total) {
      const std::uint64_t site = in_.varint("recorded site");
      const std::uint64_t extra = in_.varint("recorded site");
      if (site >= trace_.columns.size()) in_.fail("recorded site", "does not exist");
      if (extra >= total - order.size()) in_.fail("recorded site", "repeats too often");
      order.insert(order.end(), extra + 1, SiteId(static_cast<std::uint32_t>(site)));
    }
  }

  bool counts_agree(std::size_t item) {
    site_tally_.assign(trace_.columns.size(), 0);
    for (const SiteId site : trace_.recorded_order[item]) ++site_tally_[site.value()];
    return site_tally_ == trace_.paths[trace_.path_of[item]].site_counts;
  }

  ByteReader& in_;
  WorkGroupTrace& trace_;
  std::vector<std::uint64_t> site_tally_;
};

/// One work-group, with what `memory` knows in place of what would be decoded again.
class SharedDecoder {
 public:
  SharedDecoder(std::span<const std::uint8_t> payload, const std::vector<bool>& carries_address,
                FormMemory& memory)
      : payload_(payload), in_(payload), carries_address_(carries_address), memory_(memory) {}

  /// False for a work-group with recorded orders, which no replay reads.
  bool run(SharedGroup& group) {
    if (!find_kind() && !add_kind()) return false;
    FormMemory::Kind& kind = memory_.kinds().front();
    group.work_items = kind.work_items;
    group.paths = kind.paths;
    group.columns.resize(carries_address_.size());
    ColumnDecoder columns(in_, kind.work_items, *kind.paths);
    for (std::size_t site = 0; site < carries_address_.size(); ++site) {
      if (!carries_address_[site] || !columns.begin(site)) continue;
      SharedColumn& column = group.columns[site];
      if (!find_form(kind.columns[site], column)) add_form(columns, kind.columns[site], column);
    }
    check_end(in_);
    return true;
  }

 private:
  using Bytes = std::vector<std::uint8_t>;

  /// Brings the kind with which the payload begins to the front, and goes behind what is known of it. What a decoder reads
  /// depends on nothing behind it, so equal bytes mean the same.
  bool find_kind() {
    auto& kinds = memory_.kinds();
    const auto found = std::find_if(kinds.begin(), kinds.end(),
                                    [this](const FormMemory::Kind& kind) { return in_.skip_if(kind.front); });
    if (found == kinds.end()) return false;
    std::rotate(kinds.begin(), found, found + 1);
    return true;
  }

  bool add_kind() {
    Front front = read_front(in_, carries_address_.size());
    if (front.has_orders) return false;
    auto& kinds = memory_.kinds();
    if (kinds.size() == FormMemory::kKinds) kinds.pop_back();
    kinds.insert(kinds.begin(),
                 FormMemory::Kind{Bytes(payload_.data(), in_.position()), front.work_items,
                                  std::make_shared<const GroupPaths>(std::move(front.paths)),
                                  std::vector<FormMemory::KnownColumn>(carries_address_.size())});
    return true;
  }

  bool find_form(const FormMemory::KnownColumn& known, SharedColumn& column) {
    if (!known.form) return false;
    const ByteReader start = in_;
    if (in_.skip_if(known.before)) {
      if (known.moves) {
        const DeltaRun first = in_.delta_run("first location");
        column.moved = static_cast<std::uint64_t>(first.delta) - known.begin;
        if (first.repeat == 1 && in_.skip_if(known.behind)) {
          column.form = known.form;
          return true;
        }
      } else {
        column.form = known.form;
        return true;
      }
    }
    column.moved = 0;
    in_ = start;
    return false;
  }

  void add_form(ColumnDecoder& columns, FormMemory::KnownColumn& known, SharedColumn& column) {
    auto form = std::make_shared<ColumnForm>();
    const ColumnDecoder::Places places = columns.read(form->column);
    form->id = memory_.new_id();
    known.begin = static_cast<std::uint64_t>(places.first.delta);
    known.moves = places.first.repeat == 1;
    known.before.assign(places.begin, known.moves ? places.locations : places.end);
    known.behind.assign(known.moves ? places.behind_first : places.end, places.end);
    known.form = std::move(form);
    column.form = known.form;
  }

  std::span<const std::uint8_t> payload_;
  ByteReader in_;
  const std::vector<bool>& carries_address_;
  FormMemory& memory_;
};

}  // namespace

WorkGroupTrace decode(std::span<const std::uint8_t> payload, LaunchId launch, WorkGroupId group,
                      const std::vector<bool>& carries_address, std::shared_ptr<const PagedBytes> pages) {
  ByteReader in(payload);
  Front front = read_front(in, carries_address.size());
  WorkGroupTrace trace;
  trace.launch = launch;
  trace.group = group;
  trace.work_items = front.work_items;
  trace.columns.resize(carries_address.size());
  ColumnDecoder columns(in, front.work_items, front.paths, std::move(pages));
  for (std::size_t site = 0; site < carries_address.size(); ++site)
    if (carries_address[site] && columns.begin(site)) columns.read(trace.columns[site]);
  trace.paths = std::move(front.paths.paths);
  trace.path_of = std::move(front.paths.path_of);
  trace.walks = std::move(front.paths.walks);
  if (front.has_orders) OrderDecoder(in, trace).run();
  check_end(in);
  return trace;
}

std::vector<GroupForm::Place> first_locations(std::span<const std::uint8_t> payload,
                                              const std::vector<bool>& carries_address) {
  ByteReader in(payload);
  const Front front = read_front(in, carries_address.size());
  if (front.has_orders) in.fail("flags", "say that there is a recorded order");
  std::vector<GroupForm::Place> places;
  ColumnDecoder columns(in, front.work_items, front.paths);
  for (std::size_t site = 0; site < carries_address.size(); ++site) {
    if (!carries_address[site] || !columns.begin(site)) continue;
    SiteColumn column;
    const ColumnDecoder::Places found = columns.read(column);
    if (found.first.repeat == 1)
      places.push_back({static_cast<std::uint32_t>(found.locations - payload.data()),
                        static_cast<std::uint32_t>(found.behind_first - found.locations)});
  }
  check_end(in);
  return places;
}

SharedGroup decode(std::span<const std::uint8_t> payload, LaunchId launch, WorkGroupId group,
                   const std::vector<bool>& carries_address, FormMemory& memory) {
  SharedGroup shared;
  if (!SharedDecoder(payload, carries_address, memory).run(shared))
    return SharedGroup(decode(payload, launch, group, carries_address));
  shared.launch = launch;
  shared.group = group;
  return shared;
}

}  // namespace warpscope
