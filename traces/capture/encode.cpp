// Payload of a work-group chunk; the layout is traces/FORMAT.md, "Work-group chunk".
#include <cassert>

#include "traces/base/varint.h"
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

void put_paths(Bytes& out, const WorkGroupTrace& trace) {
  put_varint(out, trace.paths.size());
  for (const Path& path : trace.paths) {
    assert(path.bits.size() * 64 >= path.bit_count);
    put_varint(out, path.bit_count);
    for (std::uint64_t byte = 0; byte < (path.bit_count + 7) / 8; ++byte) {
      out.push_back(static_cast<std::uint8_t>(path.bits[byte / 8] >> (byte % 8 * 8)));
    }
  }
  put_index_runs(out, trace.path_of);
}

void put_first_locations(Bytes& out, const SiteColumn& column) {
  DeltaRun run;
  std::uint64_t previous = 0;
  for (std::size_t item = 0; item < column.first.size(); ++item) {
    if (column.shape_of[item] == SiteColumn::kNone) continue;
    const auto delta = static_cast<std::int64_t>(column.first[item] - previous);
    previous = column.first[item];
    if (run.repeat > 0 && delta == run.delta) {
      ++run.repeat;
      continue;
    }
    if (run.repeat > 0) put_delta_run(out, run);
    run = {delta, 1};
  }
  if (run.repeat > 0) put_delta_run(out, run);
}

void put_column(Bytes& out, const SiteColumn& column) {
  put_varint(out, column.shapes.size());
  for (std::size_t index = 0; index < column.shapes.size(); ++index) {
    const ShapeView shape = column.shapes[index];
    put_varint(out, shape.size());
    out.insert(out.end(), shape.coded().begin(), shape.coded().end());
  }
  put_index_runs(out, column.shape_of);
  put_first_locations(out, column);
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

}  // namespace

std::vector<std::uint8_t> encode(const WorkGroupTrace& trace) {
  assert(trace.path_of.size() == trace.work_items && trace.work_items <= kMaxWorkItemsPerGroup);
  const bool ordered = !trace.recorded_order.empty();
  Bytes out;
  out.reserve(512);
  put_varint(out, trace.work_items);
  put_varint(out, ordered ? 1 : 0);
  put_paths(out, trace);
  for (const Path& path : trace.paths) {
    assert(path.site_counts.size() == trace.columns.size());
    for (const std::uint64_t count : path.site_counts) put_varint(out, count);
  }
  for (const SiteColumn& column : trace.columns) {
    if (!column.shapes.empty()) put_column(out, column);
  }
  for (const auto& order : trace.recorded_order) put_order(out, order);
  return out;
}

}  // namespace warpscope
