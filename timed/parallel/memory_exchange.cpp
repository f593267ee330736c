#include "timed/parallel/memory_exchange.h"

#include <algorithm>
#include <numeric>

#include "timed/parallel/host_times.h"

namespace warpscope::timed {
namespace {

constexpr std::uint32_t kLanesPerThread = 4;
/// Fewer are served by the thread that is there. Chosen, not measured: a pointer chase on 80 cores sends so few.
constexpr std::size_t kWorthThreads = 64;

/// A window is shorter; what waits in a core's port at the end of a launch may be sent over more cycles.
constexpr Cycle kMostCounted = 1 << 16;

}  // namespace

std::uint32_t lanes_for(std::uint32_t threads) {
  return threads <= 1 ? 1 : kLanesPerThread * threads;
}

MemoryExchange::MemoryExchange(MemorySystem& memory, std::uint32_t cores, TaskPool& pool)
    : memory_(memory),
      pool_(pool),
      lanes_(memory.lanes(), {{}, {}, {}, {}, std::vector<std::vector<MemoryReply>>(cores)}),
      sent_(cores, Sent(memory.lanes())),
      taken_(cores) {}

void MemoryExchange::take(std::uint32_t core, std::vector<MemoryRequest>& outbox) {
  Sent& sent = sent_[core];
  taken_[core] += static_cast<std::uint32_t>(outbox.size());
  if (sent.size() == 1 && sent[0].empty()) return sent[0].swap(outbox);
  for (const MemoryRequest& request : outbox) sent[memory_.lane_of(request.line)].push_back(request);
  outbox.clear();
}

/// The lane's turns: all requests before `end`, by time and, of the same cycle, by core. A core's own are in that order already, so that
/// counting how many each cycle has is enough.
void MemoryExchange::put_in_order(std::size_t number, Cycle end) {
  Lane& lane = lanes_[number];
  lane.due.clear();
  lane.senders.clear();
  Cycle first = kNever, last = 0;
  for (Sent& sent : sent_) {
    if (sent[number].empty()) continue;
    lane.senders.push_back(&sent[number]);
    for (const MemoryRequest& request : sent[number]) {
      if (request.time >= end) break;
      lane.due.push_back(&request);
      first = std::min(first, request.time);
      last = std::max(last, request.time);
    }
  }
  lane.turns.resize(lane.due.size());
  if (lane.due.empty()) return;
  if (last - first >= kMostCounted) {
    lane.turns = lane.due;
    std::stable_sort(lane.turns.begin(), lane.turns.end(),
                     [](const MemoryRequest* a, const MemoryRequest* b) { return a->time < b->time; });
    return;
  }
  lane.begins.assign(last - first + 2, 0);
  for (const MemoryRequest* request : lane.due) ++lane.begins[request->time - first + 1];
  std::partial_sum(lane.begins.begin(), lane.begins.end(), lane.begins.begin());
  for (const MemoryRequest* request : lane.due) lane.turns[lane.begins[request->time - first]++] = request;
}

void MemoryExchange::serve(std::size_t number, Cycle end) {
  Lane& lane = lanes_[number];
  put_in_order(number, end);
  for (const MemoryRequest* request : lane.turns) {
    const Cycle time = memory_.serve(*request);
    if (request->wants_reply)
      lane.replies[request->core].push_back(
          {time, request->line, request->order, request->token, request->unit, request->sectors});
  }
  for (std::vector<MemoryRequest>* requests : lane.senders)
    requests->erase(requests->begin(),
                    std::find_if(requests->begin(), requests->end(),
                                 [end](const MemoryRequest& one) { return one.time >= end; }));
}

void MemoryExchange::serve(Cycle end) {
  const auto serve_lane = [this, end](std::size_t lane) {
    if (seconds_.empty()) return serve(lane, end);
    seconds_[lane] = host_seconds_of([&] { serve(lane, end); });
  };
  const std::size_t taken = std::accumulate(taken_.begin(), taken_.end(), std::size_t{0});
  std::fill(taken_.begin(), taken_.end(), 0u);
  if (taken < kWorthThreads) {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) serve_lane(lane);
    return;
  }
  pool_.start(lanes_.size(), serve_lane);
  pool_.finish();
}

}  // namespace warpscope::timed
