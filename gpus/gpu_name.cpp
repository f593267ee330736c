#include "gpus/gpu_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <utility>

namespace warpscope {
namespace {

constexpr std::array<std::string_view, 9> kMakersWords = {"nvidia", "geforce", "tesla",  "quadro",  "jetson",
                                                          "agx",    "amd",     "radeon", "instinct"};
constexpr std::size_t kLongestName = 64;  ///< longer ones are nobody's typing error
constexpr std::size_t kMostEdits = 2;
constexpr std::size_t kMostSuggestions = 3;
constexpr std::size_t kLeastPart = 3;  ///< letters in the middle of a name that say which one is meant

bool is_gap(char letter) {
  return letter == ' ' || letter == '\t' || letter == '-' || letter == '_';
}

/// Levenshtein's distance: how many letters must be put in, taken out or exchanged.
std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t exchanged = diagonal + (from[i] != to[j] ? 1 : 0);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, exchanged});
    }
  }
  return row.back();
}

/// Whether one of two is the other's beginning; one letter may be any GPU's.
bool begin_alike(std::string_view typed, std::string_view name) {
  return std::min(typed.size(), name.size()) >= 2 && (typed.starts_with(name) || name.starts_with(typed));
}

}  // namespace

std::string canonical_gpu_name(std::string_view name) {
  std::string plain;
  std::string word;
  const auto end_word = [&] {
    if (word == "super") word = "s";
    if (std::find(kMakersWords.begin(), kMakersWords.end(), word) == kMakersWords.end()) plain += word;
    word.clear();
  };
  for (const char letter : name) {
    if (is_gap(letter))
      end_word();
    else
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  end_word();
  return plain.starts_with("rtxa") ? plain.substr(3) : plain;
}

std::vector<std::string> similar_gpu_names(std::string_view name, const std::vector<std::string>& names) {
  return name.size() > kLongestName ? std::vector<std::string>()
                                    : similar_names(canonical_gpu_name(name), names);
}

std::vector<std::string> similar_names(std::string_view typed, const std::vector<std::string>& names) {
  if (typed.empty() || typed.size() > kLongestName) return {};
  std::vector<std::pair<std::size_t, std::string>> near;  // by how many letters they differ
  const auto add_if = [&](const auto& is_alike) {
    for (const std::string& known : names)
      if (is_alike(known)) near.emplace_back(edits(typed, known), known);
  };
  add_if([&](const std::string& known) { return begin_alike(typed, known); });
  if (near.empty()) add_if([&](const std::string& known) { return edits(typed, known) <= kMostEdits; });
  if (near.empty() && typed.size() >= kLeastPart)
    add_if([&](const std::string& known) { return known.find(typed) != std::string::npos; });
  std::sort(near.begin(), near.end());
  std::vector<std::string> similar;
  for (const auto& [letters, known] : near)
    if (similar.size() < kMostSuggestions) similar.push_back(known);
  return similar;
}

}  // namespace warpscope
