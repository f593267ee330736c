// Sparse products of four warps (wgmma.mma_async.sp): what sums over a whole matrix with zeros give. Of four elements along the depth two are stored, of tf32
// one of two; their indices lie as of mma.sp (PTX ISA, "Matrix fragments for multiply-accumulate operation with sparse matrix A").
#include <gmock/gmock.h>

#include <bit>
#include <cstring>

#include "tests/unit/machine/cubin_program.h"

namespace warpscope::machine {
namespace {

constexpr unsigned kGroupRows = 64, kGroupColumns = 16;

/// What a kernel multiplies: bytes of an element, how whole numbers are written, which lanes have the indices.
struct SparseCase {
  const char* kernel;
  unsigned bytes;
  unsigned selector;
  bool a_in_registers, b_is_negated;
  bool b_has_pattern;  ///< rows of 128 bytes, whose pieces are exchanged
};

/// -4 to 4 in the format of the kernel; B of e4m3 has five bits of exponent.
std::uint32_t written(const SparseCase& c, int value, bool is_b) {
  const std::string kernel = c.kernel;
  if (kernel == "s8") return static_cast<std::uint8_t>(value);
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (kernel == "tf32") return bits;
  const unsigned exponent_bits = kernel != "e4m3" ? 5
                                 : is_b           ? 5
                                                  : 4,
                 fraction_bits = kernel != "e4m3" ? 10
                                 : is_b           ? 2
                                                  : 3;
  if (value == 0) return 0;
  const std::uint32_t exponent = (bits >> 23 & 255) - 127 + (1U << (exponent_bits - 1)) - 1;
  return bits >> 31 << (fraction_bits + exponent_bits) | exponent << fraction_bits |
         (bits >> (23 - fraction_bits) & ((1U << fraction_bits) - 1));
}

class SparseGroup {
 public:
  explicit SparseGroup(const SparseCase& c) : case_(c), stored_(32 / c.bytes) {
    const std::vector<std::uint32_t> draws = numbers_below(8192, 1U << 20);
    for (unsigned row = 0; row < kGroupRows; ++row)
      for (unsigned number = 0; number < stored_; ++number) {
        const std::uint32_t draw = draws[row * stored_ + number];
        values_.push_back(static_cast<int>(draw % 9) - 4);
        static constexpr unsigned kPairs[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
        const std::uint32_t pair = draws[4096 + row * 16 + number / 2] % 6;
        places_.push_back(c.bytes == 4 ? number * 2 + draw / 16 % 2
                                       : number / 2 * 4 + kPairs[pair][number % 2]);
      }
    for (unsigned i = 0; i < kGroupColumns * 2 * stored_; ++i)
      b_.push_back(static_cast<int>(draws[i + 77] % 9) - 4);
  }

  /// All rows and columns are the same: 2^26, 1, -2^26, then nothing. On sm_90 terms lose what is below 2, the sum before with them.
  void cut_off() {
    for (unsigned i = 0; i < values_.size(); ++i) {
      const unsigned number = i % stored_;
      values_[i] = number == 0 ? 8192 : number == 1 ? 1 : number == 2 ? -8192 : 0;
      places_[i] = number / 2 * 4 + number % 2;
    }
    for (unsigned i = 0; i < b_.size(); ++i) b_[i] = i % (2 * stored_) == 1 ? 1 : 8192;
    is_cut_off_ = true;
  }

  void run() {
    place_a();
    place_b();
    place_indices();
    const std::string kernel = case_.kernel;
    std::vector<std::uint32_t> out(128 * 8);
    CubinProgram program("executed/sparse_groups_sm90a.cubin", kernel);
    program.buffer(image_)
        .number(static_cast<std::uint32_t>(image_.size() / 16))
        .number(a_descriptor_)
        .number(b_descriptor_);
    program.buffer(indices_).buffer(registers_).buffer(out).run({1, 1, 1}, {128, 1, 1}, image_.size());
    for (unsigned t = 0; t < 128; ++t)
      for (unsigned i = 0; i < 8; ++i) {
        const unsigned row = t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + t % 4 * 2 + i % 2;
        const int got = kernel == "s8" ? static_cast<int>(out[t * 8 + i])
                                       : static_cast<int>(std::bit_cast<float>(out[t * 8 + i]));
        const auto before = static_cast<int>(i + t % 8);
        ASSERT_EQ(got, is_cut_off_ ? before & ~1 : sum(row, column) + before)
            << kernel << " " << row << " " << column;
      }
  }

 private:
  [[nodiscard]] int sum(unsigned row, unsigned column) const {
    int result = 0;
    for (unsigned number = 0; number < stored_; ++number)
      result += values_[row * stored_ + number] * b_[column * 2 * stored_ + places_[row * stored_ + number]];
    return case_.b_is_negated ? -result : result;
  }
  void put(std::size_t at, std::uint32_t word) {
    if (image_.size() < at + case_.bytes) image_.resize((at + 16) / 16 * 16);
    std::memcpy(&image_[at], &word, case_.bytes);
  }
  static std::uint64_t descriptor(std::uint64_t start, std::uint64_t leading, std::uint64_t stride) {
    return start / 16 | leading / 16 << 16 | stride / 16 << 32;
  }
  /// 64 rows of 32 bytes: eight rows of 16 bytes each are one behind the other.
  void place_a() {
    image_.resize(2048);
    registers_.resize(128 * 4);
    a_descriptor_ = descriptor(0, 128, 256);
    for (unsigned row = 0; row < kGroupRows; ++row)
      for (unsigned number = 0; number < stored_; ++number) {
        const unsigned byte = number * case_.bytes;
        const std::uint32_t word = written(case_, values_[row * stored_ + number], false);
        put(row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16, word);
        // Registers: row lane / 4, then row + 8, then the second 16 bytes of both.
        const unsigned lane = row / 16 * 32 + row % 8 * 4 + byte % 16 / 4,
                       which = row / 8 % 2 + byte / 16 * 2;
        registers_[lane * 4 + which] |= word << byte % 4 * 8;
      }
  }
  void place_b() {
    constexpr std::uint64_t kStart = 2048;
    b_descriptor_ = case_.b_has_pattern ? descriptor(kStart, 16, 1024) | std::uint64_t{1} << 62
                                        : descriptor(kStart, 128, 512);
    for (unsigned column = 0; column < kGroupColumns; ++column)
      for (unsigned along = 0; along < 2 * stored_; ++along) {
        const unsigned byte = along * case_.bytes, piece = byte / 16;
        const std::size_t offset = case_.b_has_pattern ? column * 128 + (piece ^ column % 8) * 16
                                                       : column / 8 * 512 + piece * 128 + column % 8 * 16;
        put(kStart + offset + byte % 16, written(case_, b_[column * 2 * stored_ + along], true));
      }
  }
  /// A row has 32 bits. Reals of 16 and 32 bits: half of them in each of two lanes, rows + 8 above; bytes: a row and row + 8 in lanes side by side, the second
  /// half two lanes further.
  void place_indices() {
    indices_.resize(128);
    for (unsigned row = 0; row < kGroupRows; ++row)
      for (unsigned number = 0; number < stored_; ++number) {
        const unsigned place = places_[row * stored_ + number], quad = row / 16 * 32 + row % 8 * 4,
                       upper = row / 8 % 2;
        if (case_.bytes == 1)
          indices_[quad + number / 16 * 2 + upper] |= place % 4 << number % 16 * 2;
        else if (case_.bytes == 2)
          indices_[quad + case_.selector * 2 + number / 8] |= place % 4 << (number % 8 * 2 + upper * 16);
        else  // 0b0100 the first, 0b1110 the second of two
          indices_[quad + case_.selector * 2 + number / 4] |= (place % 2 == 0 ? 0x4U : 0xeU)
                                                              << (number % 4 * 4 + upper * 16);
      }
  }

  SparseCase case_;
  unsigned stored_;
  std::vector<int> values_, b_;
  std::vector<unsigned> places_;
  std::vector<std::uint8_t> image_;
  std::vector<std::uint32_t> indices_, registers_;
  std::uint64_t a_descriptor_ = 0, b_descriptor_ = 0;
  bool is_cut_off_ = false;
};

TEST(SparseGroups, AreSumsOfWhatIsStored) {
  for (const bool has_pattern : {false, true})
    for (const SparseCase& c : {SparseCase{"f16_first", 2, 0, false, false, has_pattern},
                                SparseCase{"f16_second", 2, 1, false, true, has_pattern},
                                SparseCase{"f16_registers", 2, 0, true, false, has_pattern},
                                SparseCase{"tf32", 4, 1, false, false, has_pattern},
                                SparseCase{"s8", 1, 0, false, false, has_pattern},
                                SparseCase{"e4m3", 1, 0, false, false, has_pattern}}) {
      SparseGroup group(c);
      group.run();
    }
}

TEST(SparseGroups, TermsAreCutOffAsInDenseOnes) {
  SparseGroup group({"f16_first", 2, 0, false, false, false});
  group.cut_off();
  group.run();
}

}  // namespace
}  // namespace warpscope::machine
