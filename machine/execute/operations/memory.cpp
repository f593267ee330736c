// Loads and stores.
#include <cstring>

#include "machine/execute/address.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

template <unsigned kBytes, bool kSigned>
std::uint32_t loaded_word(const std::uint8_t* from) {
  if constexpr (kBytes == 1)
    return kSigned ? static_cast<std::uint32_t>(static_cast<std::int8_t>(*from)) : *from;
  std::uint32_t word = 0;
  if constexpr (kBytes == 2) {
    std::uint16_t half = 0;
    std::memcpy(&half, from, 2);
    return kSigned ? static_cast<std::uint32_t>(static_cast<std::int16_t>(half)) : half;
  }
  std::memcpy(&word, from, 4);
  return word;
}

template <unsigned kBytes, bool kSigned>
void load_lane(const std::uint8_t* from, LaneValues* rows, unsigned lane) {
  if constexpr (kBytes <= 4) {
    rows[0][lane] = loaded_word<kBytes, kSigned>(from);
  } else {
    for (unsigned word = 0; word < kBytes / 4; ++word)
      std::memcpy(&rows[word].lane[lane], from + word * 4, 4);
  }
}

template <unsigned kBytes, bool kSigned>
void load_places(const Places& places, LaneValues* rows, LaneSet lanes) {
  if (kBytes == 4 && places.is_row) {
    std::memcpy(rows[0].lane, places.of(0), sizeof rows[0].lane);
  } else if (places.is_one) {
    for (unsigned word = 0; word < (kBytes + 3) / 4; ++word)
      blend(rows[word],
            same_in_all(loaded_word < kBytes <= 4 ? kBytes : 4, kSigned > (places.of(0) + word * 4)), lanes);
  } else if (lanes == kAllLanes) {
    for (unsigned i = 0; i < kLanes; ++i) load_lane<kBytes, kSigned>(places.of(i), rows, i);
  } else {
    for_each_lane(lanes, [&](unsigned i) { load_lane<kBytes, kSigned>(places.of(i), rows, i); });
  }
}

/// Bit of loads that stores of other work-groups reach: volatile ones, and those with an order.
constexpr std::uint32_t kStrong = 1U << kFieldsShift;

template <unsigned kBytes>
void note_strong(Warp& warp, const LaneAddresses& addresses, const LaneValues* rows, LaneSet lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  warp.polled(addresses.lane[first], kBytes < 8 ? rows[0][first] : pair_of(rows[0][first], rows[1][first]));
}

template <Space kSpace, unsigned kBytes, bool kSigned>
void load(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneAddresses addresses;
  addresses_of(warp, operation, kSpace == Space::Global || kSpace == Space::Generic, addresses);
  observe(warp, operation, lanes, addresses);
  LaneValues* rows = &warp.row(operation.result);
  Places places;
  if (find_places<kSpace, kBytes>(warp, addresses, lanes, places)) {
    if (places.piece.claimed != nullptr) claim_read<kBytes>(warp, places);
    if (!operation.drops_result) load_places<kBytes, kSigned>(places, rows, lanes);
    if (places.piece.writers != nullptr) note_read<kBytes>(warp, places);
    if ((operation.bits & kStrong) != 0) note_strong<kBytes>(warp, addresses, rows, lanes);
    return;
  }
  for_each_lane(lanes, [&](unsigned i) {
    const std::uint8_t* from = place_of<kSpace>(warp, i, addresses.lane[i], kBytes);
    if (is_outside(kSpace)) warp.group().note_read(warp, addresses.lane[i], kBytes);
    if (!operation.drops_result) load_lane<kBytes, kSigned>(from, rows, i);
  });
}

