// Copies from global to shared memory, and matrices of 8 x 8 halves between shared memory and registers: as the PTX ISA says of cp.async,
// ldmatrix, stmatrix and movmatrix.
#include <cstring>

#include "machine/execute/address.h"
#include "machine/execute/translation.h"

namespace warpscope::machine {
namespace {

constexpr std::uint32_t kZeroFill = 1U << kFieldsShift;
constexpr std::uint32_t kSharedUniform = 2U << kFieldsShift;

/// LDGSTS. a, b, offset: where it reads; c, extra, target: register, uniform register and offset in shared memory.
void copy(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneAddresses from, to;
  addresses_of(warp, operation, true, from);
  const LaneValues& base = warp.read(false, operation.c.low);
  std::uint32_t common = operation.target;
  if ((operation.bits & kSharedUniform) != 0) common += warp.read(false, operation.extra.low)[0];
  for (unsigned i = 0; i < kLanes; ++i) to.lane[i] = base[i] + common;
  const unsigned bytes = bytes_of_size(operation.bits & kSizeMask);
  std::uint64_t kept[kLanes];
  for (unsigned i = 0; i < kLanes; ++i) {
    kept[i] = bytes;
    if ((operation.bits & kZeroFill) == 0) continue;
    // The lowest bits of the address say how many bytes are left out, which become 0.
    kept[i] = bytes - from.lane[i] % bytes;
    from.lane[i] -= from.lane[i] % bytes;
  }
  const LaneSet whole = warp.predicate(operation.inputs[0]) & lanes;
  observe(warp, operation, whole, from);
  if (Observer* observer = warp.group().launch().observer()) observer->copied(warp, operation, whole, to);
  for_each_lane(lanes, [&](unsigned i) {
    std::uint8_t* place = place_of<Space::Shared>(warp, i, to.lane[i], bytes);
    std::memset(place, 0, bytes);
    if ((whole >> i & 1) == 0) return;
    warp.group().note_read(warp, from.lane[i], bytes);
    std::memcpy(place, place_of<Space::Global>(warp, i, from.lane[i], bytes), kept[i]);
  });
}

bool is_copy(Translation& t) {
  Operation& operation = t.operation();
  const std::uint32_t size = t.bits(73, 3);
  if (size < 4 || size > 6) return false;
  t.address(1);
  const unsigned number = t.operand(0).value & 0xffU, uniform = t.operand(0).value >> 8U;
  operation.c = t.of_register(number);
  operation.target = static_cast<std::uint32_t>(memory_offset(t.instruction(), t.row().operands[0]));
  if (uniform != 255) operation.bits |= kSharedUniform;
  operation.extra.low = t.code().uniform_row(uniform == 255 ? kZeroUniformRegister : uniform);
  operation.inputs[0] = t.predicate(2);
  operation.is_partial_copy = t.operand(2).value != kTruePredicate || t.operand(2).is_negated();
  operation.bits |= size | (t.has(82) ? kZeroFill : 0);
  operation.results = 0;
  return t.is(copy);
}

/// Row and column of half `half` in the register of a lane; of the transposed matrix.
struct Element {
  unsigned row, column;
};
Element element_of(unsigned lane, unsigned half, bool transposed) {
  const Element plain{lane / 4, lane % 4 * 2 + half};
  return transposed ? Element{plain.column, plain.row} : plain;
}

/// LDSM and STSM. operation.bits behind kFieldsShift: 0 and 1 the number of matrices as a power of two, 2 transposed. Matrix m has its rows at
/// the addresses of lanes 8 m to 8 m + 7.
template <bool kStores>
void matrices(Warp& warp, const Operation& operation, LaneSet lanes) {
  LaneAddresses addresses;
  addresses_of(warp, operation, false, addresses);
  const unsigned count = 1U << (operation.bits >> kFieldsShift & 3);
  const bool transposed = (operation.bits >> (kFieldsShift + 2) & 1) != 0;
  // All lanes take part: the others as if they had the address of one whose row is used.
  LaneAddresses used;
  for (unsigned i = 0; i < kLanes; ++i) used.lane[i] = addresses.lane[i % (count * 8)];
  observe(warp, operation, lanes, used);
  for (unsigned matrix = 0; matrix < count; ++matrix) {
    std::uint8_t* row[8];
    for (unsigned i = 0; i < 8; ++i)
      row[i] = place_of<Space::Shared>(warp, matrix * 8 + i, addresses.lane[matrix * 8 + i], 16);
    const std::uint16_t base = kStores ? operation.c.low : operation.result;
    LaneValues& values = warp.row(static_cast<std::uint16_t>(base + matrix));
    for (unsigned i = 0; i < kLanes; ++i)
      for (unsigned half = 0; half < 2; ++half) {
        const Element element = element_of(i, half, transposed);
        std::uint8_t* place = row[element.row] + element.column * 2;
        auto* held = reinterpret_cast<std::uint8_t*>(&values[i]) + half * 2;
        if constexpr (kStores)
          std::memcpy(place, held, 2);
        else
          std::memcpy(held, place, 2);
      }
  }
}

bool is_matrices(Translation& t, bool stores) {
  Operation& operation = t.operation();
  const std::uint32_t power = t.bits(72, 2);
  if (power == 3 || t.bits(78, 2) > 1) return false;
  if (!stores) t.result(0, static_cast<std::uint8_t>(1U << power));
  if (!stores && operation.drops_result) return false;
  t.address(stores ? 0 : 1);
  if (stores) {
    operation.c = t.integer(1);
    operation.results = 0;
    if (t.operand(1).value == kZeroRegister) return false;
  }
  operation.bits |= (power | t.bits(78, 1) << 2) << kFieldsShift;
  return t.is(stores ? matrices<true> : matrices<false>);
}

/// MOVM: a matrix of 8 x 8 halves, transposed between lanes.
void transpose(Warp& warp, const Operation& operation, LaneSet lanes) {
  const LaneValues x = warp.read(operation.a.is_constant, operation.a.low);
  LaneValues out;
  for (unsigned i = 0; i < kLanes; ++i) {
    out[i] = 0;
    for (unsigned half = 0; half < 2; ++half) {
      const Element from = element_of(i, half, true);
      out[i] |= (x[from.row * 4 + from.column / 2] >> from.column % 2 * 16 & 0xffff) << half * 16;
    }
  }
  write(warp, operation, out, lanes);
}

}  // namespace

bool translate_copy(Translation& t) {
  const std::string_view name = t.name();
  if (name == "LDGSTS") return is_copy(t);
  if (name == "LDSM") return is_matrices(t, false);
  if (name == "STSM") return is_matrices(t, true);
  if (name != "MOVM") return false;
  t.result(0);
  t.operation().a = t.integer(1);
  return t.is(transpose);
}

}  // namespace warpscope::machine
