#include "machine/describe/mix.h"

#include "machine/isa/effects.h"

namespace warpscope::machine {
namespace {

struct Named {
  std::string_view name;
  const char* mix;
};

constexpr Named kClasses[] = {
    {"FADD", "fp32_add"},
    {"FMUL", "fp32_mul"},
    {"FFMA", "fp32_fma"},
    {"MUFU", "fp32_special"},
    {"DADD", "fp64"},
    {"DMUL", "fp64"},
    {"DFMA", "fp64_fma"},
    {"DSETP", "fp64"},
    {"HADD2", "fp16"},
    {"HMUL2", "fp16"},
    {"HFMA2", "fp16_fma"},
    {"HMNMX2", "fp16"},
    {"IMAD", "int_mul"},
    {"UIMAD", "int_mul"},
    {"IDP", "int_mul"},
    {"ISETP", "compare"},
    {"UISETP", "compare"},
    {"FSETP", "compare"},
    {"FSET", "compare"},
    {"HSETP2", "compare"},
    {"HSET2", "compare"},
    {"FCHK", "compare"},
    {"SEL", "select"},
    {"USEL", "select"},
    {"FSEL", "select"},
    {"FMNMX", "select"},
    {"IMNMX", "select"},
    {"VIMNMX", "select"},
    {"VIMNMX3", "select"},
    {"F2F", "convert"},
    {"F2I", "convert"},
    {"I2F", "convert"},
    {"I2FP", "convert"},
    {"FRND", "convert"},
    {"F2FP", "convert"},
    {"I2I", "convert"},
    {"BRA", "branch"},
    {"BRX", "branch"},
    {"JMP", "branch"},
    {"EXIT", "branch"},
    {"BSSY", "branch"},
    {"BSYNC", "branch"},
    {"BREAK", "branch"},
    {"WARPSYNC", "branch"},
    {"YIELD", "branch"},
    {"CALL", "call"},
    {"RET", "call"},
    {"BAR", "barrier"},
    {"UCGABAR_ARV", "barrier"},
    {"UCGABAR_WAIT", "barrier"},
    {"SHFL", "other"},
    {"VOTE", "other"},
    {"VOTEU", "other"},
    {"MATCH", "other"},
    {"REDUX", "other"},
    {"S2R", "other"},
    {"S2UR", "other"},
    {"CS2R", "other"},
    {"MEMBAR", "other"},
    {"DEPBAR", "other"},
};

const char* class_of_access(const Effects& effects, std::string_view name) {
  if (name.starts_with("ATOM") || name.starts_with("RED") || name == "SURED") return "atomic";
  switch (effects.space) {
    case MemorySpace::Shared:
      return effects.loads ? "load_local" : "store_local";
    case MemorySpace::Local:
      return effects.loads ? "load_private" : "store_private";
    case MemorySpace::Constant:
      return "load_constant";
    default:
      return effects.loads ? "load_global" : "store_global";
  }
}

/// IMAD.MOV, IMAD.IADD, IMAD.SHL: moves and sums by the multiplier.
bool multiplies(const Row& row) {
  for (const Item& item : row.items)
    if (item.text == ".MOV" || item.text == ".IADD" || item.text == ".SHL") return false;
  return true;
}

}  // namespace

const char* class_of(const Decoder& decoder, const Instruction& instruction) {
  if (!instruction.is_known()) return "other";
  const Row& row = decoder.row(instruction);
  if (row.name == "NOP") return nullptr;
  const Effects effects = effects_of(decoder, instruction);
  if (effects.loads || effects.stores) return class_of_access(effects, row.name);
  if (row.name == "IMAD" && !multiplies(row)) return "int_alu";
  for (const Named& one : kClasses)
    if (one.name == row.name) return one.mix;
  return row.pipe == Pipe::Tensor || row.pipe == Pipe::Texture ? "other" : "int_alu";
}

}  // namespace warpscope::machine
