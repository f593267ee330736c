#include "tools/machine_code/listing.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "machine/cubin/source_name.h"
#include "machine/facts/counts.h"
#include "machine/facts/spills.h"
#include "machine/isa/printer.h"
#include "tools/machine_code/facts_json.h"
#include "tools/machine_code/flow_graph.h"
#include "traces/base/error.h"
#include "traces/base/printable.h"

namespace warpscope::machine {
namespace {

/// A function and its cubin.
struct Selected {
  const Cubin* cubin;
  const Function* function;
};

std::uint32_t constant_bytes(const Function& function) {
  std::size_t bytes = 0;
  for (const ConstantBank& bank : function.constants)
    if (bank.number == 0) bytes += bank.bytes.size();
  return static_cast<std::uint32_t>(bytes);
}

std::vector<Selected> select(const std::vector<Cubin>& cubins, const ListingOptions& options) {
  std::vector<Selected> found;
  std::string names;
  for (const Cubin& cubin : cubins) {
    if (options.architecture != 0 && cubin.architecture() != options.architecture) continue;
    for (const Function& function : cubin.functions()) {
      const std::string name = source_name(function.name);
      names += (names.empty() ? "" : ", ") + quotable(name);
      if (options.kernel.empty() || options.kernel == "all" || options.kernel == name ||
          options.kernel == function.name)
        found.push_back({&cubin, &function});
    }
  }
  if (names.empty())
    throw InputError(fmt::format("{}: {}", cubins.front().elf().bytes().name(),
                                 options.architecture == 0
                                     ? "has no kernels, expected machine code of some"
                                     : fmt::format("no code for sm_{}", options.architecture)));
  if (found.empty())
    throw InputError(fmt::format("{}: no kernel {}, expected one of {}", cubins.front().elf().bytes().name(),
                                 quotable(options.kernel), quotable(names, 500)));
  return found;
}

std::string source_line(const LineTable& lines, const LineSequence* sequence, std::uint64_t address) {
  const LineRow* row = sequence == nullptr ? nullptr : row_at(*sequence, address);
  if (row == nullptr || row->file >= lines.files.size()) return "";
  const std::string& path = lines.files[row->file];
  return fmt::format("{}:{}", printable(path.substr(path.rfind('/') + 1)), row->line);
}

std::vector<Instruction> decoded(const Selected& one) {
  if (!Decoder::supports(one.cubin->architecture()))
    throw InputError(fmt::format("{}: code for sm_{}, expected sm_70 to sm_90, whose instructions are known",
                                 one.cubin->elf().bytes().name(), one.cubin->architecture()));
  return Decoder(one.cubin->architecture()).decode(one.function->code.bytes());
}

/// "-" where the architecture's instructions are not known.
std::string spilled(const Selected& one) {
  if (!Decoder::supports(one.cubin->architecture())) return "-";
  return std::to_string(spilled_registers(*one.cubin, *one.function).registers);
}

constexpr const char* kSummaryRow = "{:<6} {:>9} {:>7} {:>7} {:>7} {:>8} {:>10} {:>12}  {}\n";

std::string summary_line(const Selected& one) {
  const Function& function = *one.function;
  return fmt::format(fmt::runtime(kSummaryRow), fmt::format("sm_{}", one.cubin->architecture()),
                     function.registers, spilled(one), function.frame_bytes,
                     own_shared_bytes(one.cubin->architecture(), function), constant_bytes(function),
                     function.parameters.size(), function.code.size() / kInstructionBytes,
                     printable(source_name(function.name)));
}

std::string instruction_lines(const Selected& one, const ListingOptions& options) {
  const Decoder decoder(one.cubin->architecture());
  const LineTable& lines = one.cubin->lines();
  const LineSequence* sequence = lines.of_section(one.function->section);
  std::string text;
  std::size_t unknown = 0;
  for (const Instruction& instruction : decoded(one)) {
    unknown += instruction.is_known() ? 0 : 1;
    text += fmt::format("  {:04x}  ", instruction.address);
    if (!options.plain)
      text += fmt::format("{}  {:<20} ", control_text(instruction.control()),
                          source_line(lines, sequence, instruction.address + one.function->offset));
    text += text_of(decoder, instruction) + "\n";
  }
  if (unknown != 0) text += fmt::format("  {} unknown words\n", unknown);
  if (sequence == nullptr && !options.plain)
    text += "  no source lines: rebuild with -lineinfo: the code stays the same\n";
  return text;
}

nlohmann::ordered_json json_of(const Selected& one, const ListingOptions& options) {
  const Function& function = *one.function;
  nlohmann::ordered_json found = {{"name", printable(function.name)},
                                  {"source_name", printable(source_name(function.name))},
                                  {"architecture", one.cubin->architecture()},
                                  {"kernel", function.is_kernel},
                                  {"compiler", one.cubin->compiler()},
                                  {"registers", function.registers},
                                  {"stack_bytes", function.frame_bytes},
                                  {"shared_bytes", own_shared_bytes(one.cubin->architecture(), function)},
                                  {"constant_bytes", constant_bytes(function)},
                                  {"parameter_bytes", function.parameter_bytes},
                                  {"parameters", function.parameters.size()},
                                  {"code_bytes", function.code.size()}};
  if (options.shape.gpu)
    found["residency"] = residency_json(options.shape, one.cubin->architecture(), function);
  if (options.kernel.empty()) {
    found["counts"] = counts_json(*one.cubin, function);
    return found;
  }
  const Decoder decoder(one.cubin->architecture());
  const LineTable& lines = one.cubin->lines();
  const LineSequence* sequence = lines.of_section(function.section);
  nlohmann::ordered_json instructions = nlohmann::ordered_json::array();
  for (const Instruction& instruction : decoded(one)) {
    const Control control = instruction.control();
    nlohmann::ordered_json access;
    if (const auto own = access_of(decoder, instruction)) access = json_of(*own);
    instructions.push_back({{"address", instruction.address},
                            {"word", fmt::format("{:016x}{:016x}", instruction.high, instruction.low)},
                            {"text", text_of(decoder, instruction)},
                            {"source", source_line(lines, sequence, instruction.address + function.offset)},
                            {"stall", control.stall},
                            {"yield", control.yield},
                            {"write_counter", control.write_counter},
                            {"read_counter", control.read_counter},
                            {"wait_mask", control.wait_mask},
                            {"access", std::move(access)}});
  }
  found["instructions"] = std::move(instructions);
  return found;
}

}  // namespace

std::string listing(const std::vector<Cubin>& cubins, const ListingOptions& options) {
  const std::vector<Selected> functions = select(cubins, options);
  if (!options.graph.empty()) {
    std::vector<FlowGraph> graphs;
    graphs.reserve(functions.size());
    for (const Selected& one : functions) graphs.push_back(flow_graph(*one.cubin, *one.function));
    return options.graph == "dot" ? dot_text(graphs) : graph_text(graphs);
  }
  if (options.json) {
    nlohmann::ordered_json all = {{"schema", 1}, {"functions", nlohmann::ordered_json::array()}};
    for (const Selected& one : functions) all["functions"].push_back(json_of(one, options));
    return all.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  std::string text = fmt::format(fmt::runtime(kSummaryRow), "code", "registers", "spilled", "stack B",
                                 "shared", "constant", "parameters", "instructions", "kernel");
  for (const Selected& one : functions)
    text += summary_line(one) + (options.kernel.empty() ? "" : instruction_lines(one, options));
  return text;
}

}  // namespace warpscope::machine
