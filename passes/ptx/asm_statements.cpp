#include "passes/ptx/asm_statements.h"

#include <algorithm>
#include <cctype>

namespace warpscope::ptx {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Reads C++ text from left to right, over literals, comments and line markers.
class Reader {
public:
  Reader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool is_at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return is_at_end() ? '\0' : text_[at_]; }

  void skip_space() {
    while (!is_at_end()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
        ++at_;
      else if (text_[at_] == '#' && (at_ == 0 || text_[at_ - 1] == '\n'))
        at_ = std::min(text_.find('\n', at_), text_.size());
      else
        return;
    }
  }

  bool take(char c) {
    skip_space();
    if (peek() != c)
      return false;
    ++at_;
    return true;
  }

  std::string_view take_word() {
    skip_space();
    const std::size_t begin = at_;
    while (!is_at_end() && is_word(text_[at_]))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// One element of text: a literal as a whole, a word, or a character.
  void step() {
    const char c = peek();
    if (c == '"' || c == '\'') {
      skip_literal();
    } else if (is_word(c)) {
      const std::string_view word = take_word();
      if (peek() == '"' && !word.empty() && word.back() == 'R')
        skip_raw_literal();
      else if (peek() == '\'' && std::isdigit(static_cast<unsigned char>(word.front())) != 0)
        ++at_; // a digit separator
    } else {
      ++at_;
    }
  }

  /// Text up to the parenthesis that closes an open one, which is taken, too.
  std::optional<std::string> take_parenthesised() {
    const std::size_t begin = at_;
    for (int depth = 1; !is_at_end();) {
      const char c = peek();
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0)
        return std::string(text_.substr(begin, at_++ - begin));
      step();
    }
    return std::nullopt;
  }

  /// Adjacent string literals; none if there is no literal.
  std::optional<std::string> take_literals() {
    std::string result;
    bool any = false;
    for (skip_space(); peek() == '"' || starts_raw(); skip_space(), any = true) {
      const std::size_t begin = at_;
      if (peek() == '"') {
        skip_literal();
        result += unescaped(text_.substr(begin + 1, at_ - begin - 2));
      } else {
        ++at_;
        const std::size_t open = text_.find('(', at_);
        skip_raw_literal();
        const std::size_t delimiter = open - begin - 2;
        result += text_.substr(open + 1, at_ - open - 3 - delimiter);
      }
    }
    return any ? std::optional(result) : std::nullopt;
  }

private:
  [[nodiscard]] bool starts_raw() const { return text_.substr(at_, 2) == "R\""; }

  void skip_literal() {
    const char quote = text_[at_++];
    while (!is_at_end() && text_[at_] != quote)
      at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
  }

  void skip_raw_literal() { // at its quote
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) {
      at_ = text_.size();
      return;
    }
    const std::string closing = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = text_.find(closing, open);
    at_ = end == std::string_view::npos ? text_.size() : end + closing.size();
  }

  static std::string unescaped(std::string_view literal) {
    std::string result;
    for (std::size_t at = 0; at < literal.size(); ++at) {
      if (literal[at] != '\\' || at + 1 == literal.size()) {
        result += literal[at];
        continue;
      }
      const char c = literal[++at];
      result += c == 'n' || c == 'r' ? '\n' : c == 't' || c == 'v' || c == 'f' ? ' ' : c;
    }
    return result;
  }

  std::string_view text_;
  std::size_t at_;
};

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

} // namespace

std::optional<AsmStatement> find_asm(std::string_view text, std::size_t from) {
  Reader reader(text, from);
  for (reader.skip_space(); !reader.is_at_end(); reader.skip_space()) {
    const std::size_t begin = reader.at();
    reader.step();
    const std::string_view word = text.substr(begin, reader.at() - begin);
    if (word != "asm" && word != "__asm__" && word != "__asm")
      continue;
    AsmStatement statement;
    statement.begin = begin;
    Reader inside = reader;
    if (read_statement(inside, statement))
      return statement;
  }
  return std::nullopt;
}

} // namespace warpscope::ptx
