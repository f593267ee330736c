#include "wrapper/cuda/state/ranges.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

namespace warpscope::cuda {
namespace {

constexpr std::size_t kLongestText = 200;

struct Range {
  std::string domain, name;
};
thread_local std::vector<Range> pushed;

/// Never destroyed: objects of the program may end their ranges after main().
struct Started {
  std::mutex mutex;
  std::uint64_t last = 0;
  std::map<std::uint64_t, Range> ranges;
};
Started& started() {
  static auto* started = new Started;
  return *started;
}

std::string text_of(const char* text) {
  return text != nullptr ? text : "";
}

void add(std::string& text, const Range& range) {
  if (!text.empty()) text += '/';
  if (!range.domain.empty()) text += range.domain + ':';
  text += range.name;
}

}  // namespace

int push_range(const char* domain, const char* name) {
  const std::string of = text_of(domain);
  const auto open =
      std::count_if(pushed.begin(), pushed.end(), [&](const Range& range) { return range.domain == of; });
  pushed.push_back({of, text_of(name)});
  return static_cast<int>(open);
}

int pop_range(const char* domain) {
  const std::string of = text_of(domain);
  const auto newest =
      std::find_if(pushed.rbegin(), pushed.rend(), [&](const Range& range) { return range.domain == of; });
  if (newest == pushed.rend()) return -1;
  pushed.erase(std::next(newest).base());
  return static_cast<int>(
      std::count_if(pushed.begin(), pushed.end(), [&](const Range& range) { return range.domain == of; }));
}

std::uint64_t start_range(const char* domain, const char* name) {
  const std::lock_guard lock(started().mutex);
  started().ranges[++started().last] = {text_of(domain), text_of(name)};
  return started().last;
}

void end_range(std::uint64_t range) {
  const std::lock_guard lock(started().mutex);
  started().ranges.erase(range);
}

std::string open_ranges() {
  std::string text;
  {
    const std::lock_guard lock(started().mutex);
    for (const auto& [id, range] : started().ranges) add(text, range);
  }
  for (const Range& range : pushed) add(text, range);
  if (text.size() <= kLongestText) return text;
  std::size_t end = kLongestText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // no half letters
  return text.substr(0, end);
}

}  // namespace warpscope::cuda
