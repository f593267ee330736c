#include "passes/source/translate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "passes/source/forms.h"
#include "passes/source/instructions.h"
#include "passes/source/place.h"

namespace warpscope::ptx {
namespace {

constexpr const char *kSpace = "warpscope_ptx::";

const std::set<std::string> kSpecialRegisters = {
    "%laneid",         "%warpid",      "%nwarpid",     "%tid.x",       "%tid.y",
    "%tid.z",          "%ntid.x",      "%ntid.y",      "%ntid.z",      "%ctaid.x",
    "%ctaid.y",        "%ctaid.z",     "%nctaid.x",    "%nctaid.y",    "%nctaid.z",
    "%lanemask_eq",    "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge",
    "%clock",          "%clock_hi",    "%clock64",     "%globaltimer", "%globaltimer_lo",
    "%globaltimer_hi", "%smid",        "%nsmid",       "%gridid"};

/// Why a statement cannot be translated: the instruction or what else it was.
struct Refusal {
  std::string what;
};

std::string trimmed(const std::string &text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string joined(const std::vector<std::string> &parts) {
  std::string result;
  for (const std::string &part : parts)
    result += (result.empty() ? "" : ", ") + part;
  return result;
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    result.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return result;
}

/// A register's name in C++: "%p$1" is __r_p_1.
std::string register_name(const std::string &name) {
  std::string result = "__r";
  for (const char c : name)
    result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return result;
}

bool is_integer(const std::string &text) {
  std::size_t at = text.find_first_not_of("-~ ");
  if (at == std::string::npos || std::isdigit(static_cast<unsigned char>(text[at])) == 0)
    return false;
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), [](char c) {
    return std::isxdigit(static_cast<unsigned char>(c)) != 0 || c == 'x' || c == 'X' || c == 'U';
  });
}

/// 0f3F800000 and 0d3FF0000000000000: the bits of a number (PTX ISA, 4.5.2).
std::optional<std::string> float_literal(const std::string &text) {
  if (text.size() < 3 || text[0] != '0')
    return std::nullopt;
  const bool is_float = (text[1] == 'f' || text[1] == 'F') && text.size() == 10;
  const bool is_double = (text[1] == 'd' || text[1] == 'D') && text.size() == 18;
  if (!is_float && !is_double)
    return std::nullopt;
  return std::string("__builtin_bit_cast(") + (is_float ? "float" : "double") + ", 0x" +
         text.substr(2) + (is_float ? "u)" : "ull)");
}

/// C++ for the instructions of one statement.
class Writer {
public:
  explicit Writer(std::size_t operands) : operands_(operands) { scopes_.emplace_back(); }

  void write(const Instruction &instruction) {
    switch (instruction.kind) {
    case Instruction::Kind::OpenScope:
      scopes_.emplace_back();
      out_ += "{ ";
      return;
    case Instruction::Kind::CloseScope:
      if (scopes_.size() == 1)
        throw Refusal{"a brace too many"};
      scopes_.pop_back();
      out_ += "} ";
      return;
    case Instruction::Kind::Registers:
      declare(instruction);
      return;
    case Instruction::Kind::Operation:
      operation(instruction);
      return;
    }
  }

  std::string finish() {
    if (scopes_.size() != 1)
      throw Refusal{"a brace too few"};
    return uses_carry_ ? "bool __carry = false; " + out_ : out_;
  }

private:
  void declare(const Instruction &registers) {
    const auto type =
        registers.modifiers.empty() ? std::nullopt : type_of(registers.modifiers.front());
    if (!type)
      throw Refusal{registers.mnemonic()};
    for (const std::string &name : registers.operands) {
      const std::size_t open = name.find('<');
      if (open == std::string::npos) {
        declare_one(*type, name);
        continue;
      }
      const int count = std::atoi(name.c_str() + open + 1);
      if (count < 0 || count > 1024)
        throw Refusal{".reg " + name};
      for (int i = 0; i < count; ++i)
        declare_one(*type, name.substr(0, open) + std::to_string(i));
    }
  }

  void declare_one(const std::string &type, const std::string &name) {
    scopes_.back().insert(name);
    out_ += type + " " + register_name(name) + "{}; ";
  }

  [[nodiscard]] bool is_register(const std::string &name) const {
    return std::any_of(scopes_.begin(), scopes_.end(),
                       [&](const auto &scope) { return scope.count(name) != 0; });
  }

