#include "wrapper/program/long_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "wrapper/launch/missing_arguments.h"
#include "wrapper/session/settings.h"

namespace warpscope {

std::optional<LaunchRow> running_launch(const std::string& directory) {
  for (unsigned process = 1; std::filesystem::exists(layer::process_folder(directory, process)); ++process) {
    const ProcessEvents events = read_events(layer::process_folder(directory, process) + layer::kEventsFile);
    const auto found = std::ranges::find(events.launches, false, &LaunchRow::has_ended);
    if (found != events.launches.end()) return *found;
  }
  return std::nullopt;
}

std::string why_it_may_not_end(const LaunchRow& launch, std::uint64_t threads) {
  // Of the whole launch, whatever part of it is recorded.
  const std::uint64_t groups = launch.global.count() / std::max<std::uint64_t>(launch.local.count(), 1);
  if (groups <= threads) return "";
  return fmt::format(
      "trace-kernel: launch {} ({}) has run for more than a minute. PoCL runs {} of its {} work-groups at a "
      "time: if they wait for each other, end it with Ctrl-C and set POCL_MAX_PTHREAD_COUNT={}\n",
      launch.launch.value(), launch.kernel, threads, with_commas(groups), groups);
}

LongLaunchNote::LongLaunchNote(std::string directory, std::uint64_t threads,
                               std::chrono::milliseconds interval)
    : directory_(std::move(directory)),
      threads_(threads),
      interval_(interval),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {}

void LongLaunchNote::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  std::uint64_t before = 0;
  while (!changed_.wait_for(lock, stop, interval_, [&] { return stop.stop_requested(); })) {
    const std::uint64_t launches = launch_count(directory_);
    if (launches == before && launches > 0)
      if (const std::optional<LaunchRow> launch = running_launch(directory_)) {
        std::fputs(why_it_may_not_end(*launch, threads_).c_str(), stderr);
        return;
      }
    before = launches;
  }
}

}  // namespace warpscope
