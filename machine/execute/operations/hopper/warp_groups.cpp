// Products of the matrices of four warps, sm_90a: as the PTX ISA says of wgmma. Of A and of the result each warp has 16 of the 64 rows, so that it
// computes them when it comes to the instruction; where it waits for them, it waits for the other warps (Flow::WarpGroupWait). Matrices in shared memory: PTX ISA, "Matrix Descriptor" and
// "Strides"; each row of the depth has 32 bytes, of B of a sparse product 64.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "machine/execute/address.h"
#include "machine/execute/operations/half.h"
#include "machine/execute/operations/small_real.h"
#include "machine/execute/operations/sparse_indices.h"
#include "machine/execute/operations/tensor_sum.h"
#include "machine/execute/translation.h"
#include "machine/isa/tensor_registers.h"

namespace warpscope::machine {
namespace {

constexpr unsigned kRows = 16, kMostColumns = 256, kDepthBytes = 32, kMostDepthBytes = 64, kPiece = 16;

/// Elements of A and B.
enum class Element : std::uint8_t { None, Half, Brain, Tf32, E4m3, E5m2, Signed, Unsigned, Bits };

/// operation.bits; behind them the elements of A (4 bits) and of B.
constexpr std::uint32_t kRegisters = 1, kNegatesA = 2, kNegatesB = 4, kTransposesA = 8, kTransposesB = 16,
                        kSaturates = 32, kHalfSums = 64, kSparse = 128;
constexpr unsigned kElementShift = 8, kSelectorShift = 16;

unsigned bytes_of(Element element) {
  if (element == Element::Tf32 || element == Element::Bits) return 4;
  return element == Element::Half || element == Element::Brain ? 2 : 1;
}

double value_of(Element element, const std::uint8_t* at) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, bytes_of(element));
  switch (element) {
    case Element::Half:
      return half_value(bits);
    case Element::Brain:
      return brain_value(bits);
    case Element::Tf32:  // the lower bits are not looked at
      return double{single_of(bits & 0xffffe000U)};
    case Element::E4m3:
      return small_value(bits, kE4m3);
    case Element::E5m2:
      return small_value(bits, kE5m2);
    case Element::Signed:
      return static_cast<std::int8_t>(bits);
    default:
      return bits;
  }
}

/// A matrix in shared memory.
struct Descriptor {
  std::uint32_t start = 0, leading = 0, stride = 0;  ///< in bytes
  unsigned width = 1;  ///< pieces of 16 bytes that are exchanged among each other
};

Descriptor descriptor_of(std::uint64_t word) {
  static constexpr unsigned kWidths[] = {1, 8, 4, 2};
  const auto field = [&](unsigned bit) { return static_cast<std::uint32_t>(word >> bit & 0x3fff) * kPiece; };
  if ((word >> 49 & 7) != 0 && word >> 62 != 0)
    throw ExecutionFault(
        "has a matrix whose pattern does not begin at a multiple of its size (base offset), which is not "
        "executed");
  return {field(0), field(16), field(32), kWidths[word >> 62]};
}

/// Where a piece of 16 bytes is, in the work-group's shared memory. `row`, `along`: a row, and the piece in it; if the matrix is transposed, a piece of
/// its columns, and which.
std::uint32_t place_of_piece(const Descriptor& matrix, bool is_transposed, unsigned row, unsigned along) {
  const unsigned width = matrix.width;
  std::uint32_t offset = 0;
  if (!is_transposed)
    offset =
        row % 8 * width * kPiece + row / 8 * matrix.stride + along * (width == 1 ? matrix.leading : kPiece);
  else if (width == 1)
    offset = row * matrix.stride + along % 8 * kPiece + along / 8 * matrix.leading;
  else
    offset = row % width * kPiece + row / width * matrix.leading + along % 8 * width * kPiece +
             along / 8 * matrix.stride;
  const std::uint32_t address = matrix.start + offset;
  return address ^ (address >> 3 & (width - 1) * kPiece);
}

/// Rows of A, columns of B, each with its elements along the depth.
using Bytes = std::array<std::array<std::uint8_t, kMostDepthBytes>, kMostColumns>;

