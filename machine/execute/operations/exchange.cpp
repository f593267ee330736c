// What lanes of a warp tell each other.
#include "machine/execute/read.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

/// As the PTX ISA says of shfl. operation.bits: the mode; b: the lane, c: clamp (bits 0 to 4) and segments (8 to 12).
void shuffle(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneValues values = warp.read(operation.a.is_constant, operation.a.low);
  const LaneValues& which = warp.read(operation.b.is_constant, operation.b.low);
  const LaneValues& limits = warp.read(operation.c.is_constant, operation.c.low);
  LaneValues out = values;
  LaneSet valid = 0;
  for_each_lane(lanes, [&](unsigned i) {
    const std::uint32_t by = which[i] & 31, clamp = limits[i] & 31, segments = limits[i] >> 8 & 31;
    const std::uint32_t last = (i & segments) | (clamp & ~segments);
    const std::uint32_t first = i & segments;
    std::int32_t from = 0;
    bool inside = false;
    const auto lane = static_cast<std::int32_t>(i), by_lanes = static_cast<std::int32_t>(by);
    switch (operation.bits) {
      case 0:
        from = static_cast<std::int32_t>(first | (by & ~segments));
        inside = from <= static_cast<std::int32_t>(last);
        break;
      case 1:
        from = lane - by_lanes;
        inside = from >= static_cast<std::int32_t>(last);
        break;
      case 2:
        from = lane + by_lanes;
        inside = from <= static_cast<std::int32_t>(last);
        break;
      default:
        from = lane ^ by_lanes;
        inside = from <= static_cast<std::int32_t>(last);
        break;
    }
    if (!inside) from = lane;
    // From a lane that does not take part the value is undefined; here its register as it is.
    out[i] = values[static_cast<unsigned>(from) & 31];
    valid |= static_cast<LaneSet>(inside) << i;
  });
  write(warp, operation, out, lanes);
  warp.write_predicate(operation.outputs[0], valid, lanes);
}

/// operation.bits: 0 all, 1 any, 2 all the same. A uniform result is that of the active lanes.
void vote(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneSet voters = operation.is_uniform ? warp.active() : lanes;
  const LaneSet yes = warp.predicate(operation.inputs[0]) & voters;
  const bool result = operation.bits == 0   ? yes == voters
                      : operation.bits == 1 ? yes != 0
                                            : yes == 0 || yes == voters;
  write(warp, operation, same_in_all(yes), lanes);
  warp.write_predicate(operation.outputs[0], result ? kAllLanes : 0, lanes);
}

/// operation.bits: 0 all (the lanes, if all have the value, else 0), 1 any (the lanes with the same value); 2: of 64 bits.
void match(Warp& warp, const Operation& operation, LaneSet lanes) {
  WideValues x;
  if ((operation.bits & 2) != 0) {
    read_pair(warp, operation.a, x);
  } else {
    const LaneValues& values = warp.read(operation.a.is_constant, operation.a.low);
    for (unsigned i = 0; i < kLanes; ++i) x[i] = values[i];
  }
  LaneValues out{};
  for_each_lane(lanes, [&](unsigned i) {
    for_each_lane(lanes, [&](unsigned j) { out[i] |= static_cast<std::uint32_t>(x[i] == x[j]) << j; });
  });
  bool all = false;
  if ((operation.bits & 1) == 0) {
    all = lanes != 0 && out[static_cast<unsigned>(std::countr_zero(lanes))] == lanes;
    out = same_in_all(all ? lanes : 0);
  }
  write(warp, operation, out, lanes);
  warp.write_predicate(operation.outputs[0], all ? kAllLanes : 0, lanes);
}

/// operation.bits: 0 and, 1 or, 2 exclusive or, 3 sum, 4 minimum, 5 maximum; bit 3: with sign.
void reduce(Warp& warp, const Operation& operation, LaneSet) {
  const LaneValues& x = warp.read(operation.a.is_constant, operation.a.low);
  const bool has_sign = (operation.bits & 8) != 0;
  std::uint32_t value = 0;
  bool is_first = true;
  for_each_lane(warp.active(), [&](unsigned i) {
    const std::uint32_t other = x[i];
    const bool less =
        has_sign ? static_cast<std::int32_t>(other) < static_cast<std::int32_t>(value) : other < value;
    if (is_first) {
      value = other;
      is_first = false;
      return;
    }
    switch (operation.bits & 7) {
      case 0:
        value &= other;
        break;
      case 1:
        value |= other;
        break;
      case 2:
        value ^= other;
        break;
      case 3:
        value += other;
        break;
      case 4:
        value = less ? other : value;
        break;
      default:
        value = less || other == value ? value : other;
        break;
    }
  });
  warp.row(operation.result) = same_in_all(value);
}

bool is_shuffle(Translation& t) {
  Operation& operation = t.operation();
  t.writes_predicate(0, 0);
  t.result(1);
  operation.a = t.integer(2);
  operation.b = t.small(3);
  operation.c = t.small(4);
  operation.bits = t.bits(58, 2);
  return t.is(shuffle);
}

}  // namespace

bool translate_exchange(Translation& t) {
  const std::string_view name = t.name();
  Operation& operation = t.operation();
  if (name == "SHFL") return is_shuffle(t);
  if (name == "VOTE" || name == "VOTEU") {
    t.result(0);
    t.writes_predicate(0, 1);
    operation.inputs[0] = t.predicate(2);
    operation.bits = t.bits(72, 2);
    return t.is(vote);
  }
  if (name == "MATCH") {
    t.writes_predicate(0, 0);
    t.result(1);
    operation.bits = t.bits(79, 1) | t.bits(73, 1) << 1;
    operation.a = t.has(73) ? t.wide_integer(2, false) : t.integer(2);
    return t.is(match);
  }
  if (name == "REDUX") {
    t.result(0);
    operation.a = t.integer(1);
    operation.bits = t.bits(78, 3) | t.bits(73, 1) << 3;
    return t.is(reduce);
  }
  return false;
}

}  // namespace warpscope::machine
