#include "passes/source/asm_statements.h"

#include "passes/source/reader.h"

namespace warpscope::ptx {
namespace {

bool read_operand(Reader &reader, std::vector<Operand> &list) {
  Operand operand;
  if (reader.take('[')) {
    operand.name = reader.take_word();
    if (!reader.take(']'))
      return false;
  }
  auto constraint = reader.take_literals();
  if (!constraint || !reader.take('('))
    return false;
  auto expression = reader.take_parenthesised();
  if (!expression)
    return false;
  operand.constraint = *constraint;
  operand.expression = *expression;
  list.push_back(std::move(operand));
  return true;
}

bool read_operands(Reader &reader, std::vector<Operand> &list) {
  reader.skip_space();
  if (reader.peek() == ':' || reader.peek() == ')')
    return true;
  do {
    if (!read_operand(reader, list))
      return false;
  } while (reader.take(','));
  return true;
}

/// From behind `asm`; false if it is no statement with or without operands.
bool read_statement(Reader &reader, AsmStatement &statement) {
  bool is_volatile = false;
  for (;;) {
    const std::string_view word = reader.take_word();
    if (word == "goto")
      return false;
    if (word.empty())
      break;
    is_volatile = true;
  }
  if (!reader.take('('))
    return false;
  const auto text = reader.take_literals();
  if (!text)
    return false;
  statement.text = *text;
  statement.has_operands = reader.take(':');
  if (statement.has_operands) {
    if (!read_operands(reader, statement.outputs) ||
        (reader.take(':') && !read_operands(reader, statement.inputs)))
      return false;
    if (reader.take(':'))
      do {
        if (!reader.take_literals())
          break;
      } while (reader.take(','));
  }
  if (!reader.take(')'))
    return false;
  statement.end = reader.at();
  // `void f() asm("name")` has nothing but a name.
  return is_volatile || statement.has_operands ||
         statement.text.find_first_of("; \n") != std::string::npos;
}

/// Goes on behind the next `asm`, where it begins; none: there is no further one.
std::optional<std::size_t> next_asm(std::string_view text, Reader &reader) {
  for (reader.skip_space(); !reader.is_at_end(); reader.skip_space()) {
    const std::size_t begin = reader.at();
    reader.step();
    const std::string_view word = text.substr(begin, reader.at() - begin);
    if (word == "asm" || word == "__asm__" || word == "__asm")
      return begin;
  }
  return std::nullopt;
}

} // namespace

std::optional<AsmStatement> find_asm(std::string_view text, std::size_t from) {
  Reader reader(text, from);
  while (const auto begin = next_asm(text, reader)) {
    AsmStatement statement;
    statement.begin = *begin;
    Reader inside = reader;
    if (read_statement(inside, statement))
      return statement;
  }
  return std::nullopt;
}

bool names_symbol(std::string_view text, std::string_view part, std::string_view but) {
  Reader reader(text, 0);
  while (next_asm(text, reader)) {
    Reader inside = reader;
    if (!inside.take('('))
      continue;
    const std::size_t begin = inside.at();
    const auto name = inside.take_literals();
    if (!name || !inside.take(')') || name->find_first_of("; \n") != std::string::npos)
      continue;
    const std::string_view written = text.substr(begin, inside.at() - begin);
    const bool is_meant = name->find(part) != std::string::npos && !name->starts_with(but);
    if (is_meant || written.find('\\') != std::string::npos)
      return true;
  }
  return false;
}

} // namespace warpscope::ptx
