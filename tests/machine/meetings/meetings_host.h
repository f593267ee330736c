// What random kernels of meetings are for the CPU: every lane has a stack, and goes on until it calls a warp function. That is computed, as CUDA's programming guide says of
// it, when all lanes of its mask that have not left are in the same one.
#pragma once
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

typedef std::uint32_t u32;
typedef std::uint64_t u64;

#define __global__ static
#define PART static inline
#define CALLED static
#define BOX
#define BOX_PARAMETER
#define BOX_ARGUMENT

struct Lane {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(1 << 16);
  bool has_left = false, waits = false;
  u32 mask = 0;
  std::string function;
  u64 given = 0, result = 0;
  int argument = 0;
};
static ucontext_t scheduler;
static std::vector<Lane> lanes;
static u32 current;
static volatile u32 box[64];
static struct {
  u32 x;
} threadIdx;

static u64 meet(const std::string& function, u32 mask, u64 given, int argument = 0) {
  Lane& lane = lanes[current];
  lane.waits = true;
  lane.mask = mask;
  lane.function = function;
  lane.given = given;
  lane.argument = argument;
  swapcontext(&lane.context, &scheduler);
  return lane.result;
}

/// A warp function: `result` of a lane, of what the lanes of the warp give, and of a mask.
struct Function {
  const char* name;
  std::function<u64(const Lane* warp, u32 lane, u32 mask)> result;
};
template <class F>
u64 folded(const Lane* warp, u32 mask, F f) {
  u64 value = 0;
  bool is_first = true;
  for (u32 lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) != 0) {
      value = is_first ? warp[lane].given : f(value, warp[lane].given);
      is_first = false;
    }
  return value;
}
template <class F>
u32 where(u32 mask, F f) {
  u32 set = 0;
  for (u32 lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) != 0 && f(lane)) set |= 1U << lane;
  return set;
}
static const Function kFunctions[] = {
    {"idx", [](const Lane* warp, u32 lane, u32) { return warp[warp[lane].argument & 31].given; }},
    {"xor", [](const Lane* warp, u32 lane, u32) { return warp[lane ^ u32(warp[lane].argument)].given; }},
    {"up",
     [](const Lane* warp, u32 lane, u32) {
       return warp[lane >= u32(warp[lane].argument) ? lane - u32(warp[lane].argument) : lane].given;
     }},
    {"ballot", [](const Lane* warp, u32,
                  u32 mask) { return u64(where(mask, [&](u32 i) { return warp[i].given != 0; })); }},
    {"match",
     [](const Lane* warp, u32 lane, u32 mask) {
       return u64(where(mask, [&](u32 i) { return warp[i].given == warp[lane].given; }));
     }},
    {"add", [](const Lane* warp, u32,
               u32 mask) { return folded(warp, mask, [](u64 a, u64 b) { return u64(u32(a + b)); }); }},
    {"min",
     [](const Lane* warp, u32, u32 mask) {
       return folded(warp, mask, [](u64 a, u64 b) { return u64(u32(std::min(int(u32(a)), int(u32(b))))); });
     }},
    {"max", [](const Lane* warp, u32,
               u32 mask) { return folded(warp, mask, [](u64 a, u64 b) { return std::max(a, b); }); }},
    {"and",
     [](const Lane* warp, u32, u32 mask) { return folded(warp, mask, [](u64 a, u64 b) { return a & b; }); }},
    {"or",
     [](const Lane* warp, u32, u32 mask) { return folded(warp, mask, [](u64 a, u64 b) { return a | b; }); }},
    {"exclusive or",
     [](const Lane* warp, u32, u32 mask) { return folded(warp, mask, [](u64 a, u64 b) { return a ^ b; }); }},
    {"nothing", [](const Lane*, u32, u32) { return u64{0}; }}};