template <Space kSpace, unsigned kBytes>
void store(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneAddresses addresses;
  addresses_of(warp, operation, kSpace == Space::Global || kSpace == Space::Generic, addresses);
  observe(warp, operation, lanes, addresses);
  if (kSpace != Space::Local) warp.changed_memory();
  const bool zero = operation.c.low == operation.c.high;  // RZ in all words
  const LaneValues* rows = &warp.row(operation.c.low);
  const auto store_lane = [&](std::uint8_t* to, unsigned i) {
    if constexpr (kBytes < 4) {
      std::memcpy(to, &rows[0].lane[i], kBytes);
    } else {
      for (unsigned word = 0; word < kBytes / 4; ++word)
        std::memcpy(to + word * 4, &rows[zero ? 0 : word].lane[i], 4);
    }
  };
  Places places;
  const bool found = find_places<kSpace, kBytes>(warp, addresses, lanes, places);
  if (found && places.piece.claimed != nullptr)
    claim_write<kBytes>(warp, places);
  else if (found && places.piece.is_global && warp.group().launch().follows_writers())
    note_write<kBytes>(warp, places);
  if (found && kBytes == 4 && places.is_row) {
    std::memcpy(places.of(0), rows[0].lane, sizeof rows[0].lane);
    return;
  }
  const auto store_one = [&](unsigned i) {
    std::uint8_t* const to = found ? places.of(i) : place_of<kSpace>(warp, i, addresses.lane[i], kBytes);
    if (!found && is_outside(kSpace)) warp.group().note_write(addresses.lane[i], kBytes, false);
    store_lane(to, i);
  };
  if (warp.group().launch().lanes_descend()) [[unlikely]]
    for_each_lane_descending(lanes, store_one);
  else
    for_each_lane(lanes, store_one);
}

template <Space kSpace>
constexpr Execute kLoads[] = {load<kSpace, 1, false>,  load<kSpace, 1, true>,  load<kSpace, 2, false>,
                              load<kSpace, 2, true>,   load<kSpace, 4, false>, load<kSpace, 8, false>,
                              load<kSpace, 16, false>, load<kSpace, 16, false>};
template <Space kSpace>
constexpr Execute kStores[] = {store<kSpace, 1>, store<kSpace, 1>, store<kSpace, 2>,  store<kSpace, 2>,
                               store<kSpace, 4>, store<kSpace, 8>, store<kSpace, 16>, store<kSpace, 16>};

/// LDC with a register: operation.offset from it on in the bank that operation.bits has behind kFieldsShift. What lies behind the bank's end
/// is 0, as the GPU reads it.
void load_constant(Warp& warp, const Operation& operation, LaneSet lanes) {
  const auto bank = warp.group().launch().bank(operation.bits >> kFieldsShift);
  const LaneValues& index = warp.read(false, operation.a.low);
  const unsigned size = operation.bits & kSizeMask;
  const unsigned bytes = bytes_of_size(size);
  if (operation.drops_result) return;
  LaneValues* rows = &warp.row(operation.result);
  std::uint32_t differences = 0;
  for (unsigned i = 0; i < kLanes; ++i) differences |= index[i] ^ index[0];
  const bool is_one = differences == 0 && lanes == kAllLanes;
  for_each_lane(is_one ? 1 : lanes, [&](unsigned i) {
    std::uint8_t value[16] = {};
    const std::uint64_t from =
        static_cast<std::uint32_t>(index[i] + static_cast<std::uint32_t>(operation.offset));
    if (from + sizeof value <= bank.size())
      std::memcpy(value, bank.data() + from, sizeof value);
    else
      for (unsigned byte = 0; byte < bytes && from + byte < bank.size(); ++byte)
        value[byte] = bank[from + byte];
    if (size == 0) rows[0][i] = loaded_word<1, false>(value);
    if (size == 1) rows[0][i] = loaded_word<1, true>(value);
    if (size == 2) rows[0][i] = loaded_word<2, false>(value);
    if (size == 3) rows[0][i] = loaded_word<2, true>(value);
    if (size < 4) return;
    for (unsigned word = 0; word < bytes / 4; ++word) std::memcpy(&rows[word].lane[i], value + word * 4, 4);
  });
  if (is_one)
    for (unsigned word = 0; word < operation.results; ++word) rows[word] = same_in_all(rows[word][0]);
}

/// The same without a register, of one or two words.
void load_constant_words(Warp& warp, const Operation& operation, LaneSet lanes) {
  if (operation.drops_result) return;
  LaneValues* rows = &warp.row(operation.result);
  blend(rows[0], warp.read(true, operation.a.low), lanes);
  if (operation.results == 2) blend(rows[1], warp.read(true, operation.a.high), lanes);
}

/// The kind of memory that a generic address means. operation.bits: what is asked for: global, local, shared of the work-group, of the cluster.
void query_space(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneAddresses addresses;
  addresses_of(warp, operation, true, addresses);
  const LaneSet set = gather_set([&](unsigned i) {
    const std::uint64_t in_window = addresses.lane[i] - kSharedWindow;
    const bool shared = in_window < kSharedWindowBytes;
    const bool own = shared && in_window >> kRankShift == warp.group().rank();
    const bool local = addresses.lane[i] - kLocalWindow < kWindowBytes;
    const std::uint32_t asked = operation.bits >> kFieldsShift;
    return asked == 0 ? !shared && !local : asked == 1 ? local : asked == 2 ? own : shared;
  });
  warp.write_predicate(operation.outputs[0], set, lanes);
}

