#pragma once
// A kernel of machine code as the timed engine issues it: its instructions, with what their control words say. Compiled once per launch.
#include <cstdint>
#include <optional>
#include <vector>

#include "timed/config/config.h"
#include "traces/program/kernel_info.h"
#include "traces/program/machine_code.h"

namespace warpscope::timed {

/// Counters of a warp (machine/isa/control.h), and two that no instruction can wait for: results without a counter, and copies (LDGSTS)
/// that no LDGDEPBAR has closed yet.
constexpr std::uint8_t kCounters = 6, kNoCounter = 6, kOpenCopies = 7;
constexpr std::uint32_t kCountersOfWarp = 8;
constexpr std::uint16_t kNoConstant = 0xffff;

struct MachineOp {
  enum class Kind : std::uint8_t { Plain, CloseCopies, LoadConstant };
  /// What its issue occupies: its own unit; a port that Unit::Double, Half and Tensor share; one of two pipes for fp32, or both.
  enum class Occupies : std::uint8_t { Unit, Port, FmaPipe, FmaPipes };
  Unit unit = Unit::Int;
  Kind kind = Kind::Plain;
  std::uint8_t gap = 1;              ///< cycles until the warp's next instruction may issue: stall and yield
  std::uint8_t interval = 1;         ///< cycles for which its unit is busy
  std::uint8_t waits = 0;            ///< a bit per counter that has to be 0
  std::uint8_t result = kNoCounter;  ///< counter of its result
  std::uint8_t operands = kNoCounter;  ///< counter of its sources
  std::uint8_t limited = kNoCounter;   ///< DEPBAR: a counter that has to be `limit` or less
  std::uint8_t limit = 0;
  std::uint8_t accesses = 0;  ///< sites that it executes, from `site` on
  bool is_long = false;       ///< what waits for its counter has a long scoreboard
  std::uint8_t counters = 0;  ///< a bit per counter that it sets
  Occupies occupies = Occupies::Unit;
  std::uint16_t latency = 0;  ///< of the result, if it makes no access
  std::uint16_t constant =
      kNoConstant;  ///< line of 64 bytes of its operand c[bank][offset]: 1024 · bank + offset / 64
  /// From its issue to the end of its warp, and from that of what follows it, in cycles at least; of a lone access not known.
  std::uint16_t to_end = 0, rest = 0;
  std::uint32_t site = 0;    ///< the first
  std::uint32_t number = 0;  ///< in the machine code
};

/// The instructions of a block, and of a gate those that it guards.
struct MachineBlock {
  std::uint32_t first = 0, end = 0;        ///< of ops()
  std::optional<std::uint32_t> guarded{};  ///< of a gate: the block of the access
};

class MachineProgram {
 public:
  /// Throws InputError where the code does not fit the kernel.
  MachineProgram(const KernelInfo& kernel, const MachineCode& code, const MachineTimes& times);

  [[nodiscard]] const MachineBlock& block(std::uint32_t number) const { return blocks_[number]; }
  [[nodiscard]] const MachineOp* op(std::uint32_t at) const { return ops_.data() + at; }
  /// An access of `site` that no instruction of its own makes: another texel of one.
  [[nodiscard]] const MachineOp* lone_access(std::uint32_t site) const { return lone_.data() + site; }
  [[nodiscard]] AccessKind kind(std::uint32_t site) const { return kinds_[site]; }
  /// Loads and atomics that return something.
  [[nodiscard]] bool returns(std::uint32_t site) const { return returns_[site]; }
  [[nodiscard]] std::size_t instructions() const { return instructions_; }
  /// The first instruction that a warp executes.
  [[nodiscard]] std::uint32_t entry() const { return blocks_.empty() ? 0 : blocks_.front().first; }
  /// From the first issue of a warp to its end, in cycles at least.
  [[nodiscard]] Cycle least_cycles() const { return least_cycles_; }

 private:
  void add_sites(const KernelInfo& kernel);
  void add_ends(const KernelInfo& kernel, Cycle store_latency);
  Cycle find_ends(const MachineBlock& block, Cycle behind, Cycle store_latency);

  std::vector<MachineOp> ops_, lone_;
  std::vector<MachineBlock> blocks_;
  std::vector<AccessKind> kinds_;
  std::vector<bool> returns_;
  std::size_t instructions_ = 0;
  Cycle least_cycles_ = 0;
};

/// What an instruction takes: unit, interval, latency, waits. No sites.
MachineOp machine_op(const MachineInstruction& instruction, const MachineTimes& times);

}  // namespace warpscope::timed