  [[nodiscard]] bool is_operand(const std::string &name) const {
    for (std::size_t i = 0; i < operands_; ++i)
      if (name == operand_name(i))
        return true;
    return false;
  }

  /// A register, an operand of the statement, a literal, or several of them: `p|q`, `{a, b}`.
  [[nodiscard]] std::string value(const std::string &text) const {
    if (is_operand(text))
      return text;
    if (is_register(text))
      return register_name(text);
    if (kSpecialRegisters.count(text) != 0) {
      std::string name = text.substr(1);
      std::replace(name.begin(), name.end(), '.', '_');
      return kSpace + name + "()";
    }
    if (text == "_")
      return std::string(kSpace) + "Sink{}";
    if (text == "WARP_SZ")
      return "32";
    if (const auto number = float_literal(text))
      return *number;
    if (is_integer(text))
      return "(" + text + ")";
    if (!text.empty() && text.front() == '!')
      return "!" + value(trimmed(text.substr(1)));
    throw Refusal{"operand " + text};
  }

  [[nodiscard]] std::vector<std::string> values(const std::string &text) const {
    std::vector<std::string> result;
    const bool is_list = text.front() == '{' && text.back() == '}';
    for (const std::string &part :
         is_list ? split(text.substr(1, text.size() - 2), ',') : split(text, '|'))
      result.push_back(value(part));
    return result;
  }

  /// `[a+16]`: the address and an offset in bytes.
  [[nodiscard]] std::string address(const std::string &text) const {
    if (text.size() < 3 || text.front() != '[' || text.back() != ']')
      throw Refusal{"operand " + text};
    const std::string inside = trimmed(text.substr(1, text.size() - 2));
    const std::size_t sign = inside.find_first_of("+-", 1);
    if (sign == std::string::npos)
      return value(inside) + ", 0";
    const std::size_t offset = inside[sign] == '+' ? sign + 1 : sign;
    std::string bytes = trimmed(inside.substr(offset));
    const bool is_number = is_integer(bytes) || is_operand(bytes);
    if (!is_number)
      throw Refusal{"operand " + text};
    return value(trimmed(inside.substr(0, sign))) + ", " + value(bytes);
  }

  void operation(const Instruction &instruction) {
    const auto form = form_of(instruction);
    if (!form)
      throw Refusal{instruction.mnemonic()};
    std::string call;
    try {
      call = call_of(instruction, *form);
    } catch (const Refusal &refusal) {
      throw Refusal{instruction.mnemonic() + " with " + refusal.what};
    }
    if (call.empty())
      return;
    if (!instruction.guard.empty())
      out_ += "if (" + value(instruction.guard) + ") ";
    out_ += call + "; ";
  }

  std::string call_of(const Instruction &instruction, const Form &form) {
    const auto &operands = instruction.operands;
    const std::string types = form.types.empty() ? "" : joined(form.types);
    switch (form.shape) {
    case Shape::Nothing:
      return {};
    case Shape::Plain:
      return plain(cpp_name(form.function), types, operands);
    case Shape::Carry:
      uses_carry_ = true;
      return function(form.function + (instruction.has("cc") ? "" : "_in"), types,
                      "__carry, " + all(operands, 0));
    case Shape::Load:
      return function("load", types + memory(instruction),
                      address(operands[1]) + ", " + joined(values(operands[0])));
    case Shape::Store:
      return function("store", types + memory(instruction),
                      address(operands[0]) + ", " + joined(values(operands[1])));
    case Shape::Atomic:
      return function(form.function, types + space(instruction),
                      value(operands[0]) + ", " + address(operands[1]) + ", " + all(operands, 2));
    case Shape::Reduce:
      return function("atom" + form.function.substr(3), types + space(instruction),
                      std::string(kSpace) + "Sink{}, " + address(operands[0]) + ", " +
                          all(operands, 1));
    case Shape::Compare:
      return compare(instruction, form);
    case Shape::Convert:
      return convert(instruction, form);
    case Shape::Move:
      return move(types, operands);
    case Shape::Product:
      return product(instruction, form);
    case Shape::Matrix:
      return matrix(instruction);
    case Shape::Copy:
      return copy(instruction);
    }
    return {};
  }

  /// `and` and its like are operators of C++.
  static std::string cpp_name(const std::string &name) {
    const bool is_operator = name == "and" || name == "or" || name == "xor" || name == "not";
    return is_operator ? "bit_" + name : name;
  }

