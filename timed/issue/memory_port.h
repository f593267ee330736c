#pragma once
// Where a core meets the memory: what it sends, as fast as its port lets it, and the replies, which come through
// another port.
#include <optional>
#include <vector>

#include "timed/issue/core_counts.h"
#include "timed/memory/memory_system.h"
#include "timed/memory/rate_limiter.h"

namespace warpscope::timed {

class MemoryPort {
 public:
  /// Counts request_bytes and reply_bytes. `counts` outlives this.
  MemoryPort(const TimedConfig& config, std::uint32_t core, CoreCounts& counts);

  /// `now` if a request can be sent, else the first cycle in which one can.
  [[nodiscard]] Cycle ready_at(Cycle now) const {
    if (queue_cycles_ == 0 || requests_.is_free(now + queue_cycles_)) return now;
    return requests_.free_at() - queue_cycles_;
  }
  /// Sends `request` (its time and core are filled in). True if its reply is there at once: a memory without
  /// latency sends none later.
  bool send(Cycle now, MemoryRequest request);
  /// Sent and not yet taken to the memory.
  std::vector<MemoryRequest>& outbox() { return outbox_; }

  void receive(const MemoryReply& reply);
  /// Replies that have not been taken, in no order.
  [[nodiscard]] const std::vector<MemoryReply>& replies() const { return replies_; }
  /// The next reply that is through the port in cycle `now`.
  [[nodiscard]] std::optional<MemoryReply> take_reply(Cycle now);
  /// When the next reply comes to the port; kNever without one.
  [[nodiscard]] Cycle next_reply() const { return replies_.empty() ? kNever : replies_.front().time; }

 private:
  std::uint32_t core_;
  std::uint64_t sent_ = 0;
  std::uint64_t sector_bytes_, least_reply_bytes_;
  std::uint32_t queue_cycles_;  ///< 0 = any number
  bool replies_at_once_;
  RateLimiter requests_, reply_port_;
  std::vector<MemoryRequest> outbox_;
  std::vector<MemoryReply> replies_;  ///< a heap by time
  CoreCounts& counts_;
};

}  // namespace warpscope::timed
