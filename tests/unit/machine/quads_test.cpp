// Four products of a warp (mma.m8n8k4): fragments are filled as the PTX ISA says which element each register has ("Matrix Fragments for mma.m8n8k4 with
// .f16 floating point type"), and sums compared with those of whole matrices.
#include <gmock/gmock.h>

#include <array>
#include <bit>
#include <cmath>

#include "tests/unit/machine/cubin_program.h"

namespace warpscope::machine {
namespace {

constexpr unsigned kRows = 8, kDepth = 4, kProducts = 4;

/// -2 to 2, exact in all formats.
std::uint32_t half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return value == 0 ? 0 : bits >> 31 << 15 | ((bits >> 23 & 255) - 127 + 15) << 10 | (bits >> 13 & 0x3ff);
}

/// ptxas 13.0 makes no code for sm_70; that for sm_75 has only instructions which sm_70 has.
CubinProgram program(std::uint32_t architecture, const std::string& kernel) {
  std::vector<std::uint8_t> bytes = data_file("executed/quads_sm75.cubin");
  constexpr std::size_t kFlags = 48;
  for (std::size_t i = kFlags; i < kFlags + 4; ++i)
    if (bytes[i] == 75) bytes[i] = static_cast<std::uint8_t>(architecture);
  return {std::move(bytes), kernel};
}

class Quads {
 public:
  Quads(const std::string& form, bool a_by_columns, bool b_by_columns)
      : form_(form), a_by_columns_(a_by_columns), b_by_columns_(b_by_columns) {
    const std::vector<std::uint32_t> drawn = numbers_below(kProducts * (kRows * kDepth * 2 + 64), 5);
    std::size_t next = 0;
    const auto draw = [&] { return static_cast<float>(drawn[next++]) - 2; };
    for (unsigned product = 0; product < kProducts; ++product) {
      for (auto& row : a[product])
        for (float& one : row) one = draw();
      for (auto& row : b[product])
        for (float& one : row) one = draw();
      for (auto& row : c[product])
        for (float& one : row) one = draw();
    }
  }

  void run(std::uint32_t architecture) {
    std::vector<std::uint32_t> in(32 * 4), sums(32 * 8);
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned i = 0; i < 4; ++i) {
        const auto [a_row, a_along] =
            a_by_columns_ ? std::pair{i + upper(lane), lane % 4} : std::pair{lane % 4 + upper(lane), i};
        const auto [b_along, b_column] =
            b_by_columns_ ? std::pair{i, lane % 4 + upper(lane)} : std::pair{lane % 4, i + upper(lane)};
        in[lane * 4 + i / 2] |= half(a[quad(lane)][a_row][a_along]) << i % 2 * 16;
        in[lane * 4 + 2 + i / 2] |= half(b[quad(lane)][b_along][b_column]) << i % 2 * 16;
      }
      for (unsigned i = 0; i < 8; ++i) {
        const auto [row, column] = place(lane, i, form_ == "single");
        const float value = c[quad(lane)][row][column];
        if (form_ == "single")
          sums[lane * 8 + i] = std::bit_cast<std::uint32_t>(value);
        else
          sums[lane * 8 + i / 2] |= half(value) << i % 2 * 16;
      }
    }
    const auto letter = [](bool by_columns) { return by_columns ? "c" : "r"; };
    program(architecture, form_ + "_" + letter(a_by_columns_) + letter(b_by_columns_))
        .buffer(in)
        .buffer(sums)
        .run({1, 1, 1}, {32, 1, 1});
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 8; ++i) {
        const auto [row, column] = place(lane, i, form_ != "half");
        result[quad(lane)][row][column] =
            form_ != "half" ? sums[lane * 8 + i] : sums[lane * 8 + i / 2] >> i % 2 * 16 & 0xffff;
      }
  }

  using Left = std::array<std::array<float, kDepth>, kRows>;
  using Right = std::array<std::array<float, kRows>, kDepth>;
  template <class T>
  using Square = std::array<std::array<T, kRows>, kRows>;
  std::array<Left, kProducts> a{};
  std::array<Right, kProducts> b{};
  std::array<Square<float>, kProducts> c{};
  std::array<Square<std::uint32_t>, kProducts> result{};

 private:
  static unsigned quad(unsigned lane) { return lane / 4 % 4; }
  static unsigned upper(unsigned lane) { return lane < 16 ? 0 : 4; }
  /// Row and column of element i of C or D.
  static std::pair<unsigned, unsigned> place(unsigned lane, unsigned i, bool is_single) {
    if (!is_single) return {lane % 4 + upper(lane), i};
    return {(lane & 1) + (i & 2) + upper(lane), (i & 4) + (lane & 2) + (i & 1)};
  }

  std::string form_;
  bool a_by_columns_, b_by_columns_;
};

class QuadProducts : public testing::TestWithParam<std::uint32_t> {};

TEST_P(QuadProducts, AreThoseOfFourMatrices) {
  for (const char* form : {"single", "half", "wider"})
    for (const unsigned layouts : {0U, 1U, 2U, 3U}) {
      Quads quads(form, (layouts & 1) != 0, (layouts & 2) != 0);
      quads.run(GetParam());
      for (unsigned product = 0; product < kProducts; ++product)
        for (unsigned row = 0; row < kRows; ++row)
          for (unsigned column = 0; column < kRows; ++column) {
            float sum = quads.c[product][row][column];
            for (unsigned k = 0; k < kDepth; ++k)
              sum += quads.a[product][row][k] * quads.b[product][k][column];
            ASSERT_EQ(quads.result[product][row][column],
                      form == std::string("half") ? half(sum) : std::bit_cast<std::uint32_t>(sum))
                << form << " " << layouts << ": product " << product << ", row " << row << ", column "
                << column;
          }
    }
}

// 2^23, 0.5 and -2^23: Volta keeps 23 bits behind the largest exponent, Turing 24 (arXiv 2511.10909).
TEST_P(QuadProducts, CutTermsOff) {
  Quads quads("single", false, true);
  for (unsigned product = 0; product < kProducts; ++product) {
    quads.c[product] = {};
    for (unsigned i = 0; i < kRows; ++i) {
      quads.a[product][i] = {4096, 0.5F, -4096, 0};
      for (unsigned k = 0; k < kDepth; ++k) quads.b[product][k][i] = k == 1 ? 1.0F : 2048.0F;
    }
  }
  quads.run(GetParam());
  for (const auto& product : quads.result)
    for (const auto& row : product)
      for (const std::uint32_t one : row)
        ASSERT_EQ(std::bit_cast<float>(one), GetParam() == 70 ? 0.0F : 0.5F);
}

INSTANTIATE_TEST_SUITE_P(Architectures, QuadProducts, testing::Values(70, 75));

}  // namespace
}  // namespace warpscope::machine
