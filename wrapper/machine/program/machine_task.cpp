#include "wrapper/machine/program/machine_task.h"

#include <algorithm>

#include "wrapper/run/available_memory.h"

namespace warpscope {
namespace {

/// Starting threads takes as long as some thousand work-items of a few instructions.
constexpr std::uint64_t kLeastItems = 1 << 14;
/// Per work-item. Copying so much takes as long as a work-item of about ten instructions.
constexpr std::uint64_t kMostBytes = 64;

std::uint64_t items_of(const MachineTask& task) {
  const machine::LaunchSettings& settings = task.run->launch().settings();
  return settings.groups.count() * settings.local.count();
}

}  // namespace

unsigned threads_for(const MachineTask& task) {
  const std::uint64_t items = items_of(task);
  if (items < kLeastItems || (task.needs_turns && *task.needs_turns)) return 1;
  std::uint64_t bytes = 0;
  for (const auto& [address, allocation] : task.run->launch().memory().all()) bytes += allocation.bytes;
  // Claims and copies take up to twice as much.
  if (bytes / kMostBytes > items || bytes > available_memory() / 4) return 1;
  return static_cast<unsigned>(std::min(task.run->launch().settings().groups.count(), pocl_threads()));
}

unsigned finishers_for(const MachineTask& task, std::uint64_t groups) {
  if (groups == 0 || items_of(task) < kLeastItems) return 0;
  return static_cast<unsigned>(std::min(groups, pocl_threads())) - 1;
}

void MachineTask::execute() {
  execute([](unsigned threads) { return std::vector<machine::Observer*>(threads, nullptr); }, {});
}

void MachineTask::execute(const MakeObservers& make_observers, const machine::LaunchPart& part) {
  try {
    if (const unsigned threads = threads_for(*this); threads > 1) {
      const std::string why = run->run_apart([&] { return make_observers(threads); }, part);
      if (why.empty()) return;
      if (needs_turns && why != machine::kFault) *needs_turns = true;
    }
    run->run(make_observers(1).front(), part);
  } catch (const machine::ExecutionFault& found) {
    fault = found.what();
    kind = found.kind;
  }
}

}  // namespace warpscope
