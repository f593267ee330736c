#include "wrapper/counting/access_stream.h"

#include <algorithm>
#include <bit>

namespace warpscope {
namespace {

using machine::LaneSet;
using machine::Operation;
using machine::Warp;

constexpr std::uint64_t kEventsPerCheck = 4096;  ///< blocks of warps; a work-group may take long

/// Whether lanes are at these places, seen from the first of them.
bool is_at(const LanePattern& pattern, LaneSet lanes, const std::uint64_t* places, std::uint64_t first) {
  if (pattern.mask != lanes) return false;
  std::uint64_t differences = 0;
  if (lanes == machine::kAllLanes) {
    for (unsigned lane = 0; lane < machine::kLanes; ++lane)
      differences |= (places[lane] - first) ^ static_cast<std::uint64_t>(pattern.offset[lane]);
    return differences == 0;
  }
  const std::int64_t* offset = pattern.offset.data();
  machine::for_each_lane(lanes, [&](unsigned lane) {
    differences |= (places[lane] - first) ^ static_cast<std::uint64_t>(*offset++);
  });
  return differences == 0;
}

std::uint64_t end_of(const LanePattern& pattern, std::uint64_t first, std::uint32_t width) {
  return first + static_cast<std::uint64_t>(pattern.max_offset) + width;
}

std::uint64_t lowest_of(const LanePattern& pattern, std::uint64_t first) {
  return first + static_cast<std::uint64_t>(pattern.min_offset);
}

}  // namespace

AccessStream::AccessStream(const MachineRun& run, const MachineKernel& kernel, const LaunchObjects& objects,
                           GroupProgress& progress, WarpAccessSink& sink)
    : kernel_(kernel),
      places_(run, kernel),
      sink_(sink),
      objects_(objects.arguments, objects.objects,
               static_cast<std::uint32_t>(run.launch().settings().local.count())),
      sites_(kernel.described.info.sites.size()),
      progress_(progress) {
  totals_.sites.resize(sites_.size());
  // The same for all work-groups: each has its shared and its local memory at the same places.
  places_.each_object(static_cast<std::uint32_t>(run.launch().settings().local.count()),
                      [&](std::uint32_t kind, std::uint32_t index, std::uint64_t address,
                          std::uint32_t item) { objects_.place(kind, index, address, item); });
}

void AccessStream::end(machine::Group& /*group*/) {
  ++totals_.work_groups;
  progress_.add();
}

void AccessStream::access(const Warp& warp, const Operation& /*operation*/, LaneSet lanes,
                          const machine::LaneAddresses& addresses) {
  pass_on(warp, kernel_.described.site_of[warp.place()], lanes, addresses);
}

void AccessStream::copied(const Warp& warp, const Operation& /*operation*/, LaneSet lanes,
                          const machine::LaneAddresses& addresses) {
  pass_on(warp, kernel_.described.site_of[warp.place()] + 1, lanes, addresses);
}

void AccessStream::fetched(const Warp& warp, const Operation& /*operation*/, unsigned number, LaneSet lanes,
                           const machine::LaneAddresses& addresses) {
  pass_on(warp, kernel_.described.site_of[warp.place()] + number, lanes, addresses);
}

void AccessStream::came(const Warp& /*warp*/) {
  if (++events_ % kEventsPerCheck == 0) progress_.check_signal();
}

void AccessStream::barrier(const Warp& warp, const Operation& /*operation*/, LaneSet lanes) {
  totals_.sites[kernel_.described.site_of[warp.place()]].executions +=
      static_cast<unsigned>(std::popcount(lanes));
}

void AccessStream::pass_on(const Warp& warp, std::uint32_t site, LaneSet lanes,
                           const machine::LaneAddresses& addresses) {
  if (site == machine::kNoSite || lanes == 0) return;
  machine::LaneAddresses room;
  const std::uint64_t* const places = places_.of(warp, site, addresses, room);
  const std::uint64_t first = places[std::countr_zero(lanes)];
  const std::uint32_t width = kernel_.described.info.sites[site].width;
  totals_.sites[site].executions += static_cast<unsigned>(std::popcount(lanes));
  WarpAccess access;
  access.site = SiteId(site);
  access.group = WorkGroupId(static_cast<std::uint32_t>(warp.group().number()));
  access.warp = WarpId(warp.number());
  const Site& last = sites_[site];
  if (last.pattern == nullptr || !is_at(last.pattern->pattern, lanes, places, first)) [[unlikely]]
    return pass_on_other(access, warp, lanes, places);
  const LanePattern& pattern = last.pattern->pattern;
  if (!last.object.contains(lowest_of(pattern, first), end_of(pattern, first, width))) [[unlikely]]
    return pass_on_other(access, warp, lanes, places);
  access.base = BufferAddr(last.object.key(first));
  access.pattern = &pattern;
  access.pattern_id = last.pattern->id;
  sink_.access(access);
}

/// What is not as the site's last access was.
void AccessStream::pass_on_other(WarpAccess access, const Warp& warp, LaneSet lanes,
                                 const std::uint64_t* places) {
  LanePattern pattern;
  pattern.mask = lanes;
  pattern.lanes = static_cast<std::uint32_t>(std::popcount(lanes));
  access.base = locate(warp, access.site.value(), places, pattern);
  const PatternInterner::Known* const known = interner_.intern(pattern);
  sites_[access.site.value()].pattern = known;
  access.pattern = known != nullptr ? &known->pattern : &pattern;
  access.pattern_id = known != nullptr ? known->id : 0;
  sink_.access(access);
}

BufferAddr AccessStream::locate(const Warp& warp, std::uint32_t site, const std::uint64_t* places,
                                LanePattern& pattern) {
  const SiteInfo& info = kernel_.described.info.sites[site];
  const std::uint64_t first = places[std::countr_zero(pattern.mask)];
  std::uint32_t count = 0;
  machine::for_each_lane(static_cast<LaneSet>(pattern.mask), [&](unsigned lane) {
    const auto offset = static_cast<std::int64_t>(places[lane] - first);
    pattern.offset[count++] = offset;
    pattern.min_offset = std::min(pattern.min_offset, offset);
    pattern.max_offset = std::max(pattern.max_offset, offset);
  });
  const std::uint64_t lowest = lowest_of(pattern, first), end = end_of(pattern, first, info.width);
  PlacedObject& object = sites_[site].object;
  if (!object.contains(lowest, end)) {
    const bool is_unknown = info.object.kind == StaticObject::Kind::Unknown;
    object = is_unknown ? objects_.find_shared(lowest, end) : objects_.shared(info.object);
    if (object.id.value() == 0 || !object.contains(lowest, end))
      return locate_apart(warp, site, places, pattern);
  }
  return BufferAddr(object.key(first));
}

/// Lanes in several objects, in memory of their own, or outside of all.
BufferAddr AccessStream::locate_apart(const Warp& warp, std::uint32_t site, const std::uint64_t* places,
                                      LanePattern& pattern) {
  const SiteInfo& info = kernel_.described.info.sites[site];
  std::uint64_t base = 0;
  std::uint32_t count = 0;
  pattern.min_offset = pattern.max_offset = 0;
  machine::for_each_lane(static_cast<LaneSet>(pattern.mask), [&](unsigned lane) {
    const PlacedObject object =
        objects_.find(info.object, places[lane], places[lane] + info.width,
                      static_cast<std::uint32_t>(warp.number() * machine::kLanes + lane));
    const bool is_outside = object.id.value() == 0;
    if (is_outside) note_outside(warp, site, lane);
    const std::uint64_t key = is_outside
                                  ? BufferAddr(BufferId(0), places[lane] & BufferAddr::kOffsetMask).key()
                                  : object.key(places[lane]);
    if (count == 0) base = key;
    const auto offset = static_cast<std::int64_t>(key - base);
    pattern.offset[count++] = offset;
    pattern.min_offset = std::min(pattern.min_offset, offset);
    pattern.max_offset = std::max(pattern.max_offset, offset);
  });
  return BufferAddr(base);
}

void AccessStream::note_outside(const Warp& warp, std::uint32_t site, unsigned lane) {
  SiteTotals& totals = totals_.sites[site];
  ++totals.out_of_bounds;
  totals.first_out_of_bounds = std::min(
      totals.first_out_of_bounds, warp.group().number() << 32 | (warp.number() * machine::kLanes + lane));
}

}  // namespace warpscope
