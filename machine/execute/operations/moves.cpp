// Moves between registers, predicates and special registers.
#include "machine/execute/base/device_memory.h"
#include "machine/execute/base/fault.h"
#include "machine/execute/group.h"
#include "machine/execute/read.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

void move(Warp& warp, const Operation& operation, LaneSet lanes) {
  write(warp, operation, warp.read(operation.a.is_constant, operation.a.low), lanes);
}

/// Numbers of special registers: the field `sr`, in the order of isa/table/special_registers.def.
// kStackEnd: the lowest offset that the stack may have.
constexpr std::uint32_t kLane = 0, kVirtualWarp = 3, kPackedItem = 32, kItemX = 33, kItemY = 34, kItemZ = 35,
                        kGroupX = 37, kGroupY = 38, kGroupZ = 39, kSharedHigh = 47, kSharedLow = 48,
                        kSharedBytes = 50, kStackEnd = 55, kEqual = 56, kLess = 57, kLessEqual = 58,
                        kGreater = 59, kGreaterEqual = 60, kVirtualCore = 67, kClockLow = 80, kClockHigh = 81,
                        kTimeLow = 82, kTimeHigh = 83, kRankInCluster = 136, kZero = 255;

bool is_known(std::uint32_t which) {
  switch (which) {
    case kLane:
    case kVirtualWarp:
    case kPackedItem:
    case kItemX:
    case kItemY:
    case kItemZ:
    case kGroupX:
    case kGroupY:
    case kGroupZ:
    case kSharedHigh:
    case kSharedLow:
    case kSharedBytes:
    case kStackEnd:
    case kEqual:
    case kLess:
    case kLessEqual:
    case kGreater:
    case kGreaterEqual:
    case kClockLow:
    case kClockHigh:
    case kTimeLow:
    case kTimeHigh:
    case kRankInCluster:
    case kZero:
    case kVirtualCore:
      return true;
    default:
      return false;
  }
}

/// Lanes see different values.
bool is_of_lane(std::uint32_t which) {
  return which == kLane || which == kPackedItem || (which >= kEqual && which <= kGreaterEqual);
}

/// What all lanes see.
std::uint32_t common_value(const Warp& warp, std::uint32_t which) {
  const Group& group = warp.group();
  const std::uint64_t clock = group.launch().clock() + (warp.place() - warp.begun());
  switch (which) {
    case kGroupX:
      return static_cast<std::uint32_t>(group.position().x);
    case kGroupY:
      return static_cast<std::uint32_t>(group.position().y);
    case kGroupZ:
      return static_cast<std::uint32_t>(group.position().z);
    case kSharedHigh:
      return static_cast<std::uint32_t>(kSharedWindow >> 32);
    case kSharedBytes:
      return static_cast<std::uint32_t>(group.launch().shared_bytes());
    case kClockLow:
    case kTimeLow:
      return static_cast<std::uint32_t>(clock);
    case kClockHigh:
    case kTimeHigh:
      return static_cast<std::uint32_t>(clock >> 32);
    case kRankInCluster:
      return group.rank();
    default:
      return 0;  // one core
  }
}

/// The position of each lane's work-item along an axis (kItemX to kItemZ), without a division per lane.
LaneValues positions(const Warp& warp, std::uint32_t which) {
  const Dim3& size = warp.group().launch().settings().local;
  Dim3 item = warp.group().work_item(warp, 0);
  LaneValues out;
  for (unsigned i = 0; i < kLanes; ++i) {
    out[i] = static_cast<std::uint32_t>(which == kItemX ? item.x : which == kItemY ? item.y : item.z);
    if (++item.x < size.x) continue;
    item.x = 0;
    if (++item.y < size.y) continue;
    item.y = 0;
    ++item.z;
  }
  return out;
}

std::uint32_t value_of(const Warp& warp, std::uint32_t which, unsigned lane) {
  const std::uint32_t below = (std::uint32_t{1} << lane) - 1;
  const std::uint32_t bit = std::uint32_t{1} << lane;
  switch (which) {
    case kLane:
      return lane;
    case kPackedItem: {
      const Dim3 item = warp.group().work_item(warp, lane);
      return static_cast<std::uint32_t>(item.x | item.y << 16 | item.z << 26);
    }
    case kEqual:
      return bit;
    case kLess:
      return below;
    case kLessEqual:
      return below | bit;
    case kGreater:
      return ~(below | bit);
    case kGreaterEqual:
      return ~below;
    default:
      return common_value(warp, which);
  }
}

/// What is not the same in all runs is noted.
void note_order(const Warp& warp, std::uint32_t which) {
  OrderNotes& order = warp.group().launch().order();
  if (which >= kClockLow && which <= kTimeHigh) {
    warp.group().launch().needs_turns("code reads clocks");
    order.add(warp.place(), OrderCause::Clock);
  }
  if (which == kVirtualWarp || which == kVirtualCore) order.add(warp.place(), OrderCause::Core);
}

/// operation.bits: which. Of a uniform register: as the first lane sees it.
void read_special(Warp& warp, const Operation& operation, LaneSet lanes) {
  note_order(warp, operation.bits);
  if (operation.bits >= kItemX && operation.bits <= kItemZ) {
    write(warp, operation, positions(warp, operation.bits), lanes);
    return;
  }
  LaneValues out;
  if (!is_of_lane(operation.bits))
    out = same_in_all(common_value(warp, operation.bits));
  else
    for (unsigned i = 0; i < kLanes; ++i) out[i] = value_of(warp, operation.bits, i);
  write(warp, operation, out, lanes);
}

