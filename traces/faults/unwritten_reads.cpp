#include "traces/faults/unwritten_reads.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace warpscope {

UnwrittenReads::UnwrittenReads(const KernelInfo& kernel, const RacePlan& plan,
                               const UnwrittenOfLaunch& unwritten, const SharedList<BufferInfo>& buffers)
    : plan_(plan), cell_bytes_(std::min(plan.granule, kLargestCell)), in_part_(unwritten.in_part) {
  for (const RacePlan::Site& site : plan.sites) {
    const SiteInfo& info = kernel.sites[site.id.value()];
    const bool only_stores = info.operation.starts_with("xchg") && info.consumers.empty();
    stores_.push_back(site.kind == RaceKind::Store || only_stores);
  }
  for (const UnwrittenBytes& bytes : unwritten.parts) add(bytes, buffers);
}

void UnwrittenReads::add(const UnwrittenBytes& bytes, const SharedList<BufferInfo>& buffers) {
  const std::uint32_t id = bytes.buffer.value();
  if (id == 0 || id > buffers.size()) return;
  if (buffers_.size() <= id) buffers_.resize(id + 1);
  Buffer& buffer = buffers_[id];
  buffer.size = buffers[id - 1].size;
  for (std::uint64_t at = 0; at < bytes.count; ++at) {
    const std::uint64_t first = bytes.first + at * bytes.stride;
    const std::uint64_t end = std::min(first + bytes.size, buffer.size);
    const bool is_apart = buffer.parts.empty() || buffer.parts.back().end <= first;
    if (first >= end || !is_apart) return;
    buffer.parts.push_back({first, end});
  }
  buffer.pages.resize(buffer.size / cell_bytes_ / kPage + 1);
}

/// The first part that ends behind `offset`.
const UnwrittenReads::Part* UnwrittenReads::part_behind(const Buffer& buffer, std::uint64_t offset) {
  const auto part = std::ranges::upper_bound(buffer.parts, offset, {}, &Part::end);
  return part == buffer.parts.end() ? nullptr : &*part;
}

std::uint32_t* UnwrittenReads::cell_at(Buffer& buffer, std::uint64_t cell) {
  std::unique_ptr<Page>& page = buffer.pages[cell / kPage];
  if (!page) {
    if (++pages_ > kMostPages) {
      in_part_ = true;
      return nullptr;
    }
    page = std::make_unique<Page>();
  }
  return &(*page)[cell % kPage];
}

void UnwrittenReads::access(std::uint32_t site, BufferAddr where, const Position& at) {
  const std::uint32_t id = where.buffer().value();
  if (id >= buffers_.size() || buffers_[id].parts.empty()) return;
  Buffer& buffer = buffers_[id];
  const std::uint64_t end = where.offset() + plan_.sites[site].width;
  if (end > buffer.size) return;
  const Part* part = part_behind(buffer, where.offset());
  if (part == nullptr || part->first >= end) return;
  if (stores_[site])
    store(buffer, where.offset() / cell_bytes_, end / cell_bytes_, at);
  else
    load(buffer, site, where, at);
}

void UnwrittenReads::store(Buffer& buffer, std::uint64_t first, std::uint64_t end, const Position& at) {
  for (std::uint64_t number = first; number < end; ++number) {
    std::uint32_t* cell = cell_at(buffer, number);
    if (cell == nullptr) return;
    if (*cell != 0 && *cell != kWritten) {
      Read& read = reads_[*cell - 1];
      const bool is_ordered = plan_.not_checked.empty() && is_earlier_interval(read.at, at);
      if (read.found.group != group_ || (read.at.item != at.item && !is_ordered)) read.may_be_late = true;
    }
    *cell = kWritten;
  }
}

void UnwrittenReads::load(Buffer& buffer, std::uint32_t site, BufferAddr where, const Position& at) {
  const std::uint64_t first = where.offset(), end = first + plan_.sites[site].width;
  std::uint64_t unwritten = 0;
  std::uint32_t* first_cell = nullptr;
  const Part* part = part_behind(buffer, first);
  for (std::uint64_t byte = first; byte < end; byte += cell_bytes_) {
    while (part != nullptr && part->end <= byte) part = part_behind(buffer, byte);
    if (part == nullptr) break;
    // Of a few bytes the host may have written what was there: next to written ones only four are known to be unwritten.
    const std::uint64_t margin = std::max<std::uint64_t>(end - first, kLargestCell) - (end - first);
    const std::uint64_t from = part->first == 0 ? 0 : part->first + margin;
    const std::uint64_t to = part->end == buffer.size ? part->end : part->end - std::min(margin, part->end);
    if (byte < from || byte + cell_bytes_ > to) continue;
    std::uint32_t* cell = cell_at(buffer, byte / cell_bytes_);
    if (cell == nullptr) return;
    if (*cell == kWritten) continue;
    if (first_cell == nullptr) first_cell = cell;
    unwritten += cell_bytes_;
  }
  const bool is_whole = unwritten == end - first;
  if (first_cell == nullptr || (!is_whole && unwritten < kLargestCell)) return;
  if (*first_cell != 0) {
    ++reads_[*first_cell - 1].found.times;
    return;
  }
  if (reads_.size() >= kMostReads) {
    in_part_ = true;
    return;
  }
  reads_.push_back({{site, group_, at.item, is_whole, where, 1}, at, false});
  *first_cell = static_cast<std::uint32_t>(reads_.size());
}

std::vector<UnwrittenReads::Found> UnwrittenReads::found() const {
  std::map<std::tuple<std::uint32_t, bool, BufferId>, Found> by_site;
  for (const Read& read : reads_) {
    if (read.may_be_late) continue;
    const Found& one = read.found;
    const auto [entry, is_new] = by_site.try_emplace({one.site, one.is_whole, one.where.buffer()}, one);
    if (!is_new) entry->second.times += one.times;
  }
  std::vector<Found> result;
  result.reserve(by_site.size());
  for (const auto& [key, one] : by_site) result.push_back(one);
  return result;
}

}  // namespace warpscope
