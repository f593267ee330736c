#include "traces/capture/runs/lane_runs.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "traces/base/error.h"
#include "traces/capture/runs/run_table.h"

namespace warpscope {
namespace {

// A log: the launch; then of each run the record and the count of numbers, the first work-group and the step, the count of
// work-groups, the numbers of the first one, and what is added for each next one. The process may be killed between any two
// stores, so the count is stored last.
constexpr std::size_t kLaunchWords = 1;
constexpr std::size_t kRunWords = 3;

std::uint64_t pair_of(std::uint32_t low, std::uint64_t high) {
  return low | high << 32;
}

}  // namespace

bool are_runs_wanted() {
  static const bool wanted = std::getenv("WARPSCOPE_RECORDS_ONLY") == nullptr;
  return wanted;
}

void LaneRuns::begin(LaunchId launch, std::shared_ptr<const std::vector<bool>> carries_address) {
  launch_ = launch;
  records_.emplace(std::move(carries_address), [](WorkGroupId) { return std::vector<std::uint8_t>(); });
  tail_.run.count = 0;
}

bool LaneRuns::has_room(std::size_t words, WorkGroupId record) {
  if (words_ + words > lanes_.log(lane_).size() || groups_ >= kMostGroups) return false;
  if (std::ranges::find(forms_, record) != forms_.end()) return true;
  if (forms_.size() == RunTable::kMostForms) return false;
  forms_.push_back(record);
  return true;
}

LaneRuns::Added LaneRuns::add(WorkGroupId group, std::span<const std::uint8_t> payload) {
  const auto match = records_->find(payload.size(), [&] { return payload; });
  if (!match) return Added::IsRecord;
  const std::span<std::uint64_t> log = lanes_.log(lane_);
  const GroupRun one{0, group.value(), 1, 1};
  if (groups_ < kMostGroups && tail_.take(match->record, one, match->numbers, {}) != 0) {
    put_run();
    ++groups_;
    lanes_.set_log(lane_, words_);
    return Added::InRun;
  }
  const std::size_t words = kRunWords + 2 * match->numbers.size();
  const std::size_t before = words_ == 0 ? kLaunchWords : 0;
  if (!has_room(before + words, match->record)) return words_ == 0 ? Added::IsRecord : Added::LogIsFull;
  if (words_ == 0) log[0] = launch_.value();
  tail_.begin(match->record, one, match->numbers, {});
  tail_at_ = words_ + before;
  log[tail_at_] = pair_of(match->record.value(), match->numbers.size());
  std::ranges::copy(match->numbers, &log[tail_at_ + kRunWords]);
  put_run();
  words_ += before + words;
  ++groups_;
  lanes_.set_log(lane_, words_);
  return Added::InRun;
}

/// Brings the log up to date with `tail_`.
void LaneRuns::put_run() {
  const std::span<std::uint64_t> run = lanes_.log(lane_).subspan(tail_at_);
  if (tail_.run.count <= 2) {
    run[1] = pair_of(tail_.run.first, tail_.run.step);
    std::ranges::copy(tail_.deltas,
                      run.begin() + static_cast<std::ptrdiff_t>(kRunWords + tail_.first.size()));
  }
  std::atomic_ref<std::uint64_t>(run[2]).store(tail_.run.count, std::memory_order_release);
}

std::vector<std::uint8_t> LaneRuns::close() {
  const std::span<const std::uint64_t> log = lanes_.log(lane_).first(words_);
  tail_.run.count = 0;
  words_ = 0;
  groups_ = 0;
  forms_.clear();
  return section_of_log(log);
}

std::vector<std::uint8_t> section_of_log(std::span<const std::uint64_t> words) {
  if (words.size() <= kLaunchWords) return {};
  RunTable table;
  std::uint32_t lowest = ~std::uint32_t{0};
  for (std::size_t at = kLaunchWords; at < words.size();) {
    const std::uint64_t numbers = at + kRunWords > words.size() ? words.size() : words[at] >> 32;
    if (at + kRunWords + 2 * numbers > words.size()) throw InputError("the log of a lane is damaged");
    GroupRun run{0, static_cast<std::uint32_t>(words[at + 1]),
                 static_cast<std::uint32_t>(words[at + 1] >> 32), static_cast<std::uint32_t>(words[at + 2])};
    run.form = table.form_of(WorkGroupId(static_cast<std::uint32_t>(words[at])), numbers);
    if (run.count == 0 || run.form == RunTable::kMostForms || table.forms[run.form].numbers != numbers)
      throw InputError("the log of a lane is damaged");
    lowest = std::min(lowest, run.first);
    const auto all = words.subspan(at + kRunWords, 2 * numbers);
    table.add(run, all.first(numbers), all.subspan(numbers));
    at += kRunWords + 2 * numbers;
  }
  SectionEncoder encoder;
  const auto section =
      encoder.encode(kRunsTag, LaunchId(static_cast<std::uint32_t>(words[0])), lowest, encode(table));
  return {section.begin(), section.end()};
}

}  // namespace warpscope