void read_special_pair(Warp& warp, const Operation& operation, LaneSet lanes) {
  note_order(warp, operation.bits);
  WideValues out;
  const std::uint64_t value = operation.bits == kZero ? 0
                                                      : pair_of(common_value(warp, operation.bits),
                                                                common_value(warp, operation.bits + 1));
  for (unsigned i = 0; i < kLanes; ++i) out[i] = value;
  write_pair(warp, operation, out, lanes);
}

/// The value of the first active lane in a uniform register; outputs[0]: whether all have it (code takes BRA.DIV where it does not hold).
/// operation.bits: 1 for .OR. The value of the first lane, and of each lane whether it has another one: in loops of ptxas those lanes come again.
void to_uniform(Warp& warp, const Operation& operation, LaneSet) {
  const LaneSet lanes = warp.active() & warp.predicate(operation.guard);
  if (lanes == 0) return;
  const LaneValues& values = warp.read(operation.a.is_constant, operation.a.low);
  const std::uint32_t value = values[static_cast<unsigned>(std::countr_zero(lanes)) & 31];
  LaneSet others = operation.bits != 0 ? warp.predicate_at(operation.outputs[0]) : 0;
  for_each_lane(lanes, [&](unsigned i) { others |= static_cast<LaneSet>(values[i] != value) << i; });
  warp.write_predicate(operation.outputs[0], others, lanes);
  warp.row(operation.result) = same_in_all(value);
}

/// operation.bits: the mask of predicates; offset: the first bit in the register; inputs[0].place: the first predicate.
void predicates_to_register(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneValues& x = warp.read(operation.a.is_constant, operation.a.low);
  LaneValues out;
  const auto shift = static_cast<unsigned>(operation.offset);
  for (unsigned i = 0; i < kLanes; ++i) {
    std::uint32_t set = 0;
    for (unsigned number = 0; number < 7; ++number)
      set |= (warp.predicate_at(static_cast<std::uint8_t>(operation.inputs[0].place + number)) >> i & 1)
             << number;
    out[i] = (x[i] & ~(operation.bits << shift)) | (set & operation.bits) << shift;
  }
  write(warp, operation, out, lanes);
}

void register_to_predicates(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneValues& x = warp.read(operation.a.is_constant, operation.a.low);
  for (unsigned number = 0; number < 7; ++number) {
    if ((operation.bits >> number & 1) == 0) continue;
    const LaneSet set =
        gather_set([&](unsigned i) { return (x[i] >> (operation.offset + number) & 1) != 0; });
    warp.write_predicate(static_cast<std::uint8_t>(operation.inputs[0].place + number), set, lanes);
  }
}

/// The place behind the instruction, or operation.target: as bytes in the section.
void place_of_code(Warp& warp, const Operation& operation, LaneSet lanes) {
  WideValues out;
  for (unsigned i = 0; i < kLanes; ++i) out[i] = static_cast<std::uint64_t>(operation.offset);
  write_pair(warp, operation, out, lanes);
}

void nothing(Warp&, const Operation&, LaneSet) {}

bool is_special(Translation& t) {
  Operation& operation = t.operation();
  operation.bits = t.operand(1).value;
  const bool pair = t.name() == "CS2R" && t.has(80);
  t.result(0, pair ? 2 : 1);
  if (!is_known(operation.bits)) return false;
  return t.is(pair ? read_special_pair : read_special);
}

bool is_predicates(Translation& t) {
  Operation& operation = t.operation();
  const std::string_view name = t.name();
  const bool uniform = name == "UP2UR" || name == "R2UP" || name == "UR2UP";
  operation.inputs[0].place = uniform ? kUniformPredicates : 0;
  operation.offset = t.bits(76, 2) * 8;
  operation.bits = t.bits(32, 8) & 0x7f;
  const bool to_register = name == "P2R" || name == "UP2UR";
  if (to_register) t.result(0);
  operation.a = t.integer(to_register ? 1 : 0);
  return t.is(to_register ? predicates_to_register : register_to_predicates);
}

}  // namespace

bool translate_move(Translation& t) {
  const std::string_view name = t.name();
  Operation& operation = t.operation();
  if (name == "MOV" || name == "UMOV") {
    t.result(0);
    operation.a = t.integer(1);
    return (name == "UMOV" || t.bits(72, 4) == 15) && t.is(move);
  }
  if (name == "S2R" || name == "CS2R" || name == "S2UR") return is_special(t);
  if (name == "R2UR") {
    if ((t.row().opcode & 0xfffU) == 0x2ca && t.has(72)) return false;  // .FILL
    operation.bits = (t.row().opcode & 0xfffU) == 0x2ca ? t.bits(84, 1) : 0;
    t.result(1);
    operation.a = t.integer(2);
    t.writes_predicate(0, 0);
    return t.is(to_uniform);
  }
  if (name == "P2R" || name == "R2P" || name == "UP2UR" || name == "R2UP" || name == "UR2UP")
    return is_predicates(t);
  if (name == "LEPC") {
    t.result(0, 2);
    operation.offset = t.instruction().operand_count > 1
                           ? t.instruction().immediate
                           : t.instruction().address + std::int64_t{kInstructionBytes};
    return t.is(place_of_code);
  }
  // Without an effect on values: fences (accesses are executed in order), hints, waits for what is done already.
  static constexpr std::string_view kNothing[] = {
      "NOP",       "MEMBAR", "ERRBAR",        "CGAERRBAR", "CCTL",    "CCTLL",   "DEPBAR",
      "LDGDEPBAR", "PMTRIG", "ENDCOLLECTIVE", "FENCE",     "ACQBULK", "PREEXIT", "WARPGROUP"};
  if (name == "WARPGROUP" && t.bits(80, 1) != 0) return false;  // translate_flow
  for (const std::string_view one : kNothing)
    if (one == name) return t.is(nothing);
  return false;
}

}  // namespace warpscope::machine
