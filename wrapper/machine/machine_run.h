#pragma once
// A launch of machine code with its buffers, in place of a run on an OpenCL device.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machine/execute/apart.h"
#include "machine/execute/launch.h"
#include "wrapper/launch/resolved_launch.h"

namespace warpscope {

/// A launch that a program makes: its memory is the program's own.
struct ProgramLaunch {
  Dim3 groups, local;
  Dim3 cluster{0, 0, 0};                     ///< as machine::LaunchSettings has it
  std::vector<std::uint8_t> parameters;      ///< as in constant bank 0
  std::vector<std::uint64_t> addresses;      ///< per argument: what it points to; 0: it is no pointer
  std::vector<std::uint64_t> dynamic_sizes;  ///< per argument: bytes of an extern __shared__ array; else 0
  std::vector<std::uint8_t> constants;       ///< bank 3
  std::vector<machine::Texture> textures;
  std::uint32_t stack_bytes = 1024;
  bool is_cooperative = false;
};

class MachineRun {
 public:
  /// `cubin` has to outlive this. Throws InputError if it has no such kernel, or one with other parameters.
  /// `instruction_limit`: of warps; 0: none. `cluster`: work-groups of one; 0: as the kernel says.
  MachineRun(const machine::Cubin& cubin, const ResolvedLaunch& launch, std::uint64_t instruction_limit,
             Dim3 cluster);
  /// `memory` has to outlive this. Throws InputError as machine::Launch() does.
  MachineRun(std::shared_ptr<const machine::Code> code, machine::DeviceMemory& memory,
             const ProgramLaunch& launch);

  /// Executes it. Throws machine::ExecutionFault.
  void run(machine::Observer* observer = nullptr, const machine::LaunchPart& part = {});
  /// The same on several threads: machine::run_apart().
  std::string run_apart(const machine::MakeObservers& make_observers, const machine::LaunchPart& part);
  /// Content of a buffer argument.
  [[nodiscard]] const std::vector<std::uint8_t>& read(std::size_t argument) const {
    return buffers_[argument];
  }
  /// Of each argument; 0: it is no buffer.
  [[nodiscard]] const std::vector<std::uint64_t>& addresses() const { return addresses_; }
  /// Bytes of each argument that is an extern __shared__ array; 0: it is none.
  [[nodiscard]] const std::vector<std::uint64_t>& dynamic_shared() const { return dynamic_shared_; }
  /// Where in shared memory each of these is.
  [[nodiscard]] const std::vector<std::uint64_t>& dynamic_places() const { return dynamic_places_; }
  /// Whether the program has its memory, and names for variables.
  [[nodiscard]] bool is_of_program() const { return memory_ != &own_memory_; }
  [[nodiscard]] const machine::Launch& launch() const { return *launch_; }
  [[nodiscard]] const machine::Code& code() const { return *code_; }

 private:
  void add_buffers(const ResolvedLaunch& launch);
  void add_textures(const ResolvedLaunch& launch, machine::LaunchSettings& settings);
  /// Tensor maps. Throws InputError for those that no copy can use.
  void add_tensors(const ResolvedLaunch& launch);
  /// Variables that the launch gives content to.
  void add_variables(const ResolvedLaunch& launch, machine::LaunchSettings& settings);
  /// extern __shared__ arrays, and local memory that OpenCL's host gives, behind the kernel's own.
  void add_dynamic_shared(const ResolvedLaunch& launch, machine::LaunchSettings& settings);
  void set_parameters(const ResolvedLaunch& launch, machine::LaunchSettings& settings) const;

  std::vector<std::vector<std::uint8_t>> buffers_;  ///< one per argument; empty for what is no buffer
  std::vector<std::uint64_t> dynamic_shared_, dynamic_places_;
  std::vector<std::uint64_t> addresses_;         ///< of each
  std::vector<std::uint64_t> handles_;           ///< of each that is a texture or a surface; else 0
  std::vector<std::vector<std::uint8_t>> maps_;  ///< of each that is a tensor map; else empty
  machine::DeviceMemory own_memory_;
  machine::DeviceMemory* memory_ = &own_memory_;
  std::shared_ptr<const machine::Code> code_;
  std::unique_ptr<machine::Launch> launch_;
};

}  // namespace warpscope
