#pragma once
// Runs the work-groups of a launch on several threads, as long as none matters to another.
#include <functional>
#include <string>
#include <vector>

#include "machine/execute/launch.h"

namespace warpscope::machine {

/// Gives each thread its observer (null: nobody), before all work-groups run, once more if what the ones before saw has to be forgotten.
using MakeObservers = std::function<std::vector<Observer*>()>;

/// Executes all work-groups, or those of a part, each on one of as many threads as there are observers, with what Launch::run() leaves behind.
/// Returns "" afterwards. Otherwise why they have to run in turns: memory and counts are as before then, and what observers saw has to
/// be forgotten. kFault: Launch::run() says which fault is the first. Throws what observers throw, but for ExecutionFault and std::bad_alloc.
std::string run_apart(Launch& launch, const MakeObservers& make_observers, const LaunchPart& part);
constexpr const char* kFault = "a fault";

}  // namespace warpscope::machine
