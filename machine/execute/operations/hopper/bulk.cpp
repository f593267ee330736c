// Copies in bulk, and stores to other work-groups of a cluster that report to barriers, sm_90: as the PTX ISA says of them. All are made at once, so
// that whoever waits for them goes on.
#include <cstring>
#include <iterator>

#include "machine/execute/operations/changes.h"
#include "machine/execute/operations/hopper/shared_barrier.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

/// Directions of UBLKCP: the field `bulk`. 3: between shared memories.
constexpr std::uint32_t kFromGlobal = 1, kToGlobal = 2;
constexpr std::uint32_t kMulticast = 4;
/// Of the third operand: how many times 16 bytes, and with .MULTICAST above it who gets them.
constexpr std::uint32_t kCountMask = 0xffff, kMembersShift = 16;

std::uint32_t word_of(const Warp& warp, std::uint16_t row) {
  return warp.read(false, row)[0];
}

template <Space kTo, Space kFrom>
void copy_parts(Warp& warp, std::uint64_t to, std::uint64_t from, std::uint64_t count) {
  for (std::uint64_t part = 0; part < count; ++part) {
    std::uint8_t* written = place_of<kTo>(warp, 0, to + part * 16, 16);
    const std::uint8_t* const read = place_of<kFrom>(warp, 0, from + part * 16, 16);
    if (kFrom == Space::Global) warp.group().note_read(warp, from + part * 16, 16);
    if (kTo == Space::Global) warp.group().note_write(to + part * 16, 16, false);
    std::memcpy(written, read, 16);
  }
}

/// UBLKCP. a: where it writes, b: where it reads, pairs; of a copy to shared memory a.high is its barrier. c: how much. operation.bits: the
/// direction; kMulticast: to the same place in each of several work-groups, whose barriers there hear of it.
void copy_bulk(Warp& warp, const Operation& operation, LaneSet) {
  const std::uint32_t how = operation.bits & 3, size = word_of(warp, operation.c.low);
  const std::uint32_t low = word_of(warp, operation.a.low), high = word_of(warp, operation.a.high);
  const std::uint64_t from = pair_of(word_of(warp, operation.b.low), word_of(warp, operation.b.high));
  warp.changed_memory();
  if (how == kToGlobal) {
    copy_parts<Space::Global, Space::Shared>(warp, pair_of(low, high), from & 0xffffffffU, size);
    return;
  }
  const bool is_multicast = (operation.bits & kMulticast) != 0;
  const std::uint64_t count = is_multicast ? size & kCountMask : size;
  std::uint32_t members = is_multicast ? size >> kMembersShift : 1;
  for (std::uint32_t rank = 0; members != 0; ++rank, members >>= 1U) {
    if ((members & 1U) == 0) continue;
    const auto in_group = [&](std::uint32_t address) {
      return is_multicast ? (address & ((1U << kRankShift) - 1)) | rank << kRankShift : address;
    };
    if (how == kFromGlobal)
      copy_parts<Space::Cluster, Space::Global>(warp, in_group(low), from, count);
    else
      copy_parts<Space::Cluster, Space::Shared>(warp, in_group(low), from & 0xffffffffU, count);
    complete(warp, 0, in_group(high), count * 16);
  }
}

/// Of UBLKRED by the field `bulktype`: types of results. Others are no type.
constexpr std::uint32_t kBulkTypes[] = {kU32, kS32, kU64, kS64, kHalves, kF32Kept, kF32, kF64, kBrains};
constexpr unsigned kChangeShift = 3, kTypeShift = 6;

template <Space kTo>
void reduce_parts(Warp& warp, const Operation& operation, std::uint64_t to, std::uint64_t from,
                  std::uint64_t bytes) {
  const std::uint32_t change = operation.bits >> kChangeShift & 7, type = operation.bits >> kTypeShift;
  const unsigned width = bytes_of_type(type);
  for (std::uint64_t done = 0; done < bytes; done += width) {
    std::uint8_t* place = place_of<kTo>(warp, 0, to + done, width);
    if (kTo == Space::Global) warp.group().note_write(to + done, width, true);
    std::uint64_t old = 0, value = 0;
    std::memcpy(&old, place, width);
    std::memcpy(&value, place_of<Space::Shared>(warp, 0, from + done, width), width);
    const std::uint64_t result = result_of(change, type, old, value);
    std::memcpy(place, &result, width);
  }
}

