// Payload of a work-group chunk; the layout is traces/FORMAT.md, "Work-group chunk".
#include <algorithm>
#include <cassert>
#include <cstring>
#include <optional>

#include "traces/base/varint.h"
#include "traces/capture/encode_box.h"
#include "traces/capture/encode_pieces.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Runs (varint value, varint repeat - 1) over the entries that are not kNone.
void put_index_runs(Bytes& out, std::span<const std::uint32_t> values) {
  std::uint32_t current = SiteColumn::kNone;
  std::uint64_t repeat = 0;
  const auto flush = [&] {
    if (repeat == 0) return;
    put_varint(out, current);
    put_varint(out, repeat - 1);
  };
  for (const std::uint32_t value : values) {
    if (value == SiteColumn::kNone) continue;
    if (value == current) {
      ++repeat;
      continue;
    }
    flush();
    current = value;
    repeat = 1;
  }
  flush();
}

void put_outcomes(Bytes& out, const WorkGroupTrace& trace) {
  put_varint(out, trace.paths.size());
  for (const Path& path : trace.paths) {
    assert(path.bits.size() * 64 >= path.bit_count);
    put_varint(out, path.bit_count);
    for (std::uint64_t byte = 0; byte < (path.bit_count + 7) / 8; ++byte) {
      out.push_back(static_cast<std::uint8_t>(path.bits[byte / 8] >> (byte % 8 * 8)));
    }
  }
}

void put_walks(Bytes& out, const GroupWalks& walks) {
  if (walks.empty()) return;
  put_varint(out, walks.walks.size());
  for (const WarpWalk& walk : walks.walks) {
    for (unsigned byte = 0; byte < 4; ++byte) out.push_back(static_cast<std::uint8_t>(walk.hash >> 8 * byte));
    put_varint(out, walk.turns.size());
    for (const WarpTurn& turn : walk.turns) {
      put_varint(out, turn.lanes);
      put_varint(out, turn.blocks - 1);
    }
  }
  put_index_runs(out, walks.walk_of);
}

void put_site_counts(Bytes& out, const WorkGroupTrace& trace) {
  for (const Path& path : trace.paths) {
    assert(path.site_counts.size() == trace.columns.size());
    for (const std::uint64_t count : path.site_counts) put_varint(out, count);
  }
}

/// All work-items share number 0.
void put_one_index(Bytes& out, std::uint64_t items) {
  put_varint(out, 0);
  put_varint(out, items - 1);
}

/// A delta sequence: equal neighbours are joined.
class DeltaSequence {
 public:
  explicit DeltaSequence(Bytes& out) : out_(out) {}
  void add(std::int64_t delta, std::uint64_t repeat) {
    if (repeat == 0) return;
    if (run_.repeat > 0 && delta == run_.delta) {
      run_.repeat += repeat;
      return;
    }
    finish();
    run_ = {delta, repeat};
  }
  void finish() {
    if (run_.repeat > 0) put_delta_run(out_, run_);
  }

 private:
  Bytes& out_;
  DeltaRun run_;
};

/// Steps from work-item to work-item, equal neighbours joined.
class Steps {
 public:
  void add(std::int64_t delta, std::uint64_t repeat) {
    if (repeat == 0) return;
    if (!runs_.empty() && runs_.back().delta == delta)
      runs_.back().repeat += repeat;
    else
      runs_.push_back({delta, repeat});
  }
  [[nodiscard]] const std::vector<DeltaRun>& runs() const { return runs_; }

 private:
  std::vector<DeltaRun> runs_;
};

Steps steps_of(const SiteColumn& column) {
  Steps steps;
  std::optional<std::uint64_t> previous;
  for (std::size_t item = 0; item < column.first.size(); ++item) {
    if (column.shape_of[item] == SiteColumn::kNone) continue;
    if (previous) steps.add(static_cast<std::int64_t>(column.first[item] - *previous), 1);
    previous = column.first[item];
  }
  return steps;
}

/// The first run as it is, since it may be joined with what is before it; the others coded.
void put_steps(const std::vector<DeltaRun>& runs, DeltaRun& next, Bytes& after) {
  if (runs.empty()) return;
  next = runs.front();
  for (std::size_t run = 1; run < runs.size(); ++run) put_delta_run(after, runs[run]);
}

