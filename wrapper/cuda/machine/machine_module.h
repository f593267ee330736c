#pragma once
// Device code that NVIDIA's compiler put into the program: a fat binary, of which the GPU's part is executed as machine code.
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "machine/cubin/kernel_source.h"
#include "machine/execute/code.h"
#include "wrapper/device/guarded_memory.h"
#include "wrapper/launch/kernel_signatures.h"
#include "wrapper/machine/machine_program.h"

namespace warpscope::cuda {

/// Bytes of the fat binary at `content`, as its header says; 0: it is none of NVIDIA's.
std::uint64_t vendor_binary_size(const void* content);

/// A kernel of such a binary.
struct MachineFunction {
  std::size_t program = 0;  ///< number of its cubin
  const machine::Function* code = nullptr;
  KernelSignature signature;  ///< without variables
  KernelInfo info;            ///< name, arguments, shared memory, registers
  /// MachineTask::needs_turns
  std::shared_ptr<std::atomic<bool>> needs_turns = std::make_shared<std::atomic<bool>>(false);
};

/// A variable of the binary, in memory that the host can use, too.
struct MachineVariable {
  std::uint8_t* address = nullptr;
  std::size_t bytes = 0;
};

class MachineModule {
 public:
  /// Who is said that a variable is at an address.
  using Name = std::function<void(const MachineVariable&, const std::string& name)>;
  /// Reads the part that `gpu` runs, whose architecture is "sm_90". Throws InputError that says why there is none.
  MachineModule(std::span<const std::uint8_t> content, const std::string& gpu,
                const std::string& architecture, const Name& name);

  /// What the user should know of the choice: "" or a line.
  [[nodiscard]] const std::string& note() const { return note_; }
  /// By mangled name; nullptr: there is none.
  [[nodiscard]] const MachineFunction* find(const std::string& mangled) const;
  [[nodiscard]] const std::map<std::string, MachineFunction>& functions() const { return functions_; }
  /// By its symbol; no address: there is none.
  [[nodiscard]] MachineVariable variable(const std::string& symbol) const;
  [[nodiscard]] const MachineProgram& program_of(const MachineFunction& function) const {
    return programs_[function.program];
  }
  /// Translated when it is first asked for. Throws InputError for what cannot be.
  std::shared_ptr<const machine::Code> code_of(const MachineFunction& function);
  const machine::SourceFile& source_of(const MachineFunction& function);
  /// Constant bank 3 of a kernel's cubin as the host has left it.
  [[nodiscard]] std::vector<std::uint8_t> constants_of(const MachineFunction& function) const;
  /// Memory of variables that kernels may use.
  [[nodiscard]] const std::list<device::GuardedMemory>& memory() const { return memory_; }

 private:
  void add_program(std::size_t number, const Name& name);
  void place_variables(std::size_t number);
  void set_variables(const machine::Image& image, const Name& name);

  std::vector<MachineProgram> programs_;
  std::string note_;
  std::vector<machine::SectionPlaces> places_;        ///< of each program
  std::list<device::GuardedMemory> memory_;           ///< of sections of variables
  std::map<std::string, MachineFunction> functions_;  ///< by mangled name
  std::map<std::string, MachineVariable> variables_;
  std::map<const MachineFunction*, std::shared_ptr<const machine::Code>> codes_;
  std::map<const MachineFunction*, machine::SourceFile> sources_;
};

}  // namespace warpscope::cuda