void read_shared(Warp& warp, const Descriptor& matrix, bool is_transposed, unsigned first, unsigned count,
                 unsigned depth_bytes, Bytes& bytes) {
  if (!is_transposed && matrix.width != 1 && matrix.width * kPiece < depth_bytes)
    throw ExecutionFault("has a matrix whose rows are longer than its pattern, which is not executed");
  const auto piece = [&](unsigned row, unsigned along) {
    const std::uint32_t address = place_of_piece(matrix, is_transposed, row, along);
    return place_of<Space::Shared>(warp, 0, address | warp.group().rank() << kRankShift, kPiece);
  };
  if (!is_transposed) {
    for (unsigned row = 0; row < count; ++row)
      for (unsigned along = 0; along < depth_bytes / kPiece; ++along)
        std::memcpy(&bytes[row][along * kPiece], piece(first + row, along), kPiece);
    return;
  }
  for (unsigned eight = 0; eight < count / 8; ++eight)  // only of elements of 16 bits
    for (unsigned along = 0; along < depth_bytes / 2; ++along) {
      const std::uint8_t* from = piece(first / 8 + eight, along);
      for (unsigned row = 0; row < 8; ++row)
        std::memcpy(&bytes[eight * 8 + row][along * 2], from + row * 2, 2);
    }
}

const LaneValues& register_of(const Warp& warp, const Source& source, unsigned number) {
  return warp.read(false,
                   static_cast<std::uint16_t>(source.low == source.high ? source.low : source.low + number));
}

/// Four registers: first halves of the rows, then along the depth.
void read_registers(const Warp& warp, const Source& source, Bytes& bytes) {
  for (unsigned number = 0; number < 4; ++number)
    for (unsigned i = 0; i < kLanes; ++i)
      std::memcpy(&bytes[i / 4 + number % 2 * 8][number / 2 * kPiece + i % 4 * 4],
                  &register_of(warp, source, number)[i], 4);
}

/// Of element `number` of a lane's part of the result.
struct Place {
  unsigned row, column;
};
Place place_of_result(unsigned lane, unsigned number) {
  return {lane / 4 + number / 2 % 2 * 8, number / 4 * 8 + lane % 4 * 2 + number % 2};
}

/// Elements as they are multiplied: along the depth, then rows or columns.
struct Factors {
  double value[kMostDepthBytes][kMostColumns];
};

void read_factors(const Bytes& bytes, Element element, bool is_negated, unsigned count, unsigned depth_bytes,
                  Factors& factors) {
  const unsigned size = bytes_of(element);
  for (unsigned along = 0; along < depth_bytes / size; ++along)
    for (unsigned row = 0; row < count; ++row) {
      const double value = value_of(element, &bytes[row][along * size]);
      factors.value[along][row] = is_negated ? -value : value;
    }
}

struct Matrices {
  Bytes a, b;
};

unsigned depth_bytes_of_b(const Operation& operation) {
  return (operation.bits & kSparse) != 0 ? kMostDepthBytes : kDepthBytes;
}

void read_matrices(Warp& warp, const Operation& operation, Matrices& matrices) {
  if (warp.active() != kAllLanes) throw ExecutionFault("is executed by some lanes of a warp only");
  if ((warp.number() | 3U) >= warp.group().warps().size())
    throw ExecutionFault("needs four warps, which are not there");
  const auto word = [&](unsigned number) {
    return warp.read(false, static_cast<std::uint16_t>(operation.b.low + number))[0];
  };
  const bool in_registers = (operation.bits & kRegisters) != 0;
  if (in_registers)
    read_registers(warp, operation.a, matrices.a);
  else
    read_shared(warp, descriptor_of(pair_of(word(0), word(1))), (operation.bits & kTransposesA) != 0,
                warp.number() % 4 * kRows, kRows, kDepthBytes, matrices.a);
  read_shared(warp, descriptor_of(pair_of(word(2), word(3))), (operation.bits & kTransposesB) != 0, 0,
              operation.target, depth_bytes_of_b(operation), matrices.b);
}

/// What was there before, unless it is not wanted, and the products.
struct Sums {
  double value[kRows][kMostColumns];
};

void read_sums(const Warp& warp, const Operation& operation, Sums& sums) {
  const bool has_half_sums = (operation.bits & kHalfSums) != 0,
             is_integer =
                 (operation.bits >> kElementShift & 15) >= static_cast<std::uint32_t>(Element::Signed);
  const bool adds = (warp.predicate(operation.inputs[0]) & 1) != 0;
  for (unsigned i = 0; i < kLanes; ++i)
    for (unsigned number = 0; number < operation.target / 2; ++number) {
      const auto [row, column] = place_of_result(i, number);
      const std::uint32_t word =
          adds ? register_of(warp, operation.c, has_half_sums ? number / 2 : number)[i] : 0;
      sums.value[row][column] = is_integer      ? static_cast<double>(static_cast<std::int32_t>(word))
                                : has_half_sums ? half_value(word >> number % 2 * 16 & 0xffff)
                                                : double{single_of(word)};
    }
}