void put_first_locations(Bytes& out, const SiteColumn& column) {
  DeltaSequence sequence(out);
  std::uint64_t previous = 0;
  for (std::size_t item = 0; item < column.first.size(); ++item) {
    if (column.shape_of[item] == SiteColumn::kNone) continue;
    sequence.add(static_cast<std::int64_t>(column.first[item] - previous), 1);
    previous = column.first[item];
  }
  sequence.finish();
}

/// Those of a box.
class BoxSteps : public Steps {
 public:
  BoxSteps(Dim3 local, const std::array<std::int64_t, 3>& strides) {
    const auto back = [](std::int64_t stride, std::uint64_t count) {
      return count == 1 ? 0 : stride * static_cast<std::int64_t>(count - 1);
    };
    const std::int64_t row = back(strides[0], local.x);
    const std::int64_t slice = row + back(strides[1], local.y);
    for (std::uint64_t z = 0; z < local.z; ++z) {
      if (z > 0) add(strides[2] - slice, 1);
      for (std::uint64_t y = 0; y < local.y; ++y) {
        if (y > 0) add(strides[1] - row, 1);
        add(strides[0], local.x - 1);
      }
    }
  }
};

void put_shapes(Bytes& out, const SiteColumn& column) {
  put_varint(out, column.shapes.size());
  for (std::size_t index = 0; index < column.shapes.size(); ++index) {
    const ShapeView shape = column.shapes[index];
    put_varint(out, shape.size());
    out.insert(out.end(), shape.coded().begin(), shape.coded().end());
  }
}

void put_column(Bytes& out, const SiteColumn& column) {
  put_shapes(out, column);
  put_members(out, column);
}

void put_order(Bytes& out, const std::vector<SiteId>& order) {
  put_varint(out, order.size());
  for (std::size_t start = 0; start < order.size();) {
    std::size_t stop = start + 1;
    while (stop < order.size() && order[stop] == order[start]) ++stop;
    put_varint(out, order[start].value());
    put_varint(out, stop - start - 1);
    start = stop;
  }
}

/// The lowest 56 bits, 7 per byte.
std::uint64_t spread(std::uint64_t value) {
  value = (value & 0x000000000fffffff) | (value & 0x00fffffff0000000) << 4;
  value = (value & 0x00003fff00003fff) | (value & 0x0fffc0000fffc000) << 2;
  return (value & 0x007f007f007f007f) | (value & 0x3f803f803f803f80) << 1;
}

/// Writes the varint of `value` over one of `length` bytes at the beginning of `bytes`; false if it has another length.
bool replace_varint(std::span<std::uint8_t> bytes, std::size_t length, std::uint64_t value) {
  if (length > 1 && value >> 7 * (length - 1) == 0) return false;
  if (length < 10 && value >> 7 * length != 0) return false;
  std::uint64_t word = 0;
  if (length <= sizeof(word) && bytes.size() >= sizeof(word)) {
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * length);
    std::memcpy(&word, bytes.data(), sizeof(word));
    word = (word & ~mask) | spread(value) | (0x8080808080808080 & mask >> 8);
    std::memcpy(bytes.data(), &word, sizeof(word));
    return true;
  }
  for (std::size_t byte = 0; byte + 1 < length; ++byte, value >>= 7)
    bytes[byte] = static_cast<std::uint8_t>(value | 0x80);
  bytes[length - 1] = static_cast<std::uint8_t>(value);
  return true;
}

}  // namespace

void GroupWalks::add(WarpWalk walk) {
  auto found = std::find(walks.begin(), walks.end(), walk);
  if (found == walks.end()) found = walks.insert(found, std::move(walk));
  walk_of.push_back(static_cast<std::uint32_t>(found - walks.begin()));
}

std::vector<std::uint8_t> encode(const WorkGroupTrace& trace) {
  assert(trace.path_of.size() == trace.work_items && trace.work_items <= kMaxWorkItemsPerGroup);
  Bytes out;
  out.reserve(512);
  put_front(out, trace);
  for (const SiteColumn& column : trace.columns) {
    if (!column.shapes.empty()) put_column(out, column);
  }
  put_orders(out, trace);
  return out;
}

