// Products of four warps (wgmma), executed: what sums over plain arrays give. Where elements are in shared memory is written here as bulk copies of
// tensors place them (PTX ISA, "Swizzling modes"): pieces of 16 bytes are exchanged within a row of 32, 64 or 128 bytes.
#include <gmock/gmock.h>

#include <bit>

#include "machine/execute/base/fault.h"
#include "tests/unit/machine/cubin_program.h"

namespace warpscope::machine {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// A matrix of rows (of A; columns of B) and their elements along the depth, as whole numbers.
struct Matrix {
  std::size_t rows, depth;
  std::vector<int> values;
  [[nodiscard]] int at(std::size_t row, std::size_t along) const { return values[row * depth + along]; }
};

Matrix random_matrix(std::size_t rows, std::size_t depth, std::uint32_t seed, int least, int most) {
  Matrix matrix{rows, depth, {}};
  for (std::size_t i = 0; i < rows * depth; ++i) {
    seed = seed * 1664525 + 1013904223;
    matrix.values.push_back(least +
                            static_cast<int>((seed >> 8) % static_cast<std::uint32_t>(most - least + 1)));
  }
  return matrix;
}

/// The upper bits of a single, with another bias of the exponent.
std::uint32_t shortened(int value, unsigned fraction_bits, unsigned exponent_bits) {
  if (value == 0) return 0;
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const std::uint32_t exponent = (bits >> 23 & 255) - 127 + (1U << (exponent_bits - 1)) - 1;
  return bits >> 31 << (fraction_bits + exponent_bits) | exponent << fraction_bits |
         (bits >> (23 - fraction_bits) & ((1U << fraction_bits) - 1));
}

using Encode = std::uint32_t (*)(int);
std::uint32_t half(int value) {
  return shortened(value, 10, 5);
}
std::uint32_t brain(int value) {
  return shortened(value, 7, 8);
}
/// With lower bits that are not looked at.
std::uint32_t tf32(int value) {
  return shortened(value, 10, 8) << 13 | 0x1555;
}
std::uint32_t e4m3(int value) {
  return shortened(value, 3, 4);
}
std::uint32_t e5m2(int value) {
  return shortened(value, 2, 5);
}
std::uint32_t plain(int value) {
  return static_cast<std::uint32_t>(value);
}

/// Where a matrix is: rows of `width` pieces of 16 bytes; 1: pieces are not exchanged.
struct Layout {
  unsigned width = 1;
  bool transposed = false;
  bool swapped = false;  ///< the other of the two directions first
};

/// A matrix in the image of shared memory.
struct Placed {
  std::uint64_t descriptor = 0;
  std::uint32_t step = 0;  ///< 32 bytes along the depth, in units of the descriptor
};

class Image {
 public:
  Placed place(const Matrix& matrix, Encode encode, unsigned bytes, Layout layout) {
    const std::size_t start = bytes_.size();
    const std::size_t across = layout.transposed ? 8 * layout.width : 8,
                      along = (layout.transposed ? 8 * bytes : layout.width * 16);
    const std::size_t tiles = (matrix.rows + across - 1) / across,
                      deep = (matrix.depth * bytes + along - 1) / along;
    const std::size_t tile = layout.width * 128;
    const std::size_t to_next = layout.swapped ? deep * tile : tile,
                      deeper = layout.swapped ? tile : tiles * tile;
    bytes_.resize(start + (tiles * deep * tile + 1023) / 1024 * 1024);
    for (std::size_t row = 0; row < matrix.rows; ++row)
      for (std::size_t k = 0; k < matrix.depth; ++k) {
        const std::size_t in_depth = k * bytes;
        const std::size_t line = layout.transposed ? k % 8 : row % 8;
        const std::size_t byte = layout.transposed ? row % across * bytes : in_depth % along;
        const std::size_t piece = byte / 16 ^ (line * layout.width / 8) % layout.width;
        const std::size_t at = row / across * to_next + in_depth / along * deeper + line * layout.width * 16 +
                               piece * 16 + byte % 16;
        const std::uint32_t value = encode(matrix.at(row, k));
        std::memcpy(&bytes_[start + at], &value, bytes);
      }
    return placed(start, layout, to_next, deeper, bytes);
  }
  [[nodiscard]] std::vector<std::uint8_t>& bytes() { return bytes_; }
  /// Registers of A: of each thread of each step 16 bytes (PTX ISA, "Register Fragments").
  void place_registers(const Matrix& matrix) {
    for (std::size_t step = 0; step < matrix.depth / 16; ++step)
      for (std::size_t t = 0; t < 128; ++t)
        for (std::size_t i = 0; i < 8; ++i) {
          const std::size_t row = t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8,
                            along = t % 4 * 2 + i % 2 + i / 4 * 8;
          const std::uint32_t value = half(matrix.at(row, step * 16 + along));
          bytes_.push_back(static_cast<std::uint8_t>(value));
          bytes_.push_back(static_cast<std::uint8_t>(value >> 8));
        }
  }