std::uint32_t integer_word(double sum, bool saturates) {
  if (saturates) sum = std::clamp(sum, double{INT32_MIN}, double{INT32_MAX});
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(sum));
}

void write_sums(Warp& warp, const Operation& operation, const Sums& sums) {
  const bool has_half_sums = (operation.bits & kHalfSums) != 0,
             is_integer =
                 (operation.bits >> kElementShift & 15) >= static_cast<std::uint32_t>(Element::Signed);
  for (unsigned i = 0; i < kLanes; ++i)
    for (unsigned number = 0; number < operation.target / 2; ++number) {
      const auto [row, column] = place_of_result(i, number);
      const double sum = sums.value[row][column];
      std::uint32_t& word =
          warp.row(static_cast<std::uint16_t>(operation.result + (has_half_sums ? number / 2 : number)))[i];
      if (has_half_sums)
        word = number % 2 == 0 ? half_bits(sum) : word | half_bits(sum) << 16;
      else
        word = is_integer ? integer_word(sum, (operation.bits & kSaturates) != 0)
                          : canonical(static_cast<float>(sum));
    }
}

/// The exponent of the smallest normal number.
int least_of(Element element) {
  switch (element) {
    case Element::Half:
      return kLeastOfHalf;
    case Element::E4m3:
      return kLeastOfE4m3;
    case Element::E5m2:
      return kLeastOfE5m2;
    default:
      return kLeastOfSingle;
  }
}

/// Where the element of B is that is multiplied with element `along` of a row of A.
unsigned place_in_b(const Warp& warp, const Operation& operation, Element of_a, unsigned row,
                    unsigned along) {
  if ((operation.bits & kSparse) == 0) return along;
  const SparseIndices indices{of_a == Element::Tf32, bytes_of(of_a) == 1, kDepthBytes / bytes_of(of_a),
                              operation.bits >> kSelectorShift};
  return indices.place_of(register_of(warp, operation.extra, 0), row, along);
}

/// Real numbers. Of a sparse A only what is stored is added.
void sum_reals(const Warp& warp, const Operation& operation, const Factors& a, const Factors& b, Sums& sums) {
  const auto of_a = static_cast<Element>(operation.bits >> kElementShift & 15),
             of_b = static_cast<Element>(operation.bits >> (kElementShift + 4) & 15);
  const bool is_half = (operation.bits & kHalfSums) != 0;
  const TensorRounding rounding = TensorRounding::of_warp_group(bytes_of(of_a) == 1);
  std::array<unsigned, kDepthBytes> places;
  for (unsigned row = 0; row < kRows; ++row) {
    for (unsigned along = 0; along < kDepthBytes / bytes_of(of_a); ++along)
      places[along] = place_in_b(warp, operation, of_a, row, along);
    for (unsigned column = 0; column < operation.target; ++column) {
      TensorSum sum(tensor_factor(sums.value[row][column], is_half ? kLeastOfHalf : kLeastOfSingle));
      for (unsigned along = 0; along < kDepthBytes / bytes_of(of_a); ++along)
        sum.add(tensor_factor(a.value[along][row], least_of(of_a)),
                tensor_factor(b.value[places[along]][column], least_of(of_b)));
      const double cut = sum.cut(rounding.bits);
      sums.value[row][column] = is_half ? cut : rounded_to(cut, rounding.single_bits, kLeastOfSingle, 3);
    }
  }
}

void multiply(Warp& warp, const Operation& operation, LaneSet) {
  Matrices matrices;
  read_matrices(warp, operation, matrices);
  Factors a, b;
  const auto of_a = static_cast<Element>(operation.bits >> kElementShift & 15),
             of_b = static_cast<Element>(operation.bits >> (kElementShift + 4) & 15);
  read_factors(matrices.a, of_a, (operation.bits & kNegatesA) != 0, kRows, kDepthBytes, a);
  read_factors(matrices.b, of_b, (operation.bits & kNegatesB) != 0, operation.target,
               depth_bytes_of_b(operation), b);
  Sums sums;
  read_sums(warp, operation, sums);
  const unsigned depth = kDepthBytes / bytes_of(of_a);
  if (of_a < Element::Signed) {
    sum_reals(warp, operation, a, b, sums);
    return write_sums(warp, operation, sums);
  }
  for (unsigned row = 0; row < kRows; ++row)
    for (unsigned along = 0; along < depth; ++along) {
      const double factor = a.value[along][row];
      const unsigned place = place_in_b(warp, operation, of_a, row, along);
      for (unsigned column = 0; column < operation.target; ++column)
        sums.value[row][column] += factor * b.value[place][column];
    }
  write_sums(warp, operation, sums);
}

