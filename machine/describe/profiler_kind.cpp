#include "machine/describe/mix.h"

namespace warpscope::machine {
namespace {

struct Kind {
  std::string_view name;
  std::string_view kind;
};

// Found on an H100: with these, each class of smsp__sass_thread_inst_executed_op_*_pred_on equals the executions of 96 launches, and
// smsp__inst_executed_op_branch those of 88 (validation/notes/machine-code.md). Of the same class, but in none of these launches: names in the
// second half.
constexpr Kind kKinds[] = {
    {"FADD", "fp32"},
    {"FFMA", "fp32"},
    {"FMUL", "fp32"},
    {"FSEL", "fp32"},
    {"FSETP", "fp32"},
    {"MUFU", "fp32"},
    {"F2I", "conversion"},
    {"I2F", "conversion"},
    {"I2FP", "conversion"},
    {"IABS", "integer"},
    {"IADD3", "integer"},
    {"IMAD", "integer"},
    {"ISETP", "integer"},
    {"LEA", "integer"},
    {"LOP3", "integer"},
    {"SHF", "integer"},
    {"VIADD", "integer"},
    {"VIADDMNMX", "integer"},
    {"VIMNMX", "integer"},
    {"BRA", "branch"},
    {"BREAK", "branch"},
    {"BSSY", "control"},
    {"BSYNC", "branch"},
    {"EXIT", "branch"},
    {"WARPSYNC", "branch"},
    {"ATOMS", "memory"},
    {"LDC", "memory"},
    {"LDG", "global_load"},
    {"LDS", "shared_load"},
    {"REDG", "memory"},
    {"STG", "global_store"},
    {"STS", "shared_store"},
    // Not measured.
    {"FMNMX", "fp32"},
    {"FSET", "fp32"},
    {"FCHK", "fp32"},
    {"FSWZADD", "fp32"},
    {"DADD", "fp64"},
    {"DFMA", "fp64"},
    {"DMUL", "fp64"},
    {"DSETP", "fp64"},
    {"F2F", "conversion"},
    {"FRND", "conversion"},
    {"I2I", "conversion"},
    {"F2FP", "conversion"},
    {"IMNMX", "integer"},
    {"IDP", "integer"},
    {"VIMNMX3", "integer"},
    {"IADD", "integer"},
    {"BRX", "branch"},
    {"JMP", "branch"},
    {"JMX", "branch"},
    {"CALL", "branch"},
    {"RET", "branch"},
    {"NANOSLEEP", "control"},
    {"YIELD", "control"},
    {"LDL", "private_load"},
    {"STL", "private_store"},
    {"LDSM", "shared_load"},
    {"STSM", "shared_store"},
    {"LDGSTS", "global_load"},
    {"LD", "memory"},
    {"ST", "memory"},
    {"ATOM", "memory"},
    {"ATOMG", "memory"},
    {"RED", "memory"},
};

}  // namespace

std::string_view kind_of(const Decoder& decoder, const Instruction& instruction) {
  if (!instruction.is_known()) return {};
  for (const Kind& one : kKinds)
    if (one.name == decoder.row(instruction).name) return one.kind;
  return {};
}

}  // namespace warpscope::machine
