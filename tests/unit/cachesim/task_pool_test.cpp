// Threads that work through tasks.
#include "cachesim/simulate/task_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <map>
#include <stdexcept>

namespace warpscope {
namespace {

TEST(TaskPool, RunsEveryTaskOnceWithAnyNumberOfThreads) {
  for (const std::uint32_t threads : {1u, 2u, 3u, 16u}) {
    TaskPool pool(threads);
    for (const std::size_t count : {0u, 1u, 2u, 5u, 100u}) {
      std::array<std::atomic<int>, 100> runs{};
      constexpr int kRounds = 20;
      for (int round = 0; round < kRounds; ++round) {
        pool.start(count, [&](std::size_t task) { ++runs.at(task); });
        pool.finish();
      }
      for (std::size_t task = 0; task < runs.size(); ++task)
        EXPECT_EQ(runs.at(task), task < count ? kRounds : 0)
            << threads << " threads, task " << task << " of " << count;
    }
  }
}

// Two tasks that wait for each other are run by two threads, the first one by the caller.
TEST(TaskPool, ATaskIsTheSameThreadsEachTime) {
  TaskPool pool(2);
  std::map<std::thread::id, int> first;
  for (int round = 0; round < 50; ++round) {
    std::array<std::thread::id, 2> ran;
    std::atomic<int> begun = 0;
    pool.start(2, [&](std::size_t task) {
      ran.at(task) = std::this_thread::get_id();
      for (++begun; begun != 2;) std::this_thread::yield();
    });
    pool.finish();
    EXPECT_EQ(ran[0], std::this_thread::get_id());
    ++first[ran[1]];
  }
  EXPECT_EQ(first.size(), 1u);
}

TEST(TaskPool, AThreadWithoutTasksTakesThoseOfAnother) {
  TaskPool pool(2);
  std::atomic<int> others = 0;
  pool.start(10, [&](std::size_t task) {  // the first one ends when all others have
    if (task == 0)
      while (others != 9) std::this_thread::yield();
    else
      ++others;
  });
  pool.finish();
  EXPECT_EQ(others, 9);
}

TEST(TaskPool, ThrowsWhatATaskThrewAndGoesOn) {
  for (const std::uint32_t threads : {1u, 3u}) {
    TaskPool pool(threads);
    const auto fails = [](std::size_t task) {
      if (task == 7) throw std::runtime_error("seven");
    };
    pool.start(20, fails);
    EXPECT_THROW(pool.finish(), std::runtime_error);
    std::atomic<int> runs = 0;
    pool.start(20, [&](std::size_t) { ++runs; });
    pool.finish();
    EXPECT_EQ(runs, 20);
  }
}

}  // namespace
}  // namespace warpscope
