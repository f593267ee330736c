#include "traces/program/machine_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
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

/// What an instruction does, by the name of the cause.
constexpr std::pair<std::string_view, std::string_view> kCauses[] = {
    {"clock", "reads a clock"},
    {"core", "reads where its warp runs"},
    {"atomic", "uses what an atomic returned"},
    {"others", "reads what other work-groups wrote"},
    {"wait", "waits for others in a loop"}};

/// Pipes of machine/isa/table/pipes.def, and what Nsight Compute calls them.
constexpr std::pair<const char*, const char*> kPipes[] = {
    {"alu", "alu"},    {"branch", "cbu"}, {"double", "fp64"},   {"fma", "fma"},     {"half", "fp16"},
    {"memory", "lsu"}, {"special", "xu"}, {"tensor", "tensor"}, {"texture", "tex"}, {"uniform", "uniform"}};

/// "ATOMG.E.ADD" of "@P0 ATOMG.E.ADD R1, [R2.64], R5".
std::string_view opcode_of(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.size(), text.find(' ') + 1));
  return text.substr(0, text.find(' '));
}

}  // namespace

bool MachineCode::is_same_code(const MachineCode& other) const {
  return architecture == other.architecture && std::ranges::equal(instructions, other.instructions) &&
         std::ranges::equal(first_of_block, other.first_of_block);
}

nlohmann::json order_dependent_json(const MachineCode& code) {
  nlohmann::json json = nlohmann::json::object();
  for (const OrderedInstruction& one : code.order_dependent)
    json["order_dependent"].push_back({{"instruction", one.instruction}, {"cause", one.cause}});
  return json;
}

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
  nlohmann::json json{{"architecture", code.architecture},
                      {"first_of_block", std::move(blocks)},
                      {"instructions", std::move(instructions)}};
  json.update(order_dependent_json(code));
  return json;
}

std::vector<OrderedInstruction> order_dependent_from_json(const nlohmann::json& json,
                                                          const MachineCode& code) {
  std::vector<OrderedInstruction> found;
  JsonFields(json, "code")
      .each("order_dependent", [&](const nlohmann::json& entry, const std::string& where) {
        const JsonFields one(entry, where);
        found.push_back({one.number32("instruction"), one.text("cause")});
        if (found.back().instruction >= code.instructions.size())
          one.fail("instruction", "the number of one");
      });
  return found;
}

MachineCode machine_code_from_json(const nlohmann::json& json) {
  const JsonFields fields(json, "code");
  MachineCode code;
  code.architecture = fields.number32("architecture");
  std::vector<MachineInstruction> instructions;
  fields.each("instructions", [&](const nlohmann::json& entry, const std::string& where) {
    const JsonFields one(entry, where);
    MachineInstruction& instruction = instructions.emplace_back();
    read_word(one, instruction);
    instruction.text = one.text("text");
    instruction.kind = one.text("kind", "");
    instruction.pipe = one.text("pipe", "");
    instruction.location = one.text("location", "");
  });
  code.instructions = std::move(instructions);
  std::vector<std::optional<std::uint32_t>> blocks;
  fields.each("first_of_block", [&](const nlohmann::json& entry, const std::string& where) {
    blocks.emplace_back();
    if (entry.is_null()) return;
    if (code.instructions.empty()) fields.fail("first_of_block", "numbers of instructions");
    blocks.back() = static_cast<std::uint32_t>(json_number(entry, where, code.instructions.size() - 1));
  });
  code.first_of_block = std::move(blocks);
  code.order_dependent = order_dependent_from_json(json, code);
  return code;
}

std::string order_dependence(const MachineCode& code) {
  if (code.order_dependent.empty()) return "";
  const OrderedInstruction& first = code.order_dependent.front();
  const MachineInstruction& instruction = code.instructions[first.instruction];
  constexpr std::uint32_t kBytes = 16;  // of an instruction
  const std::string place = instruction.location.empty()
                                ? fmt::format("instruction 0x{:04x}", first.instruction * kBytes)
                                : instruction.location;
  std::string_view what = "depends on the order of warps";
  for (const auto& [name, text] : kCauses)
    if (name == first.cause) what = text;
  const std::size_t more = code.order_dependent.size() - 1;
  return fmt::format("{} {} ({}){}; another GPU run may differ", place, what, opcode_of(instruction.text),
                     more == 0 ? "" : fmt::format(", and {} more", more));
}

nlohmann::json executed_counters(const MachineCode& code, std::span<const InstructionTotals> totals) {
  std::map<std::string, std::uint64_t> warps, lanes, by_pipe;  // the first two by kind
  InstructionTotals all;
  for (std::size_t place = 0; place < code.instructions.size() && place < totals.size(); ++place) {
    const InstructionTotals& one = totals[place];
    const std::string& kind = code.instructions[place].kind;
    warps[kind] += one.warps;
    by_pipe[code.instructions[place].pipe] += one.warps;
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
  for (const auto& [pipe, name] : kPipes)
    counters[fmt::format("smsp__inst_executed_pipe_{}.sum", name)] = by_pipe[pipe];
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
