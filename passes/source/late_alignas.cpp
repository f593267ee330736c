#include "passes/source/late_alignas.h"

#include "passes/source/reader.h"
#include "passes/source/translate.h"

namespace warpscope::ptx {
namespace {

// As the preprocessor leaves what warpscope/attributes.h defines.
constexpr std::string_view kShared = "__attribute__((shared))";
constexpr std::string_view kWord = "alignas";

} // namespace

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
  const std::string aligned = with_late_alignas(text);
  const std::string result = without_inline_ptx(aligned.empty() ? text : aligned);
  return result.empty() ? aligned : result;
}

} // namespace warpscope::ptx
