#include "passes/source/reader.h"

#include <algorithm>
#include <cctype>

namespace warpscope::ptx {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string unescaped(std::string_view literal) {
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

} // namespace

void Reader::skip_space() {
  while (!is_at_end()) {
    if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
      ++at_;
    else if (text_[at_] == '#' && (at_ == 0 || text_[at_ - 1] == '\n'))
      at_ = std::min(text_.find('\n', at_), text_.size());
    else
      return;
  }
}

bool Reader::take(char c) {
  skip_space();
  if (peek() != c)
    return false;
  ++at_;
  return true;
}

std::string_view Reader::take_word() {
  skip_space();
  const std::size_t begin = at_;
  while (!is_at_end() && is_word(text_[at_]))
    ++at_;
  return text_.substr(begin, at_ - begin);
}

void Reader::step() {
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

std::optional<std::string> Reader::take_parenthesised() {
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

std::optional<std::string> Reader::take_literals() {
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

void Reader::skip_literal() {
  const char quote = text_[at_++];
  while (!is_at_end() && text_[at_] != quote)
    at_ += text_[at_] == '\\' ? 2 : 1;
  at_ = std::min(at_ + 1, text_.size());
}

void Reader::skip_raw_literal() { // at its quote
  const std::size_t open = text_.find('(', at_);
  if (open == std::string_view::npos) {
    at_ = text_.size();
    return;
  }
  const std::string closing = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
  const std::size_t end = text_.find(closing, open);
  at_ = end == std::string_view::npos ? text_.size() : end + closing.size();
}

} // namespace warpscope::ptx
