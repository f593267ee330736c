#include "passes/source/forms.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace warpscope::ptx {
namespace {

/// An instruction's name with the modifiers that are part of the function's name and with those
/// that change no result here: rounding to nearest is what C++ does, `approx` may be exact, and
/// subnormal numbers are kept where `ftz` would flush them.
struct Row {
  Shape shape;
  const char *names;
  const char *kept;
  const char *dropped;
  std::size_t operands;
};

constexpr const char *kSpaces = "global shared shared::cta local const";
constexpr const char *kOrder = "weak relaxed acquire release acq_rel sc cta cluster gpu sys";
constexpr const char *kCaches =
    "ca cg cs lu cv wb wt nc volatile v2 v4 L1::evict_normal L1::evict_unchanged L1::evict_first "
    "L1::evict_last L1::no_allocate L2::64B L2::128B L2::256B";
constexpr const char *kComparisons =
    "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor";

constexpr std::array kRows = {
    Row{Shape::Plain, "add sub", "sat", "rn ftz", 3},
    Row{Shape::Carry, "add sub", "cc", "", 3},
    Row{Shape::Carry, "addc subc", "cc", "", 3},
    Row{Shape::Plain, "mul", "lo hi wide sat", "rn ftz", 3},
    Row{Shape::Plain, "mad", "lo hi wide", "rn ftz", 4},
    Row{Shape::Carry, "mad madc", "lo hi cc", "", 4},
    Row{Shape::Plain, "fma", "sat relu", "rn ftz", 4},
    Row{Shape::Plain, "div", "", "rn approx full ftz", 3},
    Row{Shape::Plain, "rem and or xor shl shr", "", "", 3},
    Row{Shape::Plain, "min max", "NaN", "ftz", 3},
    Row{Shape::Plain, "not cnot brev popc clz", "", "", 2},
    Row{Shape::Plain, "abs neg", "", "ftz", 2},
    Row{Shape::Plain, "rcp sqrt rsqrt ex2 lg2 sin cos tanh", "", "rn approx ftz", 2},
    Row{Shape::Plain, "shf", "l r wrap clamp", "", 4},
    Row{Shape::Plain, "bfe prmt sad", "", "", 4},
    Row{Shape::Plain, "bfi lop3", "", "", 5},
    Row{Shape::Plain, "vabsdiff4", "add", "", 4},
    Row{Shape::Plain, "bfind", "shiftamt", "", 2},
    Row{Shape::Plain, "copysign", "", "", 3},
    Row{Shape::Plain, "selp dp4a", "", "", 4},
    Row{Shape::Compare, "setp", kComparisons, "ftz", 3},
    Row{Shape::Compare, "setp", kComparisons, "ftz", 4},
    Row{Shape::Convert, "cvt", "rn rna rni rzi rmi rpi sat relu", "ftz", 2},
    Row{Shape::Convert, "cvt", "rn relu", "", 3},
    Row{Shape::Plain, "cvta", "to shared", kSpaces, 2},
    Row{Shape::Move, "mov", "", "", 2},
    Row{Shape::Load, "ld ldu", kSpaces, kCaches, 2},
    Row{Shape::Load, "ld", kSpaces, kOrder, 2},
    Row{Shape::Store, "st", kSpaces, kCaches, 2},
    Row{Shape::Store, "st", kSpaces, kOrder, 2},
    Row{Shape::Atomic, "atom", "add min max and or xor exch inc dec", kSpaces, 3},
    Row{Shape::Atomic, "atom", "add", "noftz global shared shared::cta", 3},
    Row{Shape::Reduce, "red", "add", "noftz global shared shared::cta", 2},
    Row{Shape::Atomic, "atom", "cas", kSpaces, 4},
    Row{Shape::Reduce, "red", "add min max and or xor inc dec", kSpaces, 2},
    Row{Shape::Plain, "shfl", "up down bfly idx", "sync", 5},
    Row{Shape::Plain, "shfl", "up down bfly idx", "", 4},
    Row{Shape::Plain, "vote", "all any uni ballot", "sync", 3},
    Row{Shape::Plain, "vote", "all any uni ballot", "", 2},
    Row{Shape::Plain, "match", "any all", "sync", 3},
    Row{Shape::Plain, "activemask", "", "", 1},
    Row{Shape::Plain, "redux", "add min max and or xor", "sync", 3},
    Row{Shape::Plain, "bar barrier", "", "sync cta aligned", 1},
    Row{Shape::Plain, "bar barrier", "red popc and or", "cta aligned", 3},
    Row{Shape::Plain, "bar", "warp", "sync", 1},
    Row{Shape::Plain, "membar", "", "cta gl sys", 0},
    Row{Shape::Plain, "fence", "", kOrder, 0},
    Row{Shape::Plain, "trap exit", "", "", 0},
    Row{Shape::Product, "mma", "",
        "sync aligned row col rn satfinite m16n8k4 m16n8k8 m16n8k16 m16n8k32 m8n8k16 m8n8k4", 4},
    Row{Shape::Matrix, "ldmatrix", "", "sync aligned m8n8 x1 x2 x4 trans shared shared::cta", 2},
    Row{Shape::Copy, "cp", "", "async ca cg shared shared::cta global L2::64B L2::128B L2::256B",
        3},
    Row{Shape::Copy, "cp", "", "async ca cg shared shared::cta global L2::64B L2::128B L2::256B",
        4},
    Row{Shape::Nothing, "cp", "", "async commit_group wait_all", 0},
    Row{Shape::Nothing, "cp", "", "async wait_group", 1},
    Row{Shape::Nothing, "nanosleep", "", "", 1},
    Row{Shape::Nothing, "prefetch prefetchu", "",
        "global local L1 L2 L2::evict_last L2::evict_normal", 1},
};

constexpr std::array<std::pair<const char *, const char *>, 20> kTypes = {{
    {"pred", "bool"},
    {"u8", "unsigned char"},
    {"b8", "unsigned char"},
    {"s8", "signed char"},
    {"u16", "unsigned short"},
    {"b16", "unsigned short"},
    {"s16", "short"},
    {"u32", "unsigned int"},
    {"b32", "unsigned int"},
    {"s32", "int"},
    {"u64", "unsigned long long"},
    {"b64", "unsigned long long"},
    {"s64", "long long"},
    {"f32", "float"},
    {"f64", "double"},
    {"f16", "warpscope_ptx::Half"},
    {"f16x2", "warpscope_ptx::HalfPair"},
    {"bf16", "warpscope_ptx::Bfloat"},
    {"bf16x2", "warpscope_ptx::BfloatPair"},
    {"tf32", "warpscope_ptx::Tf32"},
}};

bool lists(const char *words, const std::string &word) {
  std::istringstream in(words);
  for (std::string one; in >> one;)
    if (one == word)
      return true;
  return false;
}

bool is_ordered(Shape shape) { return shape == Shape::Atomic || shape == Shape::Reduce; }

std::optional<Form> form_by(const Row &row, const Instruction &instruction) {
  if (!lists(row.names, instruction.name) || instruction.operands.size() != row.operands)
    return std::nullopt;
  Form form{row.shape, instruction.name, {}};
  for (const std::string &modifier : instruction.modifiers) {
    if (const auto type = type_of(modifier))
      form.types.push_back(*type);
    else if (lists(row.kept, modifier))
      form.function += "_" + modifier;
    else if (!lists(row.dropped, modifier) && !(is_ordered(row.shape) && lists(kOrder, modifier)))
      return std::nullopt;
  }
  return form;
}

} // namespace

std::optional<std::string> type_of(const std::string &name) {
  for (const auto &[ptx, cpp] : kTypes)
    if (name == ptx)
      return cpp;
  return std::nullopt;
}

std::optional<Form> form_of(const Instruction &instruction) {
  for (const Row &row : kRows)
    if (auto form = form_by(row, instruction))
      return form;
  return std::nullopt;
}

} // namespace warpscope::ptx
