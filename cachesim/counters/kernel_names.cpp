#include "cachesim/counters/kernel_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "cachesim/counters/kernel_numbers.h"

namespace warpscope {
namespace {

using Words = std::vector<std::string>;

/// Options with their values: "-D N=1" is the one word "-DN=1".
Words words_of(const std::string& options) {
  std::istringstream text(options);
  Words words;
  for (std::string word; text >> word;) {
    if (!words.empty() && (words.back() == "-D" || words.back() == "-I"))
      words.back() += word;
    else
      words.push_back(word);
  }
  return words;
}

bool are_distinct(const Words& texts) {
  return std::set<std::string>(texts.begin(), texts.end()).size() == texts.size();
}

/// Of each kernel the options that not all have.
Words own_options(const std::vector<const LaunchInfo*>& kernels) {
  std::vector<Words> all;
  all.reserve(kernels.size());
  for (const LaunchInfo* kernel : kernels) all.push_back(words_of(*kernel->build_options));
  Words own;
  own.reserve(kernels.size());
  for (const Words& words : all) {
    std::string text;
    for (const std::string& word : words) {
      const bool is_common = std::all_of(all.begin(), all.end(), [&](const Words& others) {
        return std::find(others.begin(), others.end(), word) != others.end();
      });
      if (!is_common) text += (text.empty() ? "" : " ") + word;
    }
    own.push_back(text.empty() ? "no options of its own" : text);
  }
  return own;
}

/// What tells kernels of one name apart, for each of them.
Words differences(const std::vector<const LaunchInfo*>& kernels) {
  Words files;
  files.reserve(kernels.size());
  for (const LaunchInfo* kernel : kernels) files.push_back(*kernel->source_name);
  if (are_distinct(files)) return files;
  if (Words options = own_options(kernels); are_distinct(options)) return options;
  Words numbers;
  numbers.reserve(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) numbers.push_back(fmt::format("variant {}", i + 1));
  return numbers;
}

}  // namespace

KernelNames name_kernels(const LaunchList& launches) {
  KernelNumbers numbers = number_kernels(launches);
  KernelNames result;
  std::map<std::string, std::vector<std::size_t>> by_name;
  for (const std::size_t first : numbers.first) {
    const LaunchInfo& launch = launches[first];
    by_name[launch.kernel->name].push_back(result.names.size());
    result.names.push_back(launch.kernel->name);
  }
  for (const auto& [name, own] : by_name) {
    if (own.size() == 1) continue;
    std::vector<const LaunchInfo*> kernels;
    for (const std::size_t kernel : own) kernels.push_back(&launches[numbers.first[kernel]]);
    const Words told_by = differences(kernels);
    for (std::size_t i = 0; i < own.size(); ++i)
      result.names[own[i]] = fmt::format("{} ({})", name, told_by[i]);
  }
  result.of_launch = std::move(numbers.of_launch);
  return result;
}

}  // namespace warpscope
