// Products with a sparse first matrix: what sums over the whole matrix give, most of whose elements are 0. Its fragments are made from chunks of columns, as the
// PTX ISA describes them.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "tests/unit/machine/cubin_program.h"

namespace warpscope::machine {
namespace {

struct Sparse {
  const char* kernel;
  unsigned depth;  ///< elements
  unsigned bits;   ///< of an element
  bool a_has_sign, b_has_sign;
  unsigned selector;
  char format;  ///< h half, b bfloat16, t TF32, i integer, s half with sums of halves
};

/// Small whole numbers, exact in all formats.
std::uint32_t encoded(const Sparse& shape, int value) {
  if (shape.format == 'i') return static_cast<std::uint32_t>(value) & ((1U << shape.bits) - 1);
  const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (shape.format == 't') return single;
  if (shape.format == 'b') return single >> 16;
  if (value == 0) return 0;
  return (single >> 31) << 15 | ((single >> 23 & 255) - 127 + 15) << 10 | (single >> 13 & 0x3ff);
}

class Product {
 public:
  explicit Product(const Sparse& shape)
      : shape_(shape), a_(16 * shape.depth), b_(8 * shape.depth), in_(32 * 9) {
    const unsigned chunk = chunk_size(), unit = shape.bits == 4 ? 2 : 1, kept = shape.format == 't' ? 1 : 2;
    kept_.resize(16 * shape.depth / chunk);
    for (std::size_t number = 0; number < kept_.size(); ++number) {
      std::vector<unsigned> units;
      for (unsigned one = 0; one < chunk / unit; ++one) units.push_back(one);
      std::shuffle(units.begin(), units.end(), random_);
      units.resize(kept);
      std::sort(units.begin(), units.end());
      for (const unsigned one : units)
        for (unsigned part = 0; part < unit; ++part)
          a_[number * chunk + one * unit + part] = drawn(shape.a_has_sign);
      kept_[number] = units;
    }
    for (int& one : b_) one = drawn(shape.b_has_sign);
    place();
  }

  [[nodiscard]] int sum(unsigned row, unsigned column) const {
    int sum = 0;
    for (unsigned k = 0; k < shape_.depth; ++k)
      sum += a_[row * shape_.depth + k] * b_[column * shape_.depth + k];
    return sum;
  }
  std::vector<std::uint32_t>& in() { return in_; }

 private:
  [[nodiscard]] unsigned chunk_size() const { return shape_.format == 't' ? 2 : shape_.bits == 4 ? 8 : 4; }
  int drawn(bool has_sign) { return static_cast<int>(random_() % 7) - (has_sign ? 3 : 0); }

  /// A register of A holds what is kept of twice as many columns as it has elements; B is as of other products.
  void place() {
    const unsigned in_word = 32 / shape_.bits, words = shape_.depth / 4 / in_word;
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned word = 0; word < words; ++word) {
        const unsigned row = lane / 4 + word % 2 * 8, first = (lane % 4 + word / 2 * 4) * 2 * in_word;
        std::uint32_t bits = 0, filled = 0;
        for (unsigned k = first; k < first + 2 * in_word; ++k)
          if (is_kept(row, k)) bits |= encoded(shape_, a_[row * shape_.depth + k]) << shape_.bits * filled++;
        in_[lane * 9 + word] = bits;
        bits = 0;
        for (unsigned part = 0; part < in_word; ++part)
          bits |= encoded(shape_, b_[lane / 4 * shape_.depth + (word * 4 + lane % 4) * in_word + part])
                  << shape_.bits * part;
        in_[lane * 9 + 4 + word] = bits;
      }
    for (unsigned lane = 0; lane < 32; ++lane) in_[lane * 9 + 8] = indices(lane);
  }
  [[nodiscard]] bool is_kept(unsigned row, unsigned k) const {
    const unsigned chunk = chunk_size(), place = k % chunk / (shape_.bits == 4 ? 2 : 1);
    const std::vector<unsigned>& kept = kept_[(row * shape_.depth + k) / chunk];
    return std::find(kept.begin(), kept.end(), place) != kept.end();
  }
  /// Four bits of a chunk.
  [[nodiscard]] std::uint32_t chunk_bits(unsigned row, unsigned chunk) const {
    const std::vector<unsigned>& kept = kept_[row * shape_.depth / chunk_size() + chunk];
    if (shape_.format == 't') return kept[0] != 0 ? 0xe : 0x4;
    return kept[0] | kept[1] << 2;
  }
  /// Lanes that have none get numbers that would be wrong.
  [[nodiscard]] std::uint32_t indices(unsigned lane) const {
    const unsigned chunks = shape_.depth / chunk_size(), row = lane / 4, part = lane % 4;
    std::uint32_t word = 0;
    if (shape_.format != 'i') {  // two rows in a word
      const unsigned first = chunks == 4 ? shape_.selector : 2 * shape_.selector;
      if (part < first || part >= first + chunks / 4) return 0xeeeeeeee;
      for (unsigned chunk = 0; chunk < 4; ++chunk)
        word |= chunk_bits(row, (part - first) * 4 + chunk) << 4 * chunk |
                chunk_bits(row + 8, (part - first) * 4 + chunk) << (16 + 4 * chunk);
      return word;
    }
    const unsigned first = 2 * shape_.selector;
    if (chunks == 8 && part / 2 != shape_.selector) return 0xeeeeeeee;
    for (unsigned chunk = 0; chunk < 8; ++chunk)
      word |= chunk_bits(row + (part - first) % 2 * 8, (part - first) / 2 * 8 + chunk) << 4 * chunk;
    return word;
  }