  static std::string function(const std::string &name, const std::string &types,
                              const std::string &arguments) {
    return kSpace + name + (types.empty() ? "" : "<" + types + ">") + "(" + arguments + ")";
  }

  [[nodiscard]] std::string all(const std::vector<std::string> &operands, std::size_t first) const {
    std::string result;
    for (std::size_t i = first; i < operands.size(); ++i)
      result += (result.empty() ? "" : ", ") + value(operands[i]);
    return result;
  }

  /// With a second destination, `d|p`, the function's name ends in _p.
  [[nodiscard]] std::string plain(const std::string &name, const std::string &types,
                                  const std::vector<std::string> &operands) const {
    if (operands.empty())
      return function(name, types, "");
    const auto first = values(operands[0]);
    const std::string rest = all(operands, 1);
    return function(name + (first.size() > 1 ? "_p" : ""), types,
                    joined(first) + (rest.empty() ? "" : ", " + rest));
  }

  static std::string space(const Instruction &instruction) {
    if (instruction.has("global"))
      return ", 1";
    return instruction.has("shared") || instruction.has("shared::cta") ? ", 3" : ", 0";
  }

  static std::string memory(const Instruction &instruction) {
    std::string cache = "Plain";
    for (const char *past_l1 : {"cg", "cv", "volatile", "relaxed", "acquire", "release"})
      if (instruction.has(past_l1))
        cache = "PastL1";
    if (instruction.has("cs"))
      cache = "Streaming";
    return space(instruction) + ", " + kSpace + "Cache::" + cache;
  }

  [[nodiscard]] std::string compare(const Instruction &instruction, const Form &form) const {
    auto destinations = values(instruction.operands[0]);
    if (destinations.size() == 1)
      destinations.push_back(std::string(kSpace) + "Sink{}");
    std::vector<std::string> names;
    for (const std::string &modifier : split(form.function, '_'))
      if (modifier != "setp")
        names.push_back(kSpace + ("is_" + modifier));
    if (names.size() + 2 != instruction.operands.size() || destinations.size() != 2)
      throw Refusal{"other modifiers than a comparison"};
    return function("setp", joined(form.types) + ", " + joined(names),
                    joined(destinations) + ", " + all(instruction.operands, 1));
  }

  [[nodiscard]] std::string convert(const Instruction &instruction, const Form &form) const {
    if (form.types.size() != 2)
      throw Refusal{"other types than two"};
    std::string rounding = "None";
    for (const auto &[name, cpp] : std::map<std::string, std::string>{
             {"rni", "Nearest"}, {"rzi", "Zero"}, {"rmi", "Down"}, {"rpi", "Up"}})
      if (instruction.has(name))
        rounding = cpp;
    const std::string limit = instruction.has("sat")    ? "Saturate"
                              : instruction.has("relu") ? "Rectify"
                                                        : "None";
    // There is no conversion between floating-point types towards zero, up or down.
    if ((instruction.has("rz") || instruction.has("rm") || instruction.has("rp")))
      throw Refusal{"that rounding"};
    return function("cvt",
                    joined(form.types) + ", " + kSpace + "Rounding::" + rounding + ", " + kSpace +
                        "Limit::" + limit,
                    all(instruction.operands, 0));
  }

  [[nodiscard]] std::string move(const std::string &types,
                                 const std::vector<std::string> &operands) const {
    const auto to = values(operands[0]), from = values(operands[1]);
    if (to.size() > 1)
      return function("unpack", types, joined(from) + ", " + joined(to));
    return function(from.size() > 1 ? "pack" : "mov", types, joined(to) + ", " + joined(from));
  }

  /// m16n8k16 as "16, 8, 16"; empty if no modifier is a shape.
  static std::string shape_of(const Instruction &instruction) {
    int m = 0, n = 0, k = 0;
    for (const std::string &modifier : instruction.modifiers)
      if (std::sscanf(modifier.c_str(), "m%dn%dk%d", &m, &n, &k) == 3)
        return fmt::format("{}, {}, {}", m, n, k);
    return {};
  }