/// BGMMA: bits that both have.
void count_bits(Warp& warp, const Operation& operation, LaneSet) {
  Matrices matrices;
  read_matrices(warp, operation, matrices);
  Sums sums;
  read_sums(warp, operation, sums);
  for (unsigned row = 0; row < kRows; ++row)
    for (unsigned column = 0; column < operation.target; ++column)
      for (unsigned byte = 0; byte < kDepthBytes; ++byte)
        sums.value[row][column] +=
            std::popcount(static_cast<unsigned>(matrices.a[row][byte] & matrices.b[column][byte]));
  write_sums(warp, operation, sums);
}

/// wgmma.commit_group on its own: a product without a result.
void close_group(Warp&, const Operation&, LaneSet) {}

void obtain_registers(Warp& warp, const Operation& operation, LaneSet) {
  warp.write_predicate(operation.outputs[0], kAllLanes, kAllLanes);
}

std::uint32_t elements(Element a, Element b) {
  return (static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b) << 4) << kElementShift;
}

/// What the elements are; 0: not executed.
std::uint32_t elements_of(Translation& t) {
  const std::string_view name = t.name();
  if (name == "HGMMA") {
    const std::uint32_t type = t.bits(76, 2);
    const auto element = static_cast<Element>(type + 1);
    return type == 3 ? 0 : elements(element, element) | (t.has(75) ? 0 : kHalfSums);
  }
  const auto byte = [&](unsigned bit, Element zero, Element one) { return t.has(bit) ? one : zero; };
  if (name == "QGMMA")
    return elements(byte(76, Element::E4m3, Element::E5m2), byte(77, Element::E4m3, Element::E5m2)) |
           (t.has(75) ? 0 : kHalfSums);
  if (name == "IGMMA")
    return elements(byte(76, Element::Unsigned, Element::Signed),
                    byte(82, Element::Unsigned, Element::Signed)) |
           (t.has(75) ? kSaturates : 0);
  return elements(Element::Bits, Element::Bits);
}

bool is_product(Translation& t) {
  Operation& operation = t.operation();
  const bool in_registers = (t.row().opcode & 0x400U) != 0,
             is_real = t.name() == "HGMMA" || t.name() == "QGMMA";
  const bool is_sparse = t.name() != "BGMMA" && t.has(73);
  const std::size_t descriptor = in_registers ? 2 : 1;
  operation.target = group_columns(t.row(), t.instruction());
  operation.bits = elements_of(t);
  if (operation.bits == 0 || operation.target > kMostColumns) return false;
  const bool has_half_sums = (operation.bits & kHalfSums) != 0;
  t.result(0, static_cast<std::uint8_t>(operation.target / (has_half_sums ? 4 : 2)));
  if (in_registers) operation.a = t.words(1, 2);
  operation.b = t.integer(descriptor);
  operation.c = t.words(descriptor + 1, 2);
  operation.inputs[0] = t.predicate(descriptor + 2);
  if (is_sparse) {
    operation.extra = t.words(descriptor + 3, 1);
    operation.bits |= kSparse | t.bits(48, 2) << kSelectorShift;
  }
  if (operation.drops_result) return t.is(close_group);
  if (t.operand(descriptor).value == kZeroUniformRegister) return false;
  if (in_registers) operation.bits |= kRegisters;
  if (is_real)
    operation.bits |= (t.has(72) ? kNegatesA : 0) | (t.has(63) ? kNegatesB : 0) |
                      (t.has(61) && !in_registers ? kTransposesA : 0) | (t.has(62) ? kTransposesB : 0);
  return t.is(t.name() == "BGMMA" ? count_bits : multiply);
}

}  // namespace

bool translate_warp_group(Translation& t) {
  if (t.name() == "USETMAXREG") {
    t.writes_predicate(0, 0);
    t.operation().results = 0;
    return t.is(obtain_registers);
  }
  return t.name().ends_with("GMMA") && is_product(t);
}

}  // namespace warpscope::machine
