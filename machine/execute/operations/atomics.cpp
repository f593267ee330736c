// Atomics: lanes one after the other, ascending.
#include <array>
#include <atomic>
#include <cstring>

#include "machine/execute/address.h"
#include "machine/execute/operations/changes.h"
#include "machine/execute/operations/half.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

/// The field `atom` has these besides kAdd to kXor; the last is compare and swap. What is changed is behind kFieldsShift: the change in four bits, then
/// the type.
constexpr std::uint32_t kExchange = 8, kTrySwap = 14, kSwap = 15;

std::uint64_t integer_result(std::uint32_t change, std::uint64_t old, std::uint64_t value, bool is_signed,
                             unsigned bytes) {
  const auto less = [&](std::uint64_t a, std::uint64_t b) {
    if (!is_signed) return a < b;
    return bytes == 4 ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b)
                      : static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
  };
  switch (change) {
    case kAdd:
      return old + value;
    case kMin:
      return less(value, old) ? value : old;
    case kMax:
      return less(old, value) ? value : old;
    case kInc:
      return old >= value ? 0 : old + 1;
    case kDec:
      return old == 0 || old > value ? value : old - 1;
    case kAnd:
      return old & value;
    case kOr:
      return old | value;
    case kXor:
      return old ^ value;
    default:
      return value;
  }
}

std::uint32_t halves_result(std::uint32_t change, std::uint32_t old, std::uint32_t value, bool brain) {
  const auto one = [&](std::uint32_t a, std::uint32_t b) {
    const double x = brain ? brain_value(a) : half_value(a), y = brain ? brain_value(b) : half_value(b);
    const double result = change == kMin ? std::fmin(x, y) : change == kMax ? std::fmax(x, y) : x + y;
    return brain ? brain_bits(result) : half_bits(result);
  };
  return one(old & 0xffff, value & 0xffff) | one(old >> 16, value >> 16) << 16;
}

}  // namespace

std::uint64_t result_of(std::uint32_t change, std::uint32_t type, std::uint64_t old, std::uint64_t value) {
  if (change == kExchange) return value;
  const auto single = [](std::uint64_t bits, bool flush) {
    return single_of(flush ? flushed(static_cast<std::uint32_t>(bits)) : static_cast<std::uint32_t>(bits));
  };
  switch (type) {
    case kF32:
      return flushed(canonical(single(old, true) + single(value, true)));
    case kF32Kept:
      return canonical(single(old, false) + single(value, false));
    case kF64:
      return std::bit_cast<std::uint64_t>(double_of(old) + double_of(value));
    case kHalves:
    case kBrains:
      return halves_result(change, static_cast<std::uint32_t>(old), static_cast<std::uint32_t>(value),
                           type == kBrains);
    default:
      return integer_result(change, old, value, type == kS32 || type == kS64, type >= kU64 ? 8 : 4);
  }
}

unsigned bytes_of_type(std::uint32_t type) {
  return type == kU64 || type == kS64 || type == kF64 ? 8 : 4;
}