  Sparse shape_;
  std::mt19937 random_{11};
  std::vector<int> a_, b_;
  std::vector<std::vector<unsigned>> kept_;  ///< by row, then by chunk
  std::vector<std::uint32_t> in_;
};

class SparseProducts : public testing::TestWithParam<std::uint32_t> {};

TEST_P(SparseProducts, AreThoseOfTheWholeMatrix) {
  const Sparse shapes[] = {
      {"half16", 16, 16, true, true, 2, 'h'},   {"half32", 32, 16, true, true, 1, 'h'},
      {"brain32", 32, 16, true, true, 0, 'b'},  {"sums32", 32, 16, true, true, 1, 's'},
      {"tf8", 8, 32, true, true, 3, 't'},       {"tf16", 16, 32, true, true, 1, 't'},
      {"byte32", 32, 8, true, false, 1, 'i'},   {"byte64", 64, 8, false, true, 0, 'i'},
      {"nibble64", 64, 4, true, false, 1, 'i'}, {"nibble128", 128, 4, true, true, 0, 'i'}};
  for (const Sparse& shape : shapes) {
    Product product(shape);
    std::vector<std::uint32_t> out(128);
    const bool is_single = shape.format == 'h' || shape.format == 'b' || shape.format == 't';
    for (unsigned i = 0; i < 128; ++i)
      out[i] = is_single ? std::bit_cast<std::uint32_t>(static_cast<float>(i)) : shape.format == 'i' ? i : 0;
    CubinProgram program("executed/sparse_sm" + std::to_string(GetParam()) + ".cubin", shape.kernel);
    program.buffer(product.in()).buffer(out).run({1, 1, 1}, {32, 1, 1});
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned place = 0; place < 4; ++place) {
        const int sum = product.sum(lane / 4 + place / 2 * 8, lane % 4 * 2 + place % 2);
        const auto before = static_cast<int>(lane * 4 + place);
        if (shape.format == 's')
          ASSERT_EQ(out[lane * 4 + place / 2] >> place % 2 * 16 & 0xffff, encoded(shape, sum))
              << shape.kernel;
        else if (is_single)
          ASSERT_EQ(std::bit_cast<float>(out[lane * 4 + place]), static_cast<float>(sum + before))
              << shape.kernel;
        else
          ASSERT_EQ(static_cast<int>(out[lane * 4 + place]), sum + before) << shape.kernel;
      }
  }
}

/// half32, whose rows and columns are all the same, and of four elements store the first two. `products`: by the number of what is stored, with 1 or,
/// from 4096 on, with 4096; all others are 0. Returns the sum, which all lanes have.
float sum_of_stored(std::uint32_t architecture, const std::map<unsigned, float>& products) {
  std::vector<std::uint32_t> in(32 * 9), out(128);
  const auto half = [](float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return value == 0 ? 0 : bits >> 31 << 15 | ((bits >> 23 & 255) - 127 + 15) << 10 | (bits >> 13 & 0x3ff);
  };
  const auto factor = [&](float product) { return std::abs(product) >= 4096 ? 4096.0F : 1.0F; };
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (const auto& [stored, product] : products) {
      in[lane * 9 + stored / 8 * 2] |=
          lane % 4 == stored / 2 % 4 ? half(product / factor(product)) << stored % 2 * 16 : 0;
      in[lane * 9 + stored / 8 * 2 + 1] = in[lane * 9 + stored / 8 * 2];
      const unsigned place = stored / 2 * 4 + stored % 2;
      if (lane % 4 == place / 2 % 4) in[lane * 9 + 4 + place / 8] |= half(factor(product)) << place % 2 * 16;
    }
    in[lane * 9 + 8] = 0x44444444;
  }
  CubinProgram program("executed/sparse_sm" + std::to_string(architecture) + ".cubin", "half32");
  program.buffer(in).buffer(out).run({1, 1, 1}, {32, 1, 1});
  for (const std::uint32_t one : out) EXPECT_EQ(one, out[0]);
  return std::bit_cast<float>(out[0]);
}

TEST_P(SparseProducts, WhatIsStoredIsAddedAsInDenseOnes) {
  constexpr float kLarge = 0x1p24F;
  const bool is_hopper = GetParam() == 90;
  // Of sm_80 the first eight that are stored are a sum of their own, of which 24 bits are kept; of sm_90 all of them, with 25.
  EXPECT_EQ(sum_of_stored(GetParam(), {{0, kLarge}, {1, 0.5F}, {8, -kLarge}}), is_hopper ? 0.5F : 0.0F);
  EXPECT_EQ(sum_of_stored(GetParam(), {{0, kLarge}, {7, -kLarge}, {8, 0.25F}}), is_hopper ? 0.0F : 0.25F);
  EXPECT_EQ(sum_of_stored(GetParam(), {{0, kLarge}, {7, -kLarge}, {1, 0.25F}}), 0.0F);
  EXPECT_EQ(sum_of_stored(GetParam(), {{0, kLarge}, {9, 3.0F}}), kLarge + 2) << "2^24 + 3 is cut off";
}

INSTANTIATE_TEST_SUITE_P(Architectures, SparseProducts, testing::Values(80, 90));

}  // namespace
}  // namespace warpscope::machine
