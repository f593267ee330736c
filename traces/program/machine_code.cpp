#include "traces/program/machine_code.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "traces/base/json_fields.h"
#include "traces/base/varint.h"

namespace warpscope {
namespace {

/// The two halves of 32 hexadecimal digits, the upper one first.
void read_word(const JsonFields& fields, MachineInstruction& instruction) {
  const std::string text = fields.text("word");
  const auto half = [&](std::size_t at) {
    std::uint64_t value = 0;
    for (const char digit : text.substr(at, 16)) {
      const char* const found = std::char_traits<char>::find("0123456789abcdef", 16, digit);
      if (found == nullptr) fields.fail("word", "32 hexadecimal digits");
      value = value << 4 | static_cast<std::uint64_t>(found - &"0123456789abcdef"[0]);
    }
    return value;
  };
  if (text.size() != 32) fields.fail("word", "32 hexadecimal digits");
  instruction.high = half(0);
  instruction.low = half(16);
}

}  // namespace

nlohmann::json to_json(const MachineCode& code) {
  nlohmann::json instructions = nlohmann::json::array();
  for (const MachineInstruction& one : code.instructions) {
    instructions.push_back({{"word", fmt::format("{:016x}{:016x}", one.high, one.low)},
                            {"text", one.text},
                            {"kind", one.kind},
                            {"pipe", one.pipe}});
    if (!one.location.empty()) instructions.back()["location"] = one.location;
  }
  nlohmann::json blocks = nlohmann::json::array();
  for (const auto& first : code.first_of_block)
    blocks.push_back(first ? nlohmann::json(*first) : nlohmann::json());
  return {{"architecture", code.architecture},
          {"first_of_block", std::move(blocks)},
          {"instructions", std::move(instructions)}};
}

MachineCode machine_code_from_json(const nlohmann::json& json) {
  const JsonFields fields(json, "code");
  MachineCode code;
  code.architecture = fields.number32("architecture");
  fields.each("instructions", [&](const nlohmann::json& entry, const std::string& where) {
    const JsonFields one(entry, where);
    MachineInstruction& instruction = code.instructions.emplace_back();
    read_word(one, instruction);
    instruction.text = one.text("text");
    instruction.kind = one.text("kind", "");
    instruction.pipe = one.text("pipe", "");
    instruction.location = one.text("location", "");
  });
  fields.each("first_of_block", [&](const nlohmann::json& entry, const std::string& where) {
    code.first_of_block.emplace_back();
    if (entry.is_null()) return;
    if (code.instructions.empty()) fields.fail("first_of_block", "numbers of instructions");
    code.first_of_block.back() =
        static_cast<std::uint32_t>(json_number(entry, where, code.instructions.size() - 1));
  });
  return code;
}

nlohmann::json executed_counters(const MachineCode& code, std::span<const InstructionTotals> totals) {
  std::map<std::string, std::uint64_t> warps, lanes;  // by kind
  InstructionTotals all;
  for (std::size_t place = 0; place < code.instructions.size() && place < totals.size(); ++place) {
    const InstructionTotals& one = totals[place];
    const std::string& kind = code.instructions[place].kind;
    warps[kind] += one.warps;
    all.warps += one.warps;
    all.lanes += one.lanes;
    all.guarded += one.guarded;
    lanes[kind == "branch"                      ? "control"
          : kind.find('_') != std::string::npos ? "memory"
                                                : kind] += one.guarded;
  }
  nlohmann::json counters{{"smsp__inst_executed.sum", all.warps},
                          {"smsp__thread_inst_executed.sum", all.lanes},
                          {"smsp__thread_inst_executed_pred_on.sum", all.guarded}};
  for (const auto& [kind, op] : {std::pair{"branch", "branch"},
                                 {"global_load", "global_ld"},
                                 {"global_store", "global_st"},
                                 {"private_load", "local_ld"},
                                 {"private_store", "local_st"},
                                 {"shared_load", "shared_ld"},
                                 {"shared_store", "shared_st"}})
    counters[fmt::format("smsp__inst_executed_op_{}.sum", op)] = warps[kind];
  for (const char* const kind : {"fp32", "fp64", "integer", "conversion", "control", "memory"})
    counters[fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum", kind)] = lanes[kind];
  return counters;
}

std::vector<std::uint8_t> encode_totals(std::span<const InstructionTotals> totals) {
  std::vector<std::uint8_t> payload;
  put_varint(payload, totals.size());
  for (const InstructionTotals& one : totals) {
    put_varint(payload, one.warps);
    put_varint(payload, one.lanes);
    put_varint(payload, one.guarded);
  }
  return payload;
}

std::vector<InstructionTotals> decode_totals(std::span<const std::uint8_t> payload) {
  ByteReader in(payload);
  std::vector<InstructionTotals> totals(in.count("number of instructions", 3));
  for (InstructionTotals& one : totals) {
    one.warps = in.varint("warps");
    one.lanes = in.varint("lanes");
    one.guarded = in.varint("lanes whose guard holds");
  }
  if (in.remaining() != 0) in.fail("executions", "are followed by more bytes");
  return totals;
}

}  // namespace warpscope
