#include "machine/facts/counts.h"

#include <algorithm>

#include "machine/facts/spills.h"

namespace warpscope::machine {
namespace {

AccessKind kind_of(const Row& row, const Effects& effects) {
  if (row.name == "LDGSTS") return AccessKind::Copy;
  if (effects.loads && effects.stores) return AccessKind::Atomic;
  return effects.stores ? AccessKind::Store : AccessKind::Load;
}

/// LDSM gives a lane 4 bytes of each of its 1, 2 or 4 matrices.
std::uint8_t bytes_of(const Row& row, const Instruction& one, const Effects& effects) {
  if (row.name != "LDSM") return effects.access_bytes;
  return static_cast<std::uint8_t>(4U << one.field(72, 2));
}

void add_spill(Spills& spills, bool stores, std::uint32_t bytes) {
  (stores ? spills.stores : spills.loads) += 1;
  (stores ? spills.store_bytes : spills.load_bytes) += bytes;
}

void add(Tally& tally, const Decoder& decoder, const Instruction& one, bool is_spill) {
  ++tally.instructions;
  if (!one.is_known()) {
    ++tally.unknown;
    return;
  }
  ++tally.by_pipe[static_cast<std::size_t>(decoder.row(one).pipe)];
  const auto access = access_of(decoder, one);
  if (!access) return;
  ++tally.accesses[*access];
  if (is_spill) add_spill(tally.spills, access->kind == AccessKind::Store, access->bytes);
}

}  // namespace

std::optional<AccessClass> access_of(const Decoder& decoder, const Instruction& instruction) {
  if (!instruction.is_known()) return std::nullopt;
  const Effects effects = effects_of(decoder, instruction);
  if (effects.space == MemorySpace::None) return std::nullopt;
  const Row& row = decoder.row(instruction);
  return AccessClass{effects.space, kind_of(row, effects), bytes_of(row, instruction, effects)};
}

std::size_t length_without_padding(const Decoder& decoder, std::span<const Instruction> code) {
  std::size_t length = code.size();
  while (length > 0 && code[length - 1].is_known() && decoder.row(code[length - 1]).name == "NOP") --length;
  return length;
}

FunctionCounts count(const Cubin& cubin, const Function& function) {
  const Decoder decoder(cubin.architecture());
  const std::vector<Instruction> all = decoder.decode(function.code.bytes());
  const std::span<const Instruction> code = std::span(all).first(length_without_padding(decoder, all));
  std::vector<bool> spills =
      spill_accesses(decoder, code.first(std::min(code.size(), own_length(cubin, function))));
  spills.resize(code.size());
  const LineTable& table = cubin.lines();
  const LineSequence* sequence = table.of_section(function.section);
  std::map<std::pair<std::string, std::uint32_t>, Tally> lines;
  FunctionCounts counts;
  for (std::size_t number = 0; number < code.size(); ++number) {
    const Instruction& one = code[number];
    add(counts.total, decoder, one, spills[number]);
    const LineRow* row = sequence == nullptr ? nullptr : row_at(*sequence, one.address + function.offset);
    if (row != nullptr && row->file < table.files.size())
      add(lines[{table.files[row->file], row->line}], decoder, one, spills[number]);
  }
  for (auto& [place, tally] : lines) counts.lines.push_back({place.first, place.second, std::move(tally)});
  return counts;
}

std::uint32_t own_shared_bytes(std::uint32_t architecture, const Function& function) {
  constexpr std::uint32_t kKeptBytes = 1024;
  return function.shared_bytes - (architecture >= 90 ? std::min(function.shared_bytes, kKeptBytes) : 0);
}

const char* name_of(MemorySpace space) {
  static constexpr const char* kNames[] = {"none",  "generic",  "global", "shared",
                                           "local", "constant", "texture"};
  return kNames[static_cast<std::size_t>(space)];
}

const char* name_of(AccessKind kind) {
  static constexpr const char* kNames[] = {"load", "store", "atomic", "copy"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* name_of(Pipe pipe) {
  static constexpr const char* kNames[] = {"fma",    "alu",     "half",   "double",  "special",
                                           "tensor", "uniform", "memory", "texture", "branch"};
  static_assert(std::size(kNames) == Tally::kPipes);
  return kNames[static_cast<std::size_t>(pipe)];
}

}  // namespace warpscope::machine
