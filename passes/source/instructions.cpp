#include "passes/source/instructions.h"

#include <algorithm>
#include <cctype>

namespace warpscope::ptx {
namespace {

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

std::string trimmed(std::string_view text) {
  const char *spaces = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(spaces);
  if (begin == std::string_view::npos)
    return {};
  return std::string(text.substr(begin, text.find_last_not_of(spaces) - begin + 1));
}

std::string without_comments(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
      result += ' ';
    } else {
      result += text[at++];
    }
  }
  return result;
}

std::optional<std::size_t> operand_called(const AsmStatement &statement, std::string_view name) {
  std::size_t index = 0;
  for (const auto *list : {&statement.outputs, &statement.inputs})
    for (const Operand &operand : *list) {
      if (operand.name == name)
        return index;
      ++index;
    }
  return std::nullopt;
}

/// `%0` and `%[name]` by their names here, registers (`%%laneid`, `%laneid`) by theirs; none if
/// there is no such operand.
std::optional<std::string> with_operands(const AsmStatement &statement, std::string_view text) {
  if (!statement.has_operands)
    return std::string(text);
  const std::size_t count = statement.outputs.size() + statement.inputs.size();
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%' || at + 1 == text.size()) {
      result += text[at];
      continue;
    }
    const char next = text[++at];
    if (next == '%') {
      result += '%';
      continue;
    }
    if (std::isalpha(static_cast<unsigned char>(next)) != 0) { // nvcc lets a register have one
      result.append("%").push_back(next);
      continue;
    }
    std::optional<std::size_t> index;
    if (std::isdigit(static_cast<unsigned char>(next)) != 0) {
      std::size_t value = 0;
      for (; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0; ++at)
        value = std::min<std::size_t>(value * 10 + static_cast<std::size_t>(text[at] - '0'), count);
      --at;
      index = value;
    } else if (next == '[') {
      const std::size_t end = std::min(text.find(']', at), text.size());
      index = operand_called(statement, text.substr(at + 1, end - at - 1));
      at = end;
    }
    if (!index || *index >= count)
      return std::nullopt;
    result += operand_name(*index);
  }
  return result;
}

std::vector<std::string> split_operands(std::string_view text) {
  std::vector<std::string> result;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
    if ((c == ',' && depth == 0) || at == text.size()) {
      result.push_back(trimmed(text.substr(begin, at - begin)));
      begin = at + 1;
    }
  }
  if (result.size() == 1 && result.front().empty())
    result.clear();
  return result;
}

/// `@p add.u32 d, a, b` without its semicolon.
std::optional<Instruction> read_instruction(std::string_view text, std::string &problem) {
  Instruction instruction;
  std::size_t at = 0;
  if (text.front() == '@') {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n"), text.size());
    instruction.guard = text.substr(1, end - 1);
    at = std::min(text.find_first_not_of(" \t\r\n", end), text.size());
  }
  std::size_t end = at;
  while (end < text.size() && (is_name(text[end]) || text[end] == '.' || text[end] == ':'))
    ++end;
  const std::string word(text.substr(at, end - at));
  if (word.empty() || (word.back() == ':') ||
      (end < text.size() && trimmed(text.substr(end)).starts_with(':'))) {
    problem = word.empty() ? "text '" + std::string(text) + "'" : "label " + word;
    return std::nullopt;
  }
  std::vector<std::string> parts;
  for (std::size_t begin = word.front() == '.' ? 1 : 0; begin <= word.size();) {
    const std::size_t dot = std::min(word.find('.', begin), word.size());
    parts.push_back(word.substr(begin, dot - begin));
    begin = dot + 1;
  }
  instruction.name = parts.front();
  instruction.modifiers.assign(parts.begin() + 1, parts.end());
  instruction.operands = split_operands(text.substr(end));
  if (word.front() == '.') {
    if (instruction.name != "reg" || instruction.operands.empty()) {
      problem = "directive ." + instruction.name;
      return std::nullopt;
    }
    instruction.kind = Instruction::Kind::Registers;
    // `.reg .pred p, q`: the type is the first word.
    const std::string first = instruction.operands.front();
    if (const std::size_t space = first.find_first_of(" \t\r\n");
        first.front() == '.' && space != std::string::npos) {
      instruction.modifiers.push_back(first.substr(1, space - 1));
      instruction.operands.front() = trimmed(first.substr(space));
    }
  }
  return instruction;
}

} // namespace

bool Instruction::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::string Instruction::mnemonic() const {
  std::string result = name;
  for (const std::string &modifier : modifiers)
    result += "." + modifier;
  return result;
}

std::string operand_name(std::size_t index) { return "__w" + std::to_string(index); }

std::optional<std::vector<Instruction>> read_instructions(const AsmStatement &statement,
                                                          std::string &problem) {
  const auto with_names = with_operands(statement, without_comments(statement.text));
  if (!with_names) {
    problem = "operand that is not there";
    return std::nullopt;
  }
  const std::string &text = *with_names;
  std::vector<Instruction> result;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == ';') {
      ++at;
    } else if (c == '{' || c == '}') {
      Instruction scope;
      scope.kind = c == '{' ? Instruction::Kind::OpenScope : Instruction::Kind::CloseScope;
      result.push_back(scope);
      ++at;
    } else {
      // The last one may come without its semicolon, also in front of a closing brace.
      std::size_t end = std::min(text.find(';', at), text.size());
      auto instruction = read_instruction(trimmed(text.substr(at, end - at)), problem);
      if (!instruction)
        return std::nullopt;
      result.push_back(std::move(*instruction));
      at = end;
    }
  }
  return result;
}

} // namespace warpscope::ptx
