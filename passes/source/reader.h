#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace warpscope::ptx {

/// Reads preprocessed C++ text from left to right, over literals and line markers.
class Reader {
public:
  Reader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool is_at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return is_at_end() ? '\0' : text_[at_]; }

  void skip_space();
  bool take(char c);
  /// An identifier or a number; empty if there is none.
  std::string_view take_word();
  /// One element of text: a literal as a whole, a word, or a character.
  void step();
  /// Text up to the parenthesis that closes an open one, which is taken, too.
  std::optional<std::string> take_parenthesised();
  /// Adjacent string literals; none if there is no literal.
  std::optional<std::string> take_literals();

private:
  [[nodiscard]] bool starts_raw() const { return text_.substr(at_, 2) == "R\""; }
  void skip_literal();
  void skip_raw_literal();

  std::string_view text_;
  std::size_t at_;
};

} // namespace warpscope::ptx