template <class T>
T __shfl_sync(u32 m, T x, int from) {
  return T(meet("idx", m, x, from));
}
static u32 __shfl_xor_sync(u32 m, u32 x, int by) {
  return u32(meet("xor", m, x, by));
}
static u32 __shfl_up_sync(u32 m, u32 x, u32 by) {
  return u32(meet("up", m, x, int(by)));
}
static u32 __ballot_sync(u32 m, int x) {
  return u32(meet("ballot", m, x != 0));
}
static int __any_sync(u32 m, int x) {
  return __ballot_sync(m, x) != 0;
}
static int __all_sync(u32 m, int x) {
  return __ballot_sync(m, x == 0) == 0;
}
static u32 __match_any_sync(u32 m, u32 x) {
  return u32(meet("match", m, x));
}
/// The lanes that are there, if all have one value.
static u32 __match_all_sync(u32 m, u32 x, int* same) {
  const u32 all = __ballot_sync(m, 1), found = __match_any_sync(m, x);
  *same = found == all;
  return *same ? found : 0;
}
static u32 __reduce_add_sync(u32 m, u32 x) {
  return u32(meet("add", m, x));
}
static int __reduce_min_sync(u32 m, int x) {
  return int(u32(meet("min", m, u32(x))));
}
static u32 __reduce_max_sync(u32 m, u32 x) {
  return u32(meet("max", m, x));
}
static u32 __reduce_and_sync(u32 m, u32 x) {
  return u32(meet("and", m, x));
}
static u32 __reduce_or_sync(u32 m, u32 x) {
  return u32(meet("or", m, x));
}
static u32 __reduce_xor_sync(u32 m, u32 x) {
  return u32(meet("exclusive or", m, x));
}
static void __syncwarp(u32 m) {
  meet("nothing", m, 0);
}
static int __popc(u32 x) {
  return __builtin_popcount(x);
}
static int __ffs(int x) {
  return __builtin_ffs(x);
}

static void random_kernel(const u32* in, u32* out);
static std::vector<u32> numbers(256), results;

static void run_lane() {
  random_kernel(numbers.data(), results.data());
  lanes[current].has_left = true;
  swapcontext(&lanes[current].context, &scheduler);
}

/// True if lanes of a warp could go on.
static bool release(Lane* warp) {
  for (u32 first = 0; first < 32; ++first) {
    if (warp[first].has_left || !warp[first].waits) continue;
    const u32 mask = where(warp[first].mask, [&](u32 i) { return !warp[i].has_left; });
    const auto is_there = [&](u32 i) {
      return warp[i].waits && warp[i].mask == warp[first].mask && warp[i].function == warp[first].function;
    };
    if (where(mask, is_there) != mask) continue;
    const Function* function =
        std::find_if(std::begin(kFunctions), std::end(kFunctions),
                     [&](const Function& one) { return one.name == warp[first].function; });
    for (u32 i = 0; i < 32; ++i)
      if ((mask >> i & 1) != 0) warp[i].result = function->result(warp, i, mask);
    for (u32 i = 0; i < 32; ++i)
      if ((mask >> i & 1) != 0) warp[i].waits = false;
    return true;
  }
  return false;
}

int main(int count, char** arguments) {
  const u32 n = count > 2 ? u32(std::atoi(arguments[2])) : 32;
  FILE* file = std::fopen(arguments[1], "rb");
  if (file == nullptr || std::fread(numbers.data(), 4, 256, file) != 256) return 1;
  results.resize(n * 4);
  lanes.resize(n);
  for (Lane& lane : lanes) {
    getcontext(&lane.context);
    lane.context.uc_stack.ss_sp = lane.stack.data();
    lane.context.uc_stack.ss_size = lane.stack.size();
    makecontext(&lane.context, run_lane, 0);
  }
  for (;;) {
    bool progress = false, all_left = true;
    for (current = 0; current < n; ++current) {
      if (lanes[current].has_left || lanes[current].waits) continue;
      threadIdx.x = current;
      swapcontext(&scheduler, &lanes[current].context);
      progress = true;
    }
    for (u32 warp = 0; warp < n; warp += 32) progress = release(&lanes[warp]) || progress;
    for (const Lane& lane : lanes) all_left = all_left && lane.has_left;
    if (all_left) break;
    if (!progress) return 2;  // lanes of one mask are in different functions: not a program that CUDA defines
  }
  std::fwrite(results.data(), 4, results.size(), stdout);
}
