// Barriers in shared memory (mbarrier), sm_90: as the PTX ISA says of them.
#include <bit>
#include <cstring>

#include "machine/execute/address.h"
#include "machine/execute/operations/hopper/shared_barrier.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

void write_word(Warp& warp, const Operation& operation, unsigned lane, std::uint64_t word) {
  if (operation.drops_result) return;
  warp.row(operation.result)[lane] = static_cast<std::uint32_t>(word);
  warp.row(static_cast<std::uint16_t>(operation.result + 1))[lane] = static_cast<std::uint32_t>(word >> 32);
}

/// The field `arrive`: how many arrive, and what changes the bytes to come.
constexpr std::uint32_t kExpects = 0, kArrivesOne = 1, kExpectsOne = 2, kExpectsOnly = 3, kCompletes = 4,
                        kArrivesMore = 5;
constexpr std::uint32_t kLeaves = 8U << kFieldsShift, kMask = 16U << kFieldsShift,
                        kOfOthers = 32U << kFieldsShift;

/// SYNCS.ARRIVE: each lane by itself, ascending; its result is the barrier before. With .TMASK all lanes get that before the first one, and who
/// they are. With .RED the barrier may be that of another work-group of the cluster.
void arrive(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneAddresses addresses;
  addresses_of(warp, operation, false, addresses);
  warp.changed_memory();
  const LaneValues values = warp.read(operation.c.is_constant, operation.c.low);
  const std::uint32_t how = operation.bits >> kFieldsShift & 7;
  std::uint64_t before_all = 0;
  bool is_first = true;
  for_each_lane(lanes, [&](unsigned i) {
    SharedBarrier barrier((operation.bits & kOfOthers) != 0 ? barrier_of_cluster(warp, i, addresses.lane[i])
                                                            : barrier_at(warp, i, addresses.lane[i]));
    std::uint64_t before = barrier.word();
    if (is_first) before_all = before;
    is_first = false;
    if ((operation.bits & kMask) != 0) before = (before_all & ~std::uint64_t{kAllLanes}) | lanes;
    const std::uint32_t arrivals = how <= kArrivesOne ? 1 : how == kArrivesMore ? values[i] : 0;
    if (how == kExpects || how == kExpectsOnly) barrier.expect(values[i]);
    if (how == kExpectsOne) barrier.expect(1);
    if (how == kCompletes) barrier.expect(-std::int64_t{values[i]});
    barrier.arrive(arrivals);
    if ((operation.bits & kLeaves) != 0) barrier.leave(arrivals);
    barrier.store(warp.group().cluster());
    write_word(warp, operation, i, before);
  });
}

/// Whether the warp was suspended by this SYNCS.PHASECHK.TRYWAIT, whose lanes all look at one phase that is not over, and the phase ended.
bool was_resumed(Warp& warp, const LaneAddresses& addresses, const LaneValues& values, LaneSet lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  const LaneSet same = gather_set([&](unsigned i) {
    return addresses.lane[i] == addresses.lane[first] && values[i] >> 31 == values[first] >> 31;
  });
  return (lanes & ~same) == 0 &&
         warp.suspend(barrier_at(warp, first, addresses.lane[first]), values[first] >> 31 != 0, lanes);
}

/// SYNCS.PHASECHK: whether the phase of the value's uppermost bit is over. operation.bits behind kFieldsShift: .TRYWAIT, which suspends.
void check_phase(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneAddresses addresses;
  addresses_of(warp, operation, false, addresses);
  const LaneValues& values = warp.read(operation.c.is_constant, operation.c.low);
  LaneSet over = 0;
  std::uint64_t first_word = 0;
  for_each_lane(lanes, [&](unsigned i) {
    const std::uint64_t word = SharedBarrier(barrier_at(warp, i, addresses.lane[i])).word();
    if ((lanes & ((LaneSet{1} << i) - 1)) == 0) first_word = word;
    over |= static_cast<LaneSet>(word >> 63 != values[i] >> 31) << i;
  });
  const bool suspends = operation.bits >> kFieldsShift != 0 && lanes != 0;
  if (suspends && over == 0 && was_resumed(warp, addresses, values, lanes)) over = lanes;
  if (over != 0) warp.forget_suspension();
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  if (lanes != 0 && (over >> first & 1) == 0) warp.polled(addresses.lane[first], first_word);
  warp.write_predicate(operation.outputs[0], over, lanes);
}

/// SYNCS.EXCH, by which barriers are made.
void exchange(Warp& warp, const Operation& operation, LaneSet) {
  LaneAddresses addresses;
  addresses_of(warp, operation, false, addresses);
  std::uint8_t* at = barrier_at(warp, 0, addresses.lane[0]);
  const std::uint64_t word = pair_of(warp.read(operation.c.is_constant, operation.c.low)[0],
                                     warp.read(operation.c.is_constant, operation.c.high)[0]);
  std::uint64_t old = 0;
  std::memcpy(&old, at, 8);
  std::memcpy(at, &word, 8);
  warp.changed_memory();
  for (unsigned i = 0; i < kLanes; ++i) write_word(warp, operation, i, old);
}

