#include "machine/execute/apart.h"

#include <atomic>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "machine/execute/base/fault.h"

namespace warpscope::machine {
namespace {

/// After so many attempts all words are claimed from the beginning.
constexpr unsigned kAttempts = 3;

/// One attempt.
class Attempt {
 public:
  Attempt(Launch& launch, const std::vector<Observer*>& observers, const LaunchPart& part, Claims& claims)
      : launch_(launch), part_(part), count_(launch.settings().groups.count()), order_(part.order, count_) {
    for (Observer* const observer : observers) {
      workers_.push_back({observer, {}, {}});
      parts_.push_back(std::make_unique<Launch>(launch, claims));
    }
  }

  /// Whether all work-groups have run.
  bool run() {
    std::vector<std::thread> threads;
    for (std::size_t one = 1; one < workers_.size(); ++one) {
      try {
        threads.emplace_back([this, one] { work(one); });
      } catch (const std::system_error&) {  // the system has no more
      }
    }
    work(0);
    for (std::thread& thread : threads) thread.join();
    const std::uint64_t limit = launch_.settings().instruction_limit;
    std::uint64_t instructions = 0;
    for (const auto& one : parts_) instructions += one->instructions();
    if (!has_failed_ && limit != 0 && instructions >= limit) fail(workers_.front(), {kFault});
    if (has_failed_) return false;
    launch_.add(parts_);
    return true;
  }

  /// Why not: of the thread that knows more than that there was a fault.
  [[nodiscard]] InTurns why() const {
    InTurns found{kFault};
    for (const Worker& worker : workers_) {
      if (worker.failure) std::rethrow_exception(worker.failure);
      if (worker.why.why.empty()) continue;
      if (found.why == kFault || found.can_retry) found = worker.why;
    }
    return found;
  }

 private:
  struct Worker {
    Observer* observer = nullptr;
    InTurns why;
    std::exception_ptr failure;
  };

  void work(std::size_t number) {
    Worker& worker = workers_[number];
    Launch& part = *parts_[number];
    try {
      for (std::uint64_t turn = next_++; turn < count_ && !has_failed_; turn = next_++) {
        const std::uint64_t group = order_.group_at(turn);
        if (part_.runs_others || !part_.has || part_.has(group))
          part.run_alone(group, worker.observer, part_);
        changes_.end(turn, std::exchange(part.changes(), {}));
      }
    } catch (const InTurns& why) {
      fail(worker, why);
    } catch (const ExecutionFault&) {
      fail(worker, {kFault});
    } catch (const std::bad_alloc&) {
      fail(worker, {"there is not enough memory"});
    } catch (...) {
      worker.failure = std::current_exception();
      fail(worker, {kFault});
    }
  }

  void fail(Worker& worker, const InTurns& why) {
    worker.why = why;
    has_failed_ = true;
    changes_.give_up();
  }

  Launch& launch_;
  const LaunchPart& part_;
  std::uint64_t count_;
  GroupTurns order_;
  std::vector<Worker> workers_;
  std::vector<std::unique_ptr<Launch>> parts_;  ///< of each
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> has_failed_{false};
  OrderedChanges changes_;
};

}  // namespace

std::string run_apart(Launch& launch, const MakeObservers& make_observers, const LaunchPart& part) {
  if (launch.clusters().size.count() > 1) return "work-groups of a cluster see each other's memory";
  if (launch.settings().groups.count() > ClaimedMemory::kMostGroups) return "there are too many of them";
  auto claims = std::make_unique<Claims>(launch.memory());
  for (unsigned number = 1;; ++number) {
    Attempt attempt(launch, make_observers(), part, *claims);
    if (attempt.run()) return "";
    claims->undo();
    const InTurns why = attempt.why();
    if (!why.can_retry) return why.why;
    auto next = std::make_unique<Claims>(launch.memory());
    try {
      next->learn_from(*claims, number >= kAttempts);
    } catch (const InTurns& lack) {
      return lack.why;
    }
    claims = std::move(next);
  }
}

}  // namespace warpscope::machine