  [[nodiscard]] std::string product(const Instruction &instruction, const Form &form) const {
    const std::string shape = shape_of(instruction);
    const auto at = [&](const char *modifier) {
      return std::find(instruction.modifiers.begin(), instruction.modifiers.end(), modifier);
    };
    if (shape.empty() || form.types.size() != 4 || at("row") >= at("col"))
      throw Refusal{"other modifiers than a shape, row.col and four types"};
    if (shape == "8, 8, 4" && form.types.front() != "double")
      throw Refusal{"Volta's shape m8n8k4"};
    std::string arguments;
    for (std::size_t i = 1; i < 4; ++i)
      arguments += kSpace + ("words(" + joined(values(instruction.operands[i]))) + "), ";
    const char *saturates = instruction.has("satfinite") ? "true" : "false";
    return function("mma", shape + ", " + saturates + ", " + joined(form.types),
                    arguments + joined(values(instruction.operands[0])));
  }

  [[nodiscard]] std::string matrix(const Instruction &instruction) const {
    const auto destinations = values(instruction.operands[0]);
    const std::string count = std::to_string(destinations.size());
    if (!instruction.has("m8n8") || !instruction.has("x" + count))
      throw Refusal{"other modifiers than m8n8 and the number of matrices"};
    return function("ldmatrix", count + (instruction.has("trans") ? ", true" : ", false"),
                    address(instruction.operands[1]) + ", " + joined(destinations));
  }

  [[nodiscard]] std::string copy(const Instruction &instruction) const {
    const auto &operands = instruction.operands;
    const std::string cache = instruction.has("cg") ? "PastL1" : "Plain";
    return function("cp_async", value(operands[2]) + ", " + kSpace + "Cache::" + cache,
                    address(operands[0]) + ", " + address(operands[1]) + ", " +
                        value(operands.back()));
  }

  std::string out_;
  std::vector<std::set<std::string>> scopes_; ///< registers, by block
  std::size_t operands_;
  bool uses_carry_ = false;
};

/// References to the outputs and copies of the inputs, in the statement's order.
std::string operands_of(const AsmStatement &statement) {
  std::string result, matched;
  std::size_t index = 0;
  for (const Operand &output : statement.outputs) {
    const std::string name = operand_name(index++);
    result += fmt::format("auto &{0} = ({1}); (void){0}; ", name, output.expression);
  }
  for (const Operand &input : statement.inputs) {
    const std::string name = operand_name(index++);
    result += fmt::format("const auto {0} = ({1}); (void){0}; ", name, input.expression);
    // A digit: it comes in the register of that output.
    const bool is_matched = !input.constraint.empty() &&
                            std::isdigit(static_cast<unsigned char>(input.constraint.front())) != 0;
    if (is_matched)
      matched += fmt::format("{}put(__w{}, {}); ", kSpace, input.constraint, name);
  }
  return result + matched;
}

/// A function that may be called from host functions, too, where it never is.
Translation unknown(const std::string &what, unsigned number) {
  const std::string name = "__warpscope_ptx_unknown_" + std::to_string(number);
  std::string shown;
  for (const char c : what)
    shown += c == '"' || c == '\\' || c == '\n' ? ' ' : c;
  Translation result;
  result.declaration = "extern \"C++\" __attribute__((host, device)) void ";
  result.declaration += name + "() __asm__(\"__warpscope_cannot_inline PTX: " + shown + "\"); ";
  result.body = name + "()";
  return result;
}

} // namespace

Translation translate(const AsmStatement &statement, unsigned number) {
  std::string problem;
  const auto instructions = read_instructions(statement, problem);
  if (!instructions)
    return unknown(problem, number);
  if (instructions->empty())
    return {"", "do { ", "", "} while (0)"};
  Writer writer(statement.outputs.size() + statement.inputs.size());
  try {
    for (const Instruction &instruction : *instructions)
      writer.write(instruction);
    return {"", "do { " + operands_of(statement), writer.finish(), "} while (0)"};
  } catch (const Refusal &refusal) {
    return unknown(refusal.what, number);
  }
}

std::string without_inline_ptx(std::string_view text) {
  std::string declarations, result;
  std::size_t done = 0;
  unsigned number = 0;
  Place place;
  for (auto statement = find_asm(text, 0); statement; statement = find_asm(text, statement->end)) {
    const std::string_view in_front = text.substr(done, statement->begin - done);
    const Translation translation = translate(*statement, number++);
    declarations += translation.declaration;
    place.advance(in_front);
    result += in_front;
    result += translation.before;
    result += place.marker();
    result += translation.body;
    result += translation.after;
    done = statement->end;
    place.advance(text.substr(statement->begin, done - statement->begin));
    result += place.marker();
  }
  if (number == 0)
    return {};
  return declarations + "\n" + result + std::string(text.substr(done));
}

} // namespace warpscope::ptx