namespace {

std::uint64_t value_of(const Warp& warp, const Source& source, unsigned lane, unsigned bytes) {
  const std::uint32_t low = warp.read(source.is_constant, source.low)[lane];
  return bytes == 4 ? low : pair_of(low, warp.read(source.is_constant, source.high)[lane]);
}

// Changes whose results nobody has, where work-groups run at the same time.
namespace apart {

/// Whether the order of changes of the same kind matters.
bool is_ordered(std::uint32_t how, std::uint32_t type) {
  return type >= kF32 || how == kInc || how == kDec || how >= kExchange;
}

void make(std::uint8_t* place, std::uint64_t value, std::uint32_t how) {
  const std::uint32_t type = how >> 4;
  const unsigned bytes = bytes_of_type(type);
  std::uint64_t old = 0;
  std::memcpy(&old, place, bytes);
  const std::uint64_t result = result_of(how & 15, type, old, value);
  std::memcpy(place, &result, bytes);
}

template <class T>
void make_at_once(std::uint8_t* place, std::uint64_t value, std::uint32_t how, std::uint32_t type) {
  const std::atomic_ref<T> word(*reinterpret_cast<T*>(place));
  T old = word.load(std::memory_order_relaxed);
  while (!word.compare_exchange_weak(old, static_cast<T>(result_of(how, type, old, value)),
                                     std::memory_order_relaxed)) {
  }
}

void change(Warp& warp, std::uint64_t address, std::uint8_t* place, std::uint64_t value, std::uint32_t how,
            std::uint32_t type) {
  const unsigned bytes = bytes_of_type(type);
  const std::uint32_t kind = how | type << 4;
  if (is_ordered(how, type) || reinterpret_cast<std::uintptr_t>(place) % bytes != 0)
    return warp.group().note_reduction(address, bytes, kind, Change{place, value, make, kind});
  warp.group().note_reduction(address, bytes, kind, {});
  if (bytes == 4)
    make_at_once<std::uint32_t>(place, value, how, type);
  else
    make_at_once<std::uint64_t>(place, value, how, type);
}

}  // namespace apart

/// Whether the changes of the lanes are those of work-groups that run at the same time.
template <Space kSpace>
bool is_apart(const Warp& warp, const Operation& operation, const LaneAddresses& addresses, LaneSet lanes) {
  if (!is_outside(kSpace) || warp.group().launch().claims() == nullptr) return false;
  LaneSet inside = 0;
  if (kSpace == Space::Generic)
    inside = lanes & gather_set([&](unsigned i) {
               return addresses.lane[i] - kSharedWindow < 2 * (kLocalWindow - kSharedWindow);
             });
  if (inside == lanes) return false;
  if (inside != 0 || (operation.results != 0 && !operation.drops_result))
    warp.group().launch().needs_turns("code uses what an atomic returned");
  return true;
}

void note_result(const Warp& warp, const Operation& operation) {
  if (operation.results != 0 && !operation.drops_result)
    warp.group().launch().order().add(warp.place(), OrderCause::Atomic);
}

/// operation.outputs[0]: that it was done, which it always is. operation.c: the value; of a compare and swap what is compared. operation.inputs[1].place: 1 for it; the value to swap in is in the rows
/// of operation.extra.
template <Space kSpace>
void change(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneAddresses addresses;
  addresses_of(warp, operation, kSpace != Space::Shared, addresses);
  observe(warp, operation, lanes, addresses);
  warp.write_predicate(operation.outputs[0], kAllLanes, lanes);
  const std::uint32_t how = operation.bits >> kFieldsShift & 15, type = operation.bits >> (kFieldsShift + 4);
  const unsigned bytes = bytes_of_type(type), first = static_cast<unsigned>(std::countr_zero(lanes));
  note_result(warp, operation);
  const bool runs_apart = is_apart<kSpace>(warp, operation, addresses, lanes);
  if (runs_apart && how >= kExchange) warp.group().launch().needs_turns("work-groups exchange values");
  for_each_lane(lanes, [&](unsigned i) {
    std::uint8_t* at = place_of<kSpace>(warp, i, addresses.lane[i], bytes);
    const std::uint64_t value = value_of(warp, operation.c, i, bytes);
    if (runs_apart) return apart::change(warp, addresses.lane[i], at, value, how, type);
    std::uint64_t old = 0;
    std::memcpy(&old, at, bytes);
    std::uint64_t result = 0;
    if (how >= kTrySwap) {
      result = old == value ? value_of(warp, operation.extra, i, bytes) : old;
    } else {
      result = result_of(how, type, old, value);
    }
    std::memcpy(at, &result, bytes);
    if (is_outside(kSpace)) warp.group().note_write(addresses.lane[i], bytes, true);
    if (result != old) warp.changed_memory();
    if (i == first && operation.results != 0 && result == old) warp.polled(addresses.lane[i], old);
    if (operation.results == 0 || operation.drops_result) return;
    if (how == kTrySwap) {
      warp.row(operation.result)[i] = old == value ? 1 : 0;
      // Code that swaps 64 bits compares both words of the result with 1.
      if (bytes == 8) warp.row(static_cast<std::uint16_t>(operation.result + 1))[i] = 0;
      return;
    }
    warp.row(operation.result)[i] = static_cast<std::uint32_t>(old);
    if (bytes == 8)
      warp.row(static_cast<std::uint16_t>(operation.result + 1))[i] = static_cast<std::uint32_t>(old >> 32);
  });
}

/// Values of 128 bits, and several reals, each word of which is changed by itself. operation.target: how many words.
template <Space kSpace>
void change_words(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneAddresses addresses;
  addresses_of(warp, operation, kSpace != Space::Shared, addresses);
  observe(warp, operation, lanes, addresses);
  warp.write_predicate(operation.outputs[0], kAllLanes, lanes);
  warp.changed_memory();
  const std::uint32_t how = operation.bits >> kFieldsShift & 15, type = operation.bits >> (kFieldsShift + 4);
  const unsigned words = operation.target;
  note_result(warp, operation);
  using Words = std::array<std::uint32_t, 4>;
  const auto words_of = [&](const Source& source, unsigned lane) {
    Words value{};
    for (unsigned word = 0; word < words; ++word) {
      const bool is_zero = source.low == source.high;
      value[word] = warp.read(false, static_cast<std::uint16_t>(source.low + (is_zero ? 0 : word)))[lane];
    }
    return value;
  };
  const bool runs_apart = is_apart<kSpace>(warp, operation, addresses, lanes);
  if (runs_apart && how >= kExchange) warp.group().launch().needs_turns("work-groups exchange values");
  for_each_lane(lanes, [&](unsigned i) {
    std::uint8_t* at = place_of<kSpace>(warp, i, addresses.lane[i], words * 4);
    Words old{};
    Words result = words_of(operation.c, i);
    if (runs_apart) {
      for (unsigned word = 0; word < words; ++word)
        apart::change(warp, addresses.lane[i] + std::uint64_t{word} * 4, at + std::size_t{word} * 4,
                      result[word], how, type);
      return;
    }
    std::memcpy(old.data(), at, words * std::size_t{4});
    if (how == kSwap)
      result = old == result ? words_of(operation.extra, i) : old;
    else if (how != kExchange)
      for (unsigned word = 0; word < words; ++word)
        result[word] = static_cast<std::uint32_t>(result_of(how, type, old[word], result[word]));
    std::memcpy(at, result.data(), words * std::size_t{4});
    if (is_outside(kSpace)) warp.group().note_write(addresses.lane[i], words * 4, true);
    if (operation.results == 0 || operation.drops_result) return;
    for (unsigned word = 0; word < words; ++word)
      warp.row(static_cast<std::uint16_t>(operation.result + word))[i] = old[word];
  });
}

std::uint32_t type_of(Translation& t, bool is_shared) {
  static constexpr std::uint32_t kTypes[] = {kU32, kS32, kU64, kF32, kHalves, kS64, kF64, kBrains};
  static constexpr std::uint32_t kSince90[] = {kU32, kS32, kU64, kS64, 99, 99, 99, 99};
  const std::uint32_t field = t.bits(73, 3);
  return is_shared || t.row().since >= 90 ? kSince90[field] : kTypes[field];
}

/// Reals of sm_90 have opcodes of their own (isa/table/rows_hopper.def).
std::uint32_t real_type_since_90(Translation& t) {
  switch (t.bits(73, 4)) {
    case 0:
    case 1:
    case 2:
      return kHalves;
    case 3:
    case 4:
    case 5:
      return kBrains;
    case 9:
    case 10:
    case 11:
      return kF32;
    case 12:
    case 13:
    case 14:
      return kF32Kept;
    case 15:
      return kF64;
    default:
      return 99;
  }
}

/// Of those that change_words() executes; 0: of no more than 64 bits, or one real.
std::uint8_t words_of_type(Translation& t, bool is_real) {
  static constexpr std::uint8_t kWords[] = {0, 2, 4, 0, 2, 4, 0, 0, 0, 0, 2, 4, 0, 2, 4, 0};
  if (is_real) return kWords[t.bits(73, 4)];
  const unsigned code = t.row().opcode & 0x1ffU;
  const bool has_128 = t.code().cubin().architecture() >= 90 &&
                       (t.row().since >= 90 || t.name() == "ATOMS" || code == 0x1a9 || code == 0x18b);
  return has_128 && t.bits(73, 3) == 4 ? 4 : 0;
}

bool is_atomic(Translation& t, bool returns, std::size_t value_slot, Execute run) {
  Operation& operation = t.operation();
  const unsigned code = t.row().opcode & 0x1ffU;
  const bool is_shared = t.name() == "ATOMS";
  const bool is_swap = code == 0x18b || code == 0x1a9 || code == 0x18d;
  const bool is_real = code == 0x1a2 || code == 0x1a3 || code == 0x1a6;
  std::uint32_t how = t.name().starts_with("RED") ? t.bits(87, 3) : t.bits(87, 4);
  if (is_real) how = t.bits(88, 2);
  std::uint32_t type = is_real ? real_type_since_90(t) : type_of(t, is_shared);
  if (is_swap) {
    const bool tries =
        (is_shared || code == 0x18b) && t.bits(87, 2) == 3;  // .CAST.SPIN: the result is whether it was done
    how = tries ? kTrySwap : kSwap;
    type = t.bits(73, 3) == 2 ? std::uint32_t{kU64} : t.bits(73, 3) < 2 ? std::uint32_t{kU32} : 99U;
  }
  if (const std::uint8_t many = words_of_type(t, is_real)) {
    const bool is_whole = how == kExchange || how == kSwap;
    if (is_real ? type == 99 || how > kMax : !is_whole) return false;
    if (returns) t.result(value_slot - 2, many);
    if (!returns) operation.results = 0;
    t.address(value_slot - 1);
    operation.c = t.words(value_slot, 2);
    if (is_swap) operation.extra = t.words(value_slot + 1, 2);
    operation.target = many;
    operation.bits |= (how | (is_real ? type : 0) << 4) << kFieldsShift;
    if (is_shared) return t.is(change_words<Space::Shared>);
    return t.is(t.name() == "ATOM" ? change_words<Space::Generic> : change_words<Space::Global>);
  }
  if (type == 99 || (how > kExchange && how < kTrySwap)) return false;
  const std::uint8_t words = bytes_of_type(type) == 8 ? 2 : 1;
  if (returns) t.result(value_slot - 2, words);
  if (!returns) operation.results = 0;
  t.address(value_slot - 1);
  operation.c = t.words(value_slot, words);
  if (is_swap) operation.extra = t.words(value_slot + 1, words);
  operation.bits |= (how | type << 4) << kFieldsShift;
  return t.is(run);
}

/// ATOMS.POPC.INC: each lane adds 1. Only where nobody asks for the old value, which is not each lane's own.
bool is_increment(Translation& t) {
  Operation& operation = t.operation();
  if (t.operand(0).value != kZeroRegister || t.bits(73, 3) > 1) return false;
  operation.results = 0;
  t.address(1);
  operation.c = t.constant(1);
  operation.bits |= (kAdd | kU32 << 4) << kFieldsShift;
  return t.is(change<Space::Shared>);
}

}  // namespace

bool translate_atomic(Translation& t) {
  const std::string_view name = t.name();
  const bool is_popc = (t.row().opcode & 0xfffU) == 0xf8a || (t.row().opcode & 0xfffU) == 0xf8c;
  if (is_popc) return name == "ATOMS" && t.bits(87, 4) >= 10 && is_increment(t);
  if (name == "ATOMG" || name == "ATOM") {
    t.writes_predicate(0, 0);
    return is_atomic(t, true, 3, name == "ATOM" ? change<Space::Generic> : change<Space::Global>);
  }
  if (name == "ATOMS") return is_atomic(t, true, 2, change<Space::Shared>);
  if (name == "RED" || name == "REDG") return is_atomic(t, false, 1, change<Space::Global>);
  return false;
}

}  // namespace warpscope::machine
