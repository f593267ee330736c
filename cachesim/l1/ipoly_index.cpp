// Rau, Pseudo-Randomly Interleaved Memory, ISCA 1991, DOI 10.1145/115952.115961: the bits of the line number
// are the coefficients of a polynomial A(x); its remainder by an irreducible P(x) of degree log2(sets) is the
// set. Every aligned block of `sets` lines meets every set once, and so does every stride of a power of two.
#include "cachesim/l1/ipoly_index.h"

#include <algorithm>
#include <array>
#include <bit>

namespace warpscope {
namespace {

constexpr int kDegrees = std::countr_zero(kIpolyMostSets);

/// By degree. 19 (x^4 + x + 1), 37 and 67 are those of GPGPU-Sim (src/gpgpu-sim/hashing.cc, after Khairy et
/// al., SACAT, IEEE TPDS 28(12), 2017; its comment calls the first "IPOLY(5)", but its equations are the
/// powers of x modulo 19), whose equations stop at a few higher bits where these go on. The others are the
/// primitive polynomials of fewest terms in the tables of Peterson and Weldon, Error-Correcting Codes, 1972.
constexpr std::array<std::uint32_t, kDegrees + 1> kPolynomials = {1,   3,   7,   11,   19,   37,  67,
                                                                  131, 285, 529, 1033, 2053, 4179};

/// remainder[byte][v]: of v shifted by that many bytes.
struct Remainders {
  std::array<std::array<std::uint32_t, 256>, 8> remainder{};
};

Remainders remainders_of(int degree) {
  Remainders table;
  std::array<std::uint32_t, 64> power{};  // x^bit
  for (std::size_t bit = 0; bit < power.size(); ++bit) {
    const std::uint32_t shifted = bit == 0 ? 1 : power[bit - 1] << 1;
    power[bit] =
        (shifted >> degree) != 0 ? shifted ^ kPolynomials[static_cast<std::size_t>(degree)] : shifted;
  }
  for (std::size_t byte = 0; byte < table.remainder.size(); ++byte)
    for (std::size_t value = 0; value < 256; ++value)
      for (std::size_t bit = 0; bit < 8; ++bit)
        if ((value >> bit & 1) != 0) table.remainder[byte][value] ^= power[8 * byte + bit];
  return table;
}

const Remainders& remainders(int degree) {
  static const auto all_tables = [] {
    std::array<Remainders, kDegrees + 1> tables;
    for (int each = 1; each <= kDegrees; ++each) tables[static_cast<std::size_t>(each)] = remainders_of(each);
    return tables;
  }();
  return all_tables[static_cast<std::size_t>(degree)];
}

}  // namespace

std::uint32_t ipoly_polynomial(std::uint32_t sets) {
  return kPolynomials[static_cast<std::size_t>(std::countr_zero(sets))];
}

void ipoly_index(std::span<const LineAddr> lines, std::uint32_t sets, std::uint32_t* out) {
  std::fill_n(out, lines.size(), 0u);
  const int degree = std::countr_zero(sets);
  if (degree == 0) return;
  std::uint64_t bits_used = 0;
  for (const LineAddr line : lines) bits_used |= line.value();
  const Remainders& table = remainders(degree);
  for (std::size_t byte = 0; byte < table.remainder.size() && bits_used >> (8 * byte) != 0; ++byte)
    for (std::size_t i = 0; i < lines.size(); ++i)
      out[i] ^= table.remainder[byte][(lines[i].value() >> (8 * byte)) & 0xFF];
}

}  // namespace warpscope
