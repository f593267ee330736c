// Barriers in shared memory (mbarrier) and copies in bulk, sm_90: as the PTX ISA says of them. Copies are made at once, so that whoever waits for
// them goes on.
#include <cstring>

#include "machine/execute/address.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

/// A barrier as ptxas's code makes one and takes it apart: bits 1 to 20 have the arrivals that a phase needs, 21 to 42 the bytes still to
/// come, 43 to 62 the arrivals still to come, both arrivals as 2^20 minus the number; 63 the phase.
class SharedBarrier {
 public:
  explicit SharedBarrier(std::uint8_t* at) : at_(at) { std::memcpy(&word_, at, 8); }

  [[nodiscard]] std::uint64_t word() const { return word_; }
  void arrive(std::uint32_t arrivals) {
    if (arrivals > number(43)) throw ExecutionFault("more arrive at a barrier than it waits for");
    set(43, number(43) - arrivals);
  }
  /// The phases to come need so many arrivals less.
  void leave(std::uint32_t arrivals) { set(1, number(1) - arrivals); }
  void expect(std::int64_t bytes) {
    const std::int64_t sum = static_cast<std::int64_t>(word_ << 21) >> 42;
    word_ = (word_ & ~(kBytes << 21U)) | (static_cast<std::uint64_t>(sum + bytes) & kBytes) << 21U;
  }
  /// Ends the phase if nothing is to come, and stores the barrier.
  void store() {
    if (number(43) == 0 && (word_ >> 21U & kBytes) == 0) {
      set(43, number(1));
      word_ ^= std::uint64_t{1} << 63U;
    }
    std::memcpy(at_, &word_, 8);
  }

 private:
  static constexpr std::uint64_t kArrivals = (1U << 20U) - 1, kBytes = (1U << 22U) - 1;

  [[nodiscard]] std::uint64_t number(unsigned bit) const { return (0 - (word_ >> bit)) & kArrivals; }
  void set(unsigned bit, std::uint64_t number) {
    word_ = (word_ & ~(kArrivals << bit)) | ((0 - number) & kArrivals) << bit;
  }

  std::uint8_t* at_;
  std::uint64_t word_ = 0;
};

std::uint8_t* barrier_at(Warp& warp, unsigned lane, std::uint64_t address) {
  return place_of<Space::Shared>(warp, lane, address, 8);
}

void write_word(Warp& warp, const Operation& operation, unsigned lane, std::uint64_t word) {
  if (operation.drops_result) return;
  warp.row(operation.result)[lane] = static_cast<std::uint32_t>(word);
  warp.row(static_cast<std::uint16_t>(operation.result + 1))[lane] = static_cast<std::uint32_t>(word >> 32);
}

/// The field `arrive`: how many arrive, and what changes the bytes to come.
constexpr std::uint32_t kExpects = 0, kArrivesOne = 1, kExpectsOne = 2, kExpectsOnly = 3, kCompletes = 4,
                        kArrivesMore = 5;
constexpr std::uint32_t kLeaves = 8U << kFieldsShift, kMask = 16U << kFieldsShift;

/// SYNCS.ARRIVE: each lane by itself, ascending; its result is the barrier before. With .TMASK all lanes get that before the first one, and who
/// they are.
void arrive(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneAddresses addresses;
  addresses_of(warp, operation, false, addresses);
  warp.changed_memory();
  const LaneValues values = warp.read(operation.c.is_constant, operation.c.low);
  const std::uint32_t how = operation.bits >> kFieldsShift & 7;
  std::uint64_t before_all = 0;
  bool is_first = true;
  for_each_lane(lanes, [&](unsigned i) {
    SharedBarrier barrier(barrier_at(warp, i, addresses.lane[i]));
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
    barrier.store();
    write_word(warp, operation, i, before);
  });
}

/// SYNCS.PHASECHK: whether the phase of the value's uppermost bit is over.
void check_phase(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneAddresses addresses;
  addresses_of(warp, operation, false, addresses);
  const LaneValues& values = warp.read(operation.c.is_constant, operation.c.low);
  LaneSet over = 0;
  for_each_lane(lanes, [&](unsigned i) {
    const std::uint64_t word = SharedBarrier(barrier_at(warp, i, addresses.lane[i])).word();
    const bool is_over = word >> 63 != values[i] >> 31;
    over |= static_cast<LaneSet>(is_over) << i;
    if ((lanes & ((LaneSet{1} << i) - 1)) == 0 && !is_over) warp.polled(addresses.lane[i], word);
  });
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
    barrier.store();
  });
}

/// UBLKCP. a: where it writes, b: where it reads, pairs; of a copy to shared memory a.high is its barrier. c: how many times 16 bytes.
template <bool kToShared>
void copy_bulk(Warp& warp, const Operation& operation, LaneSet) {
  const auto word = [&](std::uint16_t row) { return warp.read(false, row)[0]; };
  const std::uint64_t count = word(operation.c.low);
  const std::uint64_t global = kToShared ? pair_of(word(operation.b.low), word(operation.b.high))
                                         : pair_of(word(operation.a.low), word(operation.a.high));
  const std::uint64_t shared = word(kToShared ? operation.a.low : operation.b.low);
  for (std::uint64_t part = 0; part < count; ++part) {
    std::uint8_t* inside = place_of<Space::Shared>(warp, 0, shared + part * 16, 16);
    std::uint8_t* outside = place_of<Space::Global>(warp, 0, global + part * 16, 16);
    std::memcpy(kToShared ? inside : outside, kToShared ? outside : inside, 16);
    if (kToShared)
      warp.group().note_read(warp, global + part * 16, 16);
    else
      warp.group().note_write(global + part * 16, 16, false);
  }
  warp.changed_memory();
  if (!kToShared) return;
  SharedBarrier barrier(barrier_at(warp, 0, word(operation.a.high)));
  barrier.expect(-static_cast<std::int64_t>(count * 16));
  barrier.store();
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
    operation.bits |= how << kFieldsShift | (t.has(75) ? kLeaves : 0) | (t.has(73) ? kMask : 0);
    return t.is(arrive);
  }
  if (opcode == 0x5a7) {
    t.writes_predicate(0, 0);
    t.address(1);
    operation.c = t.integer(2);
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

bool is_bulk(Translation& t) {
  const std::uint32_t how = t.bits(73, 2);
  if (t.has(75) || (how != 1 && how != 2)) return false;
  Operation& operation = t.operation();
  operation.a = t.wide_integer(0, false);
  operation.b = t.wide_integer(1, false);
  operation.c = t.integer(2);
  operation.results = 0;
  return t.is(how == 1 ? copy_bulk<true> : copy_bulk<false>);
}

}  // namespace

bool translate_barrier(Translation& t) {
  const std::string_view name = t.name();
  if (name == "SYNCS") return is_barrier(t);
  if (name == "UBLKCP") return is_bulk(t);
  if (name == "UTMACMDFLUSH" || name == "UBLKPF") return t.is(do_nothing);
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
