#include "cachesim/sweep/number_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "traces/base/error.h"
#include "traces/base/parse_number.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostNumbers = 1u << 20;

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  for (;;) {
    const std::size_t comma = text.find(',', at);
    parts.push_back(text.substr(at, comma == std::string::npos ? comma : comma - at));
    if (comma == std::string::npos) return parts;
    at = comma + 1;
  }
}

/// Takes a whole number from the front of `text`; whether there was one.
bool take(std::string_view& text, std::uint64_t& number) {
  const auto taken = take_number(text);
  number = taken.value_or(0);
  return taken.has_value();
}

/// A, A-B, A-B:S or A-B*F, into first, last, and the step or the factor (the other one is neutral).
struct Range {
  std::uint64_t first = 0, last = 0, step = 1, factor = 1;
  bool parse(std::string_view text) {
    if (!take(text, first)) return false;
    last = first;
    if (text.empty()) return true;
    if (text.front() != '-') return false;
    text.remove_prefix(1);
    if (!take(text, last)) return false;
    if (text.empty()) return true;
    const char how = text.front();
    text.remove_prefix(1);
    if (how != ':' && how != '*') return false;
    std::uint64_t& by = how == ':' ? step : factor;
    if (how == '*') step = 0;
    return take(text, by) && text.empty() && by >= (how == ':' ? 1u : 2u);
  }
};

}  // namespace

std::vector<NumberItem> parse_number_list(const std::string& option, const std::string& text,
                                          std::uint64_t most, std::uint64_t least) {
  std::vector<NumberItem> items;
  std::size_t numbers = 0;
  for (const std::string& part : split_list(text)) {
    Range range;
    if (!range.parse(part))
      throw InputError(
          fmt::format("{}: '{}', expected numbers and ranges like 4, 1-16, 8-64:8 or 8-256*2, with "
                      "commas between",
                      option, part));
    if (range.first < least || range.last > most || range.first > range.last)
      throw InputError(fmt::format("{}: '{}', expected numbers from {} to {}, the smaller one first", option,
                                   part, least, most));
    NumberItem item{part, {}};
    for (std::uint64_t value = range.first; value <= range.last; value = value * range.factor + range.step) {
      item.values.push_back(value);
      if (++numbers > kMostNumbers)
        throw InputError(fmt::format("{}: more than {} numbers, expected fewer", option, kMostNumbers));
    }
    items.push_back(std::move(item));
  }
  return items;
}

std::vector<std::uint64_t> values_of(const std::vector<NumberItem>& items) {
  std::vector<std::uint64_t> all;
  for (const NumberItem& item : items) all.insert(all.end(), item.values.begin(), item.values.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<std::string> parse_word_list(const std::string& option, const std::string& text) {
  std::vector<std::string> words;
  for (const std::string& word : split_list(text)) {
    if (word.empty())
      throw InputError(
          fmt::format("{}: '{}' has an empty word, expected names with commas between", option, text));
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

}  // namespace warpscope
