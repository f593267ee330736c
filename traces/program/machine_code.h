#pragma once
// The machine code of a kernel in a capture, and how often a launch executed each of its instructions.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/base/shared.h"

namespace warpscope {

struct MachineInstruction {
  std::uint64_t low = 0, high = 0;  ///< its word: bits 0 to 63, 64 to 127
  std::string text;                 ///< in the notation of nvdisasm
  std::string kind;                 ///< as profilers class instructions of work-items: "fp32", "integer", …
  std::string pipe;                 ///< that executes it: "fma"
  std::string location;             ///< "mm.cu:12"; empty: not known
  bool operator==(const MachineInstruction&) const = default;
};

/// An instruction that depended on the order or the time of warps when it was executed.
struct OrderedInstruction {
  std::uint32_t instruction = 0;
  std::string cause;  ///< "clock", "core", "atomic", "others", "wait" (traces/FORMAT.md)
  bool operator==(const OrderedInstruction&) const = default;
};

/// Launches of a kernel share its instructions and blocks.
struct MachineCode {
  std::uint32_t architecture = 0;  ///< 90 for sm_90
  SharedList<MachineInstruction> instructions;
  /// By block of the kernel: its first instruction; absent for blocks without instructions.
  SharedList<std::optional<std::uint32_t>> first_of_block;
  std::vector<OrderedInstruction> order_dependent;  ///< of the launch, by instruction
  /// Whether all but the launch's order_dependent is equal.
  [[nodiscard]] bool is_same_code(const MachineCode& other) const;
  bool operator==(const MachineCode& other) const {
    return is_same_code(other) && order_dependent == other.order_dependent;
  }
};

/// Payload of CODE (traces/FORMAT.md). from_json throws InputError.
nlohmann::json to_json(const MachineCode& code);
MachineCode machine_code_from_json(const nlohmann::json& json);
/// Payload of a CODE section that refers to another launch's; its instructions are those of `code`. from_json throws InputError.
nlohmann::json order_dependent_json(const MachineCode& code);
std::vector<OrderedInstruction> order_dependent_from_json(const nlohmann::json& json,
                                                          const MachineCode& code);

/// "mm.cu:12 uses what an atomic returned (ATOMG.E.ADD.STRONG.GPU); another GPU run may differ": the first, and how many there are. Empty if
/// the launch depends on no order.
std::string order_dependence(const MachineCode& code);

/// Executions of one instruction in the recorded work-groups of a launch.
struct InstructionTotals {
  std::uint64_t warps = 0;    ///< warps that issued it
  std::uint64_t lanes = 0;    ///< lanes that were active
  std::uint64_t guarded = 0;  ///< of these, lanes whose guard held
  bool operator==(const InstructionTotals&) const = default;
};

/// Payload of EXEC. decode throws InputError.
std::vector<std::uint8_t> encode_totals(std::span<const InstructionTotals> totals);
std::vector<InstructionTotals> decode_totals(std::span<const std::uint8_t> payload);

/// Counters of Nsight Compute that follow from executions alone, under its names. `totals`: one per instruction of `code`.
nlohmann::json executed_counters(const MachineCode& code, std::span<const InstructionTotals> totals);

}  // namespace warpscope
