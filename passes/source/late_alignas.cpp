#include "passes/source/late_alignas.h"

#include <cctype>

#include "passes/source/reader.h"
#include "passes/source/translate.h"

namespace warpscope::ptx {
namespace {

// As the preprocessor leaves what warpscope/attributes.h defines.
constexpr std::string_view kShared = "__attribute__((shared))";
constexpr std::string_view kWord = "alignas";

// The place of `mark`, any spaces and '>' or '<', as in "<< <"; npos if something else is there.
std::size_t end_of_split(std::string_view text, std::size_t mark) {
  std::size_t at = mark + 2;
  while (at < text.size() && text[at] == ' ')
    ++at;
  const bool is_split = at > mark + 2 && at < text.size() && text[at] == text[mark];
  return is_split && (at + 1 == text.size() || text[at + 1] != text[mark]) ? at
                                                                           : std::string_view::npos;
}

// A kernel's name or its template's arguments are in front of a launch, not `operator`.
bool ends_with_name(std::string_view text) {
  const std::size_t last = text.find_last_not_of(' ');
  if (last == std::string_view::npos)
    return false;
  text = text.substr(0, last + 1);
  const bool is_name = std::isalnum(static_cast<unsigned char>(text.back())) != 0 ||
                       text.back() == '_' || text.back() == '>';
  return is_name && !text.ends_with("operator");
}

bool is_in_literal(std::string_view text, std::size_t at) {
  const std::size_t line = text.rfind('\n', at) + 1; // 0 in the first one
  bool is_inside = false;
  for (std::size_t i = line; i < at; ++i) {
    if (text[i] == '\\')
      ++i;
    else
      is_inside ^= text[i] == '"';
  }
  return is_inside;
}

} // namespace

std::string with_whole_launches(std::string_view text) {
  std::string result;
  for (std::size_t at = text.find("<< "); at != std::string_view::npos;
       at = text.find("<< ", at + 3)) {
    const std::size_t end = end_of_split(text, at);
    const std::size_t close = text.find(">>", at);
    if (end == std::string_view::npos || close == std::string_view::npos ||
        !ends_with_name(text.substr(0, at)) || is_in_literal(text, at) ||
        text.substr(at, close - at).find_first_of(";{}\"\n") != std::string_view::npos)
      continue;
    const std::size_t last = end_of_split(text, close);
    if (last == std::string_view::npos && text.substr(close, 3) != ">>>")
      continue;
    if (result.empty())
      result = text;
    result.replace(at, end + 1 - at, std::string(end - 2 - at, ' ') + "<<<");
    if (last != std::string_view::npos)
      result.replace(close, last + 1 - close, ">>>" + std::string(last - 2 - close, ' '));
  }
  return result;
}

std::string with_late_alignas(std::string_view text) {
  std::string result;
  for (std::size_t at = text.find(kShared); at != std::string_view::npos;
       at = text.find(kShared, at + kShared.size())) {
    Reader reader(text, at + kShared.size());
    reader.skip_space();
    const std::size_t word = reader.at();
    if (word == at + kShared.size() || reader.take_word() != kWord)
      continue;
    if (result.empty())
      result = text;
    result.replace(word - 1, 1 + kWord.size(), "_Alignas"); // as long as with the space before
  }
  return result;
}

std::string as_clang_takes_it(std::string_view text) {
  const std::string launches = with_whole_launches(text);
  const std::string_view whole = launches.empty() ? text : launches;
  const std::string aligned = with_late_alignas(whole);
  const std::string result = without_inline_ptx(aligned.empty() ? whole : aligned);
  return !result.empty() ? result : !aligned.empty() ? aligned : launches;
}

} // namespace warpscope::ptx