void put_front(Bytes& out, const WorkGroupTrace& trace) {
  put_varint(out, trace.work_items);
  put_varint(out, (trace.recorded_order.empty() ? 0 : kHasOrders) | (trace.walks.empty() ? 0 : kHasWalks));
  put_outcomes(out, trace);
  put_index_runs(out, trace.path_of);
  put_walks(out, trace.walks);
  put_site_counts(out, trace);
}

void put_members(Bytes& out, const SiteColumn& column) {
  put_index_runs(out, column.shape_of);
  put_first_locations(out, column);
}

void put_orders(Bytes& out, const WorkGroupTrace& trace) {
  for (const auto& order : trace.recorded_order) put_order(out, order);
}

void BoxEncoding::set(const WorkGroupTrace& origin, Dim3 local,
                      std::span<const std::array<std::int64_t, 3>> strides) {
  const std::uint64_t items = local.count();
  assert(origin.work_items == 1 && origin.paths.size() == 1 && items <= kMaxWorkItemsPerGroup);
  head_.clear();
  payload_.clear();
  columns_.clear();
  put_varint(head_, items);
  put_varint(head_, 0);
  put_outcomes(head_, origin);
  put_one_index(head_, items);
  put_site_counts(head_, origin);
  for (std::size_t site = 0; site < origin.columns.size(); ++site) {
    if (origin.columns[site].shapes.empty()) continue;
    Column& column = columns_.emplace_back();
    put_shapes(column.before, origin.columns[site]);
    put_one_index(column.before, items);
    put_steps(BoxSteps(local, strides[site]).runs(), column.next, column.after);
  }
}

void BoxEncoding::set(const WorkGroupTrace& group) {
  assert(group.recorded_order.empty() && group.walks.empty());
  head_.clear();
  payload_.clear();
  columns_.clear();
  put_varint(head_, group.work_items);
  put_varint(head_, 0);
  put_outcomes(head_, group);
  put_index_runs(head_, group.path_of);
  put_site_counts(head_, group);
  for (const SiteColumn& site : group.columns) {
    if (site.shapes.empty()) continue;
    Column& column = columns_.emplace_back();
    put_shapes(column.before, site);
    put_index_runs(column.before, site.shape_of);
    put_steps(steps_of(site).runs(), column.next, column.after);
  }
}

/// Makes the payload of a work-group that begins at `first`.
void BoxEncoding::lay_out(std::span<const std::uint64_t> first) {
  payload_ = head_;
  for (std::size_t index = 0; index < columns_.size(); ++index) {
    Column& column = columns_[index];
    payload_.insert(payload_.end(), column.before.begin(), column.before.end());
    column.at = payload_.size();
    put_delta_run(payload_, {static_cast<std::int64_t>(first[index]), 1});
    column.length = payload_.size() - column.at;
    DeltaSequence sequence(payload_);
    // A step as long as the way from 0 to the first location is coded together with that.
    const bool is_joined =
        column.next.repeat > 0 && column.next.delta == static_cast<std::int64_t>(first[index]);
    if (is_joined) {
      payload_.resize(column.at);
      column.length = 0;
    }
    sequence.add(column.next.delta, column.next.repeat + (is_joined ? 1 : 0));
    sequence.finish();
    payload_.insert(payload_.end(), column.after.begin(), column.after.end());
  }
}

/// Changes the payload to that of a work-group that begins at `first`; false if its locations have other lengths.
bool BoxEncoding::put_in_place(std::span<const std::uint64_t> first) {
  if (payload_.empty()) return false;
  for (std::size_t index = 0; index < columns_.size(); ++index) {
    const Column& column = columns_[index];
    const auto location = static_cast<std::int64_t>(first[index]);
    if (column.length == 0 || (column.next.repeat > 0 && column.next.delta == location)) return false;
    if (!replace_varint(std::span(payload_).subspan(column.at), column.length, zigzag(location) << 1))
      return false;
  }
  return true;
}

std::span<const std::uint8_t> BoxEncoding::put(std::span<const std::uint64_t> first) {
  assert(first.size() == columns_.size());
  if (!put_in_place(first)) lay_out(first);
  return payload_;
}

}  // namespace warpscope