 private:
  static Placed placed(std::size_t start, Layout layout, std::size_t to_next, std::size_t deeper,
                       unsigned bytes) {
    static constexpr std::uint64_t kModes[] = {0, 0, 3, 0, 2, 0, 0, 0, 1};
    const bool is_plain = layout.width == 1;
    // The leading offset is the one along the depth without, along the rows with exchanged pieces; of rows along the depth it is not used with them.
    std::size_t leading = deeper, stride = to_next;
    if (layout.transposed && !is_plain) std::swap(leading, stride);
    if (!layout.transposed && !is_plain) leading = 16;
    Placed found;
    found.descriptor = start / 16 | leading / 16 << 16 | stride / 16 << 32 | kModes[layout.width] << 62;
    const std::size_t step = layout.transposed   ? 32 / bytes / 8 * deeper
                             : is_plain          ? 2 * deeper
                             : layout.width == 2 ? deeper
                                                 : 32;
    found.step = static_cast<std::uint32_t>(step / 16);
    return found;
  }

  std::vector<std::uint8_t> bytes_;
};

/// What 128 threads write: `columns` / 2 numbers each.
template <class T>
std::vector<T> run(const std::string& kernel, Image& image, Placed a, Placed b, std::size_t steps,
                   std::size_t columns, bool keeps = false, std::uint64_t threads = 128) {
  std::vector<T> out(threads * columns / 2);
  image.bytes().resize((image.bytes().size() + 15) / 16 * 16);
  CubinProgram("executed/warp_groups_sm90a.cubin", kernel)
      .buffer(image.bytes())
      .number(static_cast<std::uint32_t>(image.bytes().size() / 16))
      .number(a.descriptor)
      .number(b.descriptor)
      .number(a.step)
      .number(b.step)
      .number(static_cast<std::uint32_t>(steps))
      .number(std::uint32_t{keeps})
      .buffer(out)
      .run({1, 1, 1}, {threads, 1, 1}, image.bytes().size());
  return out;
}

/// PTX ISA, "Accumulator D": of each thread its numbers.
template <class T>
std::vector<T> expected(const Matrix& a, const Matrix& b, int factor, bool keeps = false) {
  std::vector<T> numbers;
  for (std::size_t t = 0; t < 128; ++t)
    for (std::size_t i = 0; i < b.rows / 2; ++i) {
      const std::size_t row = t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8,
                        column = i / 4 * 8 + t % 4 * 2 + i % 2;
      int sum = keeps ? static_cast<int>(i + t) : 0;
      for (std::size_t k = 0; k < a.depth; ++k) sum += factor * a.at(row, k) * b.at(column, k);
      numbers.push_back(static_cast<T>(sum));
    }
  return numbers;
}

/// Steps of 32 bytes that one row of pieces has; 2 without any, or of pairs.
std::size_t steps_of(Layout layout) {
  return layout.transposed || layout.width < 8 ? 2 : 4;
}

TEST(WarpGroup, HalvesAlongTheDepth) {
  for (const unsigned width : {1U, 2U, 4U, 8U})
    for (const bool swapped : {false, true})
      for (const bool keeps : {false, true}) {
        // Rows of exchanged pieces follow each other at 8 times their size.
        const Layout layout{width, false, swapped && width == 1};
        const std::size_t steps = steps_of(layout);
        const Matrix a = random_matrix(64, steps * 16, 1, -8, 8), b = random_matrix(64, steps * 16, 2, -8, 8);
        Image image;
        const Placed of_a = image.place(a, half, 2, layout), of_b = image.place(b, half, 2, layout);
        EXPECT_EQ(run<float>("f16", image, of_a, of_b, steps, 64, keeps), expected<float>(a, b, 1, keeps))
            << width << swapped;
      }
}

TEST(WarpGroup, TransposedAndNegated) {
  for (const unsigned width_a : {1U, 2U, 4U, 8U})
    for (const unsigned width_b : {1U, 2U, 4U, 8U})
      for (const bool swapped : {false, true}) {
        const Layout layout_a{width_a, true, swapped}, layout_b{width_b, true, !swapped};
        const Matrix a = random_matrix(64, 32, 3, -8, 8), b = random_matrix(24, 32, 4, -8, 8);
        Image image;
        const Placed of_a = image.place(a, brain, 2, layout_a), of_b = image.place(b, brain, 2, layout_b);
        EXPECT_EQ(run<float>("bf16_transposed", image, of_a, of_b, 2, 24), expected<float>(a, b, -1))
            << width_a << width_b << swapped;
      }
}

TEST(WarpGroup, SumsOfHalves) {
  const Matrix a = random_matrix(64, 32, 5, -4, 4), b = random_matrix(32, 32, 6, -4, 4);
  Image image;
  const Placed of_a = image.place(a, half, 2, {4, false, false}),
               of_b = image.place(b, half, 2, {8, true, false});
  const auto numbers = expected<int>(a, b, -1);
  std::vector<std::uint32_t> words;
  for (std::size_t i = 0; i < numbers.size(); i += 2)
    words.push_back(half(numbers[i]) | half(numbers[i + 1]) << 16);
  EXPECT_EQ(run<std::uint32_t>("f16_sums", image, of_a, of_b, 2, 16), words);
}

TEST(WarpGroup, OtherElements) {
  const Layout layout{8, false, false};
  const auto placed = [&](const Matrix& a, const Matrix& b, Encode encode_a, Encode encode_b,
                          unsigned bytes) {
    Image image;
    const Placed of_a = image.place(a, encode_a, bytes, layout),
                 of_b = image.place(b, encode_b, bytes, layout);
    return std::make_tuple(image, of_a, of_b);
  };
  {
    const Matrix a = random_matrix(64, 32, 7, -900, 900), b = random_matrix(8, 32, 8, -90, 90);
    auto [image, of_a, of_b] = placed(a, b, tf32, tf32, 4);
    EXPECT_EQ(run<float>("tf32", image, of_a, of_b, 4, 8), expected<float>(a, b, 1));
  }
  {
    const Matrix a = random_matrix(64, 128, 9, -128, 127), b = random_matrix(48, 128, 10, 0, 255);
    auto [image, of_a, of_b] = placed(a, b, plain, plain, 1);
    EXPECT_EQ(run<int>("bytes", image, of_a, of_b, 4, 48, true), expected<int>(a, b, 1, true));
  }
  {
    const Matrix a = random_matrix(64, 128, 11, -8, 8), b = random_matrix(16, 128, 12, -4, 4);
    auto [image, of_a, of_b] = placed(a, b, e4m3, e5m2, 1);
    EXPECT_EQ(run<float>("fp8", image, of_a, of_b, 4, 16), expected<float>(a, b, 1));
  }
}

TEST(WarpGroup, BitsThatBothHave) {
  const Matrix a = random_matrix(64, 128, 13, 0, 255), b = random_matrix(8, 128, 14, 0, 255);
  Image image;
  const Placed of_a = image.place(a, plain, 1, {8, false, false}),
               of_b = image.place(b, plain, 1, {8, false, false});
  std::vector<int> counts;
  for (std::size_t t = 0; t < 128; ++t)
    for (std::size_t i = 0; i < 4; ++i) {
      int count = 0;
      for (std::size_t k = 0; k < 128; ++k)
        count += std::popcount(static_cast<unsigned>(a.at(t / 32 * 16 + t % 32 / 4 + i / 2 * 8, k) &
                                                     b.at(t % 4 * 2 + i % 2, k)));
      counts.push_back(count);
    }
  EXPECT_EQ(run<int>("bits", image, of_a, of_b, 4, 8), counts);
}

TEST(WarpGroup, RowsInRegisters) {
  const Matrix a = random_matrix(64, 32, 15, -8, 8), b = random_matrix(16, 32, 16, -8, 8);
  Image image;
  image.place_registers(a);
  const Placed of_b = image.place(b, half, 2, {2, true, false});
  EXPECT_EQ(run<float>("registers", image, {}, of_b, 2, 16), expected<float>(a, b, -1));
}

TEST(WarpGroup, RegistersAreGivenBack) {
  std::vector<std::uint32_t> out(384), numbers(384);
  for (std::uint32_t t = 0; t < 384; ++t) numbers[t] = t * 3;
  CubinProgram("executed/warp_groups_sm90a.cubin", "resized").buffer(out).run({1, 1, 1}, {384, 1, 1});
  EXPECT_EQ(out, numbers);
}

TEST(WarpGroup, WhatIsNotThere) {
  const Matrix matrix = random_matrix(64, 32, 17, -8, 8);
  Image image;
  const Placed placed = image.place(matrix, half, 2, {4, false, false});
  const auto message = [&](Placed a, std::uint64_t threads) {
    return [&image, a, placed, threads] { run<float>("f16", image, a, placed, 1, 64, false, threads); };
  };
  EXPECT_THAT(message(placed, 64),
              ThrowsMessage<ExecutionFault>(HasSubstr("needs four warps, which are not there")));
  EXPECT_THAT(message({placed.descriptor + (1 << 10), 0}, 128),
              ThrowsMessage<ExecutionFault>(HasSubstr("of shared memory, which has")));
  EXPECT_THAT(message({placed.descriptor | std::uint64_t{3} << 49, 0}, 128),
              ThrowsMessage<ExecutionFault>(HasSubstr("base offset")));
}

// 16 (1 + 2 + 3 + 4 + 5) in each of the registers.
TEST(WarpGroup, TheirProductsAreOverForNoneOfFourWarpsBeforeTheOthers) {
  std::vector<float> out(512);
  CubinProgram("executed/group_waits_sm90a.cubin", "overwritten")
      .number(5U)
      .buffer(out)
      .run({1, 1, 1}, {128, 1, 1});
  EXPECT_THAT(out, testing::Each(240.0F));
}

}  // namespace
}  // namespace warpscope::machine