/// UBLKRED: operands as of UBLKCP; element by element.
void reduce_bulk(Warp& warp, const Operation& operation, LaneSet) {
  const std::uint32_t low = word_of(warp, operation.a.low), high = word_of(warp, operation.a.high);
  const std::uint64_t from = word_of(warp, operation.b.low),
                      bytes = std::uint64_t{word_of(warp, operation.c.low)} * 16;
  warp.changed_memory();
  if ((operation.bits & 3) == kToGlobal)
    return reduce_parts<Space::Global>(warp, operation, pair_of(low, high), from, bytes);
  reduce_parts<Space::Cluster>(warp, operation, low, from, bytes);
  complete(warp, 0, high, bytes);
}

/// REDAS: operands as of STAS. operation.bits: change and type behind kFieldsShift.
void reduce_and_report(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneAddresses addresses;
  addresses_of(warp, operation, false, addresses);
  observe(warp, operation, lanes, addresses);
  warp.changed_memory();
  const std::uint32_t change = operation.bits >> kFieldsShift & 7,
                      type = operation.bits >> (kFieldsShift + 3);
  const unsigned bytes = bytes_of_type(type);
  const LaneValues& barriers = warp.read(false, operation.a.high);
  for_each_lane(lanes, [&](unsigned i) {
    std::uint8_t* place = place_of<Space::Cluster>(warp, i, addresses.lane[i], bytes);
    const std::uint64_t value =
        pair_of(warp.read(false, operation.c.low)[i], bytes == 8 ? warp.read(false, operation.c.high)[i] : 0);
    std::uint64_t old = 0;
    std::memcpy(&old, place, bytes);
    const std::uint64_t result = result_of(change, type, old, value);
    std::memcpy(place, &result, bytes);
    complete(warp, i, barriers[i], bytes);
  });
}

bool is_bulk_reduction(Translation& t) {
  const std::uint32_t how = t.bits(73, 2), type = t.bits(81, 4);
  if (how < kToGlobal || type >= std::size(kBulkTypes)) return false;
  Operation& operation = t.operation();
  operation.a = t.wide_integer(0, false);
  operation.b = t.wide_integer(1, false);
  operation.c = t.integer(2);
  operation.results = 0;
  operation.bits = how | t.bits(87, 3) << kChangeShift | kBulkTypes[type] << kTypeShift;
  return t.is(reduce_bulk);
}

bool is_reported_reduction(Translation& t) {
  const std::uint32_t type = t.bits(73, 3);
  if (type > kS64) return false;
  t.address(0);
  t.operation().c = t.words(1, bytes_of_type(type) / 4);
  t.operation().results = 0;
  t.operation().bits |= (t.bits(87, 3) | type << 3) << kFieldsShift;
  return t.is(reduce_and_report);
}

/// STAS. a: where it writes, and the barrier that hears of it; c: the value.
template <unsigned kBytes>
void store_and_report(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneAddresses addresses;
  addresses_of(warp, operation, false, addresses);
  observe(warp, operation, lanes, addresses);
  warp.changed_memory();
  const LaneValues& barriers = warp.read(false, operation.a.high);
  const bool zero = operation.c.low == operation.c.high;  // RZ in all words
  for_each_lane(lanes, [&](unsigned i) {
    std::uint8_t* to = place_of<Space::Cluster>(warp, i, addresses.lane[i], kBytes);
    for (unsigned word = 0; word < kBytes / 4; ++word)
      std::memcpy(to + word * 4,
                  &warp.read(false, static_cast<std::uint16_t>(operation.c.low + (zero ? 0 : word)))[i], 4);
    complete(warp, i, barriers[i], kBytes);
  });
}

bool is_bulk_copy(Translation& t) {
  const std::uint32_t how = t.bits(73, 2);
  if (how == 0) return false;
  Operation& operation = t.operation();
  operation.a = t.wide_integer(0, false);
  operation.b = t.wide_integer(1, false);
  operation.c = t.integer(2);
  operation.results = 0;
  operation.bits = how | (t.has(75) ? kMulticast : 0);
  return t.is(copy_bulk);
}

bool is_reported_store(Translation& t) {
  const std::uint32_t size = t.bits(73, 3);
  if (size < 4 || size > 6) return false;
  t.address(0);
  t.operation().c = t.words(1, size == 4 ? 1 : 2);
  t.operation().results = 0;
  return t.is(size == 4 ? store_and_report<4> : size == 5 ? store_and_report<8> : store_and_report<16>);
}

}  // namespace

bool translate_bulk(Translation& t) {
  if (t.name() == "UBLKCP") return is_bulk_copy(t);
  if (t.name() == "UBLKRED") return is_bulk_reduction(t);
  if (t.name() == "REDAS") return is_reported_reduction(t);
  return t.name() == "STAS" && is_reported_store(t);
}

}  // namespace warpscope::machine