/// ARRIVES: copies of before have been made. operation.bits behind kFieldsShift: 1 they count as arrivals, 2 as bytes.
void copies_arrive(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneAddresses addresses;
  addresses_of(warp, operation, false, addresses);
  warp.changed_memory();
  for_each_lane(lanes, [&](unsigned i) {
    SharedBarrier barrier(barrier_at(warp, i, addresses.lane[i]));
    if (operation.bits >> kFieldsShift == 1)
      barrier.arrive(1);
    else
      barrier.expect(-1);
    barrier.store(warp.group().cluster());
  });
}

/// A barrier before sm_90: in its lower word 2^30 minus the arrivals that a phase needs, in the upper one 2^31 minus those still to come, and the phase
/// above them; the code of ptxas 13.0 makes it, and takes it apart. ATOMS.ARRIVE: each lane by itself, ascending; its result is the barrier before.
/// ARRIVES: without a result.
void arrive_before_90(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneAddresses addresses;
  addresses_of(warp, operation, false, addresses);
  warp.changed_memory();
  for_each_lane(lanes, [&](unsigned i) {
    constexpr std::uint32_t kPhase = 0x80000000U;
    std::uint8_t* at = barrier_at(warp, i, addresses.lane[i]);
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    if (operation.results != 0) write_word(warp, operation, i, word);
    std::uint32_t high = static_cast<std::uint32_t>(word >> 32) + 1;
    if ((high & ~kPhase) == 0) high |= (static_cast<std::uint32_t>(word) + 0x40000000U) & ~kPhase;
    std::memcpy(at + 4, &high, 4);
  });
}

bool is_arrival_before_90(Translation& t) {
  const bool has_result = t.name() == "ATOMS";
  if (has_result ? (t.row().opcode & 0xfffU) != 0xf8c || t.bits(87, 4) != 9 || t.bits(73, 3) != 2
                 : t.bits(73, 3) != 5)
    return false;
  if (has_result) t.result(0, 2);
  t.address(has_result ? 1 : 0);
  if (!has_result) t.operation().results = 0;
  return t.is(arrive_before_90);
}

/// UTMACMDFLUSH, UBLKPF: nothing is left to be done.
void do_nothing(Warp&, const Operation&, LaneSet) {}

/// ELECT: the lowest lane of those whose predicate holds.
void elect(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneSet candidates = lanes & warp.predicate(operation.inputs[0]);
  warp.write_predicate(operation.outputs[0], candidates & (0 - candidates), lanes);
  if (!operation.drops_result)
    warp.row(operation.result) = same_in_all(static_cast<std::uint32_t>(std::countr_zero(candidates)));
}

bool is_barrier(Translation& t) {
  Operation& operation = t.operation();
  const unsigned opcode = t.row().opcode & 0xfffU;
  if (opcode == 0x9a7) {
    const std::uint32_t how = t.bits(84, 3);
    if (how > kArrivesMore) return false;
    t.result(0, 2);
    t.address(1);
    operation.c = t.integer(2);
    operation.bits |= how << kFieldsShift | (t.has(75) ? kLeaves : 0) | (t.has(73) ? kMask : 0) |
                      (t.has(74) ? kOfOthers : 0);
    return t.is(arrive);
  }
  if (opcode == 0x5a7) {
    t.writes_predicate(0, 0);
    t.address(1);
    operation.c = t.integer(2);
    operation.bits |= t.has(72) ? 1U << kFieldsShift : 0;
    return t.is(check_phase);
  }
  if (opcode == 0x5b2 && t.has(72)) {
    t.result(0, 2);
    t.address(1);
    operation.c = t.wide_integer(2, false);
    return t.is(exchange);
  }
  return opcode == 0x9b1 && t.is(do_nothing);
}

}  // namespace

bool translate_barrier(Translation& t) {
  const std::string_view name = t.name();
  if (name == "SYNCS") return is_barrier(t);
  if (name == "UTMACMDFLUSH" || name == "UBLKPF") return t.is(do_nothing);
  if (t.code().cubin().architecture() < 90 && (name == "ARRIVES" || name == "ATOMS"))
    return is_arrival_before_90(t);
  if (name == "ARRIVES") {
    const std::uint32_t how = t.bits(70, 2);
    if (t.code().cubin().architecture() < 90 || how == 0 || how == 3) return false;
    t.address(0);
    t.operation().results = 0;
    t.operation().bits |= how << kFieldsShift;
    return t.is(copies_arrive);
  }
  if (name != "ELECT") return false;
  t.result(1);
  t.writes_predicate(0, 0);
  t.operation().inputs[0] = t.predicate(2);
  t.operation().is_uniform = false;  // the lanes count that are there
  return t.is(elect);
}

}  // namespace warpscope::machine
