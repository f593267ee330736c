#pragma once
// A kernel's section of code, translated: operations, the rows of constants that they read, and where special values are.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "machine/cubin/cubin.h"
#include "machine/execute/base/image.h"
#include "machine/execute/base/operation.h"
#include "machine/isa/decoder.h"

namespace warpscope::machine {

/// A row of constants: an immediate, or a word of a constant bank.
struct ConstantRow {
  bool is_immediate = true;
  std::uint32_t value = 0;  ///< of the immediate
  std::uint32_t bank = 0;
  std::uint32_t offset = 0;
};

class Code {
 public:
  /// Translates the section that holds `kernel`, and behind it those of functions that it can reach. An instruction that cannot be executed ends only the launch that reaches it.
  /// `places`: as Image has it.
  Code(const Cubin& cubin, const Function& kernel, SectionPlaces places = {});

  /// Behind the last one is another, which says that there is no more code.
  [[nodiscard]] std::span<const Operation> operations() const {
    return std::span(operations_).first(operations_.size() - 1);
  }
  [[nodiscard]] const std::vector<Instruction>& instructions() const { return instructions_; }
  [[nodiscard]] const Decoder& decoder() const { return decoder_; }
  [[nodiscard]] const Function& kernel() const { return kernel_; }
  [[nodiscard]] const Cubin& cubin() const { return cubin_; }
  [[nodiscard]] const Image& image() const { return image_; }
  [[nodiscard]] std::uint32_t entry() const { return entry_; }
  /// Rows of a warp: registers, RZ, what is written to it, uniform registers.
  [[nodiscard]] std::size_t rows() const { return row_count_; }
  [[nodiscard]] const std::vector<ConstantRow>& constants() const { return constants_; }

  // For the translation of single instructions.
  [[nodiscard]] std::uint16_t register_row(unsigned number) const {
    return static_cast<std::uint16_t>(number < zero_row_ ? number : zero_row_);
  }
  [[nodiscard]] std::uint16_t uniform_row(unsigned number) const {
    return static_cast<std::uint16_t>(number >= kZeroUniformRegister ? zero_row_ : zero_row_ + 2 + number);
  }
  [[nodiscard]] std::uint16_t zero_row() const { return zero_row_; }
  [[nodiscard]] std::uint16_t unread_row() const { return static_cast<std::uint16_t>(zero_row_ + 1); }
  std::uint16_t constant_row(const ConstantRow& row);

 private:
  void add_system_functions();
  void mark_system_calls();
  void count_registers();
  void mark_guards();
  void pair_collectives();
  void end_code();

  const Cubin& cubin_;
  const Function& kernel_;
  Image image_;
  Decoder decoder_;
  std::vector<Instruction> instructions_;
  std::vector<Operation> operations_;
  std::vector<ConstantRow> constants_;
  std::uint16_t zero_row_ = 0;
  std::size_t row_count_ = 0;
  std::uint32_t entry_ = 0;
};

}  // namespace warpscope::machine
