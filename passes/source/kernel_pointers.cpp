#include "passes/source/kernel_pointers.h"

#include <array>
#include <optional>

#include "passes/source/reader.h"

namespace warpscope::ptx {
namespace {

// As the preprocessor leaves what warpscope/attributes.h defines.
constexpr std::string_view kGlobal = "__attribute__((global))";

/// A kernel's declaration from behind its attribute.
struct Declaration {
  std::size_t name = 0;       ///< begin of `ns::kernel<int>`
  std::size_t parameters = 0; ///< the parenthesis that opens them
  std::size_t end = 0;        ///< offset after them and after noexcept
};

bool takes_arguments(std::string_view word) {
  constexpr std::array kWords = {"__attribute__", "__declspec", "decltype", "alignas", "noexcept"};
  for (const std::string_view known : kWords)
    if (word == known)
      return true;
  return false;
}

void skip_noexcept(Reader &reader) {
  Reader ahead = reader;
  if (ahead.take_word() != "noexcept")
    return;
  reader = ahead;
  if (ahead.take('(') && ahead.take_parenthesised())
    reader = ahead;
}

std::optional<Declaration> read_declaration(std::string_view text, std::size_t from) {
  Reader reader(text, from);
  std::string_view word;
  Declaration result;
  int angles = 0;
  bool is_qualified = false;
  for (reader.skip_space(); !reader.is_at_end(); reader.skip_space()) {
    const char c = reader.peek();
    if (c == ';' || c == '{' || c == '}')
      return std::nullopt;
    if (c == '(') {
      result.parameters = reader.at();
      reader.take('(');
      if (!reader.take_parenthesised())
        return std::nullopt;
      if (angles != 0 || takes_arguments(word))
        continue;
      skip_noexcept(reader);
      result.end = reader.at();
      return result;
    }
    const std::size_t begin = reader.at();
    reader.step();
    const std::string_view element = text.substr(begin, reader.at() - begin);
    angles += c == '<' ? 1 : c == '>' ? -1 : 0;
    const bool is_word = element.size() > 1 || (c != '<' && c != '>' && c != ':' && c != '*');
    if (is_word && angles == 0) {
      word = element;
      if (!is_qualified)
        result.name = begin;
    }
    is_qualified = c == ':' || (is_qualified && angles != 0);
  }
  return std::nullopt;
}

/// `template` in front of the attribute, or of words in front of it, without parameters. Where.
std::optional<std::size_t> instantiation(std::string_view text, std::size_t attribute) {
  std::size_t end = text.find_last_of(";{}>\"", attribute);
  if (end != std::string_view::npos && text[end] == '"') // of a line marker
    end = text.find('\n', end);
  Reader reader(text, end == std::string_view::npos ? 0 : end + 1);
  reader.skip_space();
  const std::size_t begin = reader.at();
  return begin < attribute && reader.take_word() == "template" ? std::optional(begin)
                                                               : std::nullopt;
}

} // namespace

std::string with_plain_kernel_types(std::string_view text) {
  std::string result;
  std::size_t done = 0;
  unsigned uses = 0;
  for (std::size_t at = text.find(kGlobal); at != std::string_view::npos;
       at = text.find(kGlobal, at + kGlobal.size())) {
    const auto declaration = read_declaration(text, at + kGlobal.size());
    if (!declaration || at < done)
      continue;
    const auto begin = instantiation(text, at);
    if (begin && *begin >= done) {
      const auto &[name, parameters, end] = *declaration;
      result += text.substr(done, *begin - done);
      result += "static void (*const __warpscope_use_" + std::to_string(uses++) + ")";
      result += text.substr(parameters, end - parameters);
      result += " = ";
      result += text.substr(name, parameters - name);
    } else {
      result += text.substr(done, at - done);
      result += text.substr(at + kGlobal.size(), declaration->end - at - kGlobal.size());
      result += " ";
      result += kGlobal;
    }
    done = declaration->end;
  }
  result += text.substr(done);
  return result;
}

} // namespace warpscope::ptx
