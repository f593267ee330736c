#pragma once
// A cubin: what ptxas and nvcc make for one architecture. ABI 7 (CUDA 11 and 12) and 8 (CUDA 13).
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machine/cubin/elf.h"
#include "machine/cubin/line_table.h"
#include "machine/cubin/nv_info.h"

namespace warpscope::machine {

struct KernelParameter {
  std::uint32_t offset = 0;  ///< from the first parameter on, in bytes
  std::uint32_t bytes = 0;
};

/// A constant bank as the code addresses it: c[number][offset].
struct ConstantBank {
  std::uint32_t number = 0;
  ByteView bytes;
};

/// A kernel, or a function that kernels call.
struct Function {
  std::string name;
  bool is_kernel = false;
  std::uint32_t section = 0;  ///< number in the ELF file
  std::uint64_t offset = 0;   ///< in the section
  ByteView code;
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes =
      0;  ///< static, what the system keeps for itself included (1,024 bytes on sm_90)
  std::uint32_t frame_bytes = 0;  ///< of the stack, per work-item
  std::uint32_t min_stack_bytes = 0;
  std::uint32_t max_stack_bytes = 0;  ///< 0 where the cubin does not say
  std::uint32_t barriers = 0;
  std::array<std::uint32_t, 3> cluster{};   ///< work-groups of a cluster along each axis; 0: the launch says
  std::uint32_t parameter_bank_offset = 0;  ///< c[0][…] of the first parameter
  std::uint32_t parameter_bytes = 0;
  std::vector<KernelParameter> parameters;  ///< in the order of the source
  std::vector<std::uint32_t> exits;         ///< offsets of the instructions that end a work-item
  std::vector<ConstantBank> constants;      ///< in the order of their numbers
};

class Cubin {
 public:
  /// Throws InputError for what is no intact cubin; `name` begins its messages. Keeps the bytes.
  Cubin(std::vector<std::uint8_t> bytes, const std::string& name);
  Cubin(Cubin&&) = default;
  Cubin& operator=(Cubin&&) = default;

  /// 90 of sm_90.
  [[nodiscard]] std::uint32_t architecture() const { return architecture_; }
  [[nodiscard]] const ElfFile& elf() const { return *elf_; }
  [[nodiscard]] const LineTable& lines() const { return lines_; }
  [[nodiscard]] const std::vector<Function>& functions() const { return functions_; }
  /// That of the PTX that the code was made of: 75 for sm_86 code of compute_75; architecture() where the cubin does not say.
  [[nodiscard]] std::uint32_t virtual_architecture() const;
  /// "ptxas 13.0.88" where the cubin says what made it, else "".
  [[nodiscard]] std::string compiler() const;
  /// The PTX that -lineinfo keeps; "" without it.
  [[nodiscard]] std::string ptx_text() const;
  /// True for a cubin of relocatable device code (nvcc -rdc=true), which has to be linked before it can run.
  [[nodiscard]] bool is_relocatable() const { return relocatable_; }

 private:
  void read_architecture();
  void read_functions();
  void read_kernel_info(Function& function) const;
  void read_shared_info();
  void apply_shared_record(const InfoRecord& record, std::uint32_t symbol_value);
  void add_constants(Function& function) const;

  std::unique_ptr<std::vector<std::uint8_t>> bytes_;
  std::unique_ptr<ElfFile> elf_;
  std::uint32_t architecture_ = 0;
  bool relocatable_ = false;
  LineTable lines_;
  std::vector<Function> functions_;
};

}  // namespace warpscope::machine
