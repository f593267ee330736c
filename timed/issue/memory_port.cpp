#include "timed/issue/memory_port.h"

#include <algorithm>

namespace warpscope::timed {
namespace {

bool later(const MemoryReply& a, const MemoryReply& b) {
  return a.time != b.time ? a.time > b.time : a.order > b.order;
}

}  // namespace

MemoryPort::MemoryPort(const TimedConfig& config, std::uint32_t core, CoreCounts& counts)
    : core_(core),
      sector_bytes_(config.l1.cache.transaction_bytes()),
      least_reply_bytes_(config.memory.replies_per_cycle == 0
                             ? 0
                             : config.memory.reply_bytes_per_cycle / config.memory.replies_per_cycle),
      queue_cycles_(config.memory.request_queue_cycles),
      replies_at_once_(config.memory.l2_latency == 0),
      requests_(config.memory.request_bytes_per_cycle),
      reply_port_(config.memory.reply_bytes_per_cycle),
      counts_(counts) {}

bool MemoryPort::send(Cycle now, MemoryRequest request) {
  const bool is_load = request.kind == MemoryRequest::Kind::Load;
  const std::uint64_t bytes = is_load ? 0 : sectors_in(request.sectors) * sector_bytes_;
  counts_.request_bytes += bytes;
  const bool replied = request.wants_reply && replies_at_once_;
  request.time = requests_.take(now, bytes);
  request.core = core_;
  request.order = sent_++;
  request.wants_reply = request.wants_reply && !replied;
  outbox_.push_back(request);
  return replied;
}

void MemoryPort::receive(const MemoryReply& reply) {
  replies_.push_back(reply);
  std::push_heap(replies_.begin(), replies_.end(), later);
}

std::optional<MemoryReply> MemoryPort::take_reply(Cycle now) {
  while (!replies_.empty() && replies_.front().time <= now) {
    MemoryReply reply = replies_.front();
    std::pop_heap(replies_.begin(), replies_.end(), later);
    replies_.pop_back();
    if (reply_port_.free_at() > now) {  // the port is busy: later, and not before others that wait longer
      reply.time = reply_port_.free_at();
      receive(reply);
      continue;
    }
    const std::uint64_t bytes = sectors_in(reply.sectors) * sector_bytes_;
    reply_port_.take(now, std::max(bytes, least_reply_bytes_));
    counts_.reply_bytes += bytes;
    return reply;
  }
  return std::nullopt;
}

}  // namespace warpscope::timed