/// The first of the orders (isa/table/fields.def) that are .STRONG or .MMIO.
constexpr std::uint32_t kStrongBefore80 = 2, kStrongSince80 = 5;

bool is_load(Translation& t, const Execute* loads) {
  Operation& operation = t.operation();
  const std::uint32_t size = t.bits(73, 3);
  t.result(0, static_cast<std::uint8_t>((bytes_of_size(size) + 3) / 4));
  t.address(1);
  if (t.instruction().operand_count > 2 && t.operand(2).kind == OperandKind::Predicate &&
      t.operand(2).value != kTruePredicate)
    return false;  // a predicate that the access writes
  operation.bits |= size;
  const bool is_global = t.name() == "LDG" || t.name() == "LD";
  const bool is_strong = t.code().cubin().architecture() < 80 ? t.bits(79, 2) >= kStrongBefore80
                                                              : t.bits(77, 4) >= kStrongSince80;
  if (is_global && is_strong && !operation.drops_result) operation.bits |= kStrong;
  return t.is(loads[size]);
}

bool is_store(Translation& t, const Execute* stores) {
  const std::uint32_t size = t.bits(73, 3);
  t.address(0);
  t.operation().c = t.integer(1);
  if (bytes_of_size(size) > 4 && t.operand(1).value != kZeroRegister)
    t.operation().c.high = static_cast<std::uint16_t>(t.operation().c.low + 1);
  t.operation().bits |= size;
  return t.is(stores[size]);
}

bool is_constant_load(Translation& t) {
  Operation& operation = t.operation();
  const std::uint32_t size = t.bits(73, 3);
  t.result(0, static_cast<std::uint8_t>((bytes_of_size(size) + 3) / 4));
  if (t.name() == "LDC" && t.bits(78, 2) != 0) return false;  // .IL, .IS, .ISL
  const Operand& operand = t.operand(1);
  operation.a = t.of_register(kZeroRegister);
  operation.offset = operand.value;
  if (operand.kind == OperandKind::ConstantIndexed) {
    operation.a.low =
        t.name() == "ULDC" ? t.code().uniform_row(operand.value) : t.code().register_row(operand.value);
    operation.offset = t.instruction().immediate;
  } else if (t.has(91)) {
    return false;  // a bank by its descriptor
  } else if (size == 4 || size == 5) {
    const std::uint32_t bank = t.instruction().bank();
    operation.a.is_constant = true;
    operation.a.low = t.code().constant_row({false, 0, bank, operand.value});
    operation.a.high = t.code().constant_row({false, 0, bank, operand.value + 4U});
    return t.is(load_constant_words);
  }
  operation.bits = size | t.instruction().bank() << kFieldsShift;
  return t.is(load_constant);
}

}  // namespace

bool translate_memory(Translation& t) {
  const std::string_view name = t.name();
  if (name == "LDG") return is_load(t, kLoads<Space::Global>);
  if (name == "LD") return is_load(t, kLoads<Space::Generic>);
  if (name == "LDS") return is_load(t, kLoads<Space::Shared>);
  if (name == "LDL") return is_load(t, kLoads<Space::Local>);
  if (name == "STG") return is_store(t, kStores<Space::Global>);
  if (name == "ST") return is_store(t, kStores<Space::Generic>);
  if (name == "STS") return is_store(t, kStores<Space::Shared>);
  if (name == "STL") return is_store(t, kStores<Space::Local>);
  if (name == "LDC" || name == "ULDC") return is_constant_load(t);
  if (name == "QSPC") {
    t.writes_predicate(0, 0);
    t.address(2);
    t.operation().bits |= kWideRegister | t.bits(73, 2) << kFieldsShift;
    const unsigned number = t.operand(2).value & 0xffU;
    t.operation().a = t.of_register(number);
    t.operation().a.high = t.code().register_row(number == kZeroRegister ? number : number + 1);
    return t.operand(1).value == kZeroRegister && t.is(query_space);
  }
  return false;
}

}  // namespace warpscope::machine
