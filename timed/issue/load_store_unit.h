#pragma once
// A load-store unit of a core: accesses wait in a queue, look up their lines in the L1 in order, and send to the
// memory what is not there.
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/replay/prefetch.h"
#include "timed/issue/core_counts.h"
#include "timed/issue/flights.h"
#include "timed/issue/memory_port.h"
#include "timed/memory/access_lines.h"
#include "timed/memory/l1.h"
#include "timed/memory/l1_watch.h"

namespace warpscope::timed {

/// What the load-store units of a core share; outlives them.
struct LoadStoreParts {
  const L1Config& config;
  AccessLines& lines;
  Flights& flights;
  MemoryPort& port;
  CoreCounts& counts;
  L1Watch* watch = nullptr;  ///< observer of the L1's events; may be null
};

class LoadStoreUnit {
 public:
  /// `number`: of the core's units; `seed`: of random replacement.
  LoadStoreUnit(const LoadStoreParts& parts, std::uint8_t number, std::uint64_t seed);

  /// Whether the queue takes an access.
  [[nodiscard]] bool has_room() const { return queued_ < queue_limit_; }
  [[nodiscard]] bool idle() const { return queued_ == 0 && outside_ == 0; }
  /// If it is idle: the first cycle in which it was.
  [[nodiscard]] Cycle idle_at() const { return idle_at_; }
  /// The access joins the queue, which has room. It takes `instructions` memory instructions. `token`: the load that
  /// waits for it, or kNoToken. `warp`: its number on the core.
  void push(const WarpAccess& access, std::uint32_t instructions, Token token, std::uint32_t warp,
            std::uint8_t entry = kNoEntry) {
    prepare(append(), {access, instructions, token, warp, entry});
    prefetch_queued();
  }
  /// `entry` of push(): the scheduler in whose memory queue the access has an entry; it is begins()'s answer when the access is first looked up.
  static constexpr std::uint8_t kNoEntry = 0xff;
  [[nodiscard]] std::uint8_t begins() const {
    return queue_[head_].began == kNever ? queue_[head_].entry : kNoEntry;
  }
  /// The same of an access that joins when its scheduler calls enter(), once for each in their order.
  void push_later(std::uint32_t scheduler, const WarpAccess& access, Token token, std::uint32_t warp,
                  std::uint8_t entry);
  void enter(std::uint32_t scheduler);
  /// Only the schedulers' memory queues limit how many wait.
  void remove_queue_limit() { queue_limit_ = std::numeric_limits<std::size_t>::max(); }

  /// The host fetches what fill() will read first.
  void prefetch(LineAddr line) const { l1_.prefetch(line); }
  void prefetch_way(LineAddr line) const { l1_.prefetch_way(line); }
  void prefetch_outstanding() const {
    l1_.each_of_outstanding([](const auto& all) { prefetch_lines(all); });
  }
  /// When it next looks up lines; kNever if it has none, or until sectors arrive.
  [[nodiscard]] Cycle next_look_up() const { return queued_ == 0 || blocked_ ? kNever : look_up_at_; }
  /// What cycle `now` can do for the first access of the queue, which is due. Its token if it has looked up
  /// all its lines and left the queue; the load's part "in the load-store unit" has then arrived.
  std::optional<Token> look_up(Cycle now);

  /// Sectors that it asked for arrive. The loads of which a part has arrived, until the next call.
  std::span<const Token> fill(Cycle now, LineAddr line, SectorMask sectors);

 private:
  struct QueuedAccess {
    PreparedAccess access;
    Token token = kNoToken;
    std::uint32_t warp = 0;
    std::uint32_t next = 0;  ///< line to look up
    Cycle began = kNever;    ///< first look-up
    Cycle failing_since = kNever;
    std::uint8_t entry = kNoEntry;
  };
  struct Pushed {
    const WarpAccess& access;
    std::uint32_t instructions;
    Token token;
    std::uint32_t warp;
    std::uint8_t entry;
  };

  QueuedAccess& append();
  void prepare(QueuedAccess& queued, const Pushed& pushed);
  void prefetch_queued() const;
  bool look_up_line(Cycle now, QueuedAccess& queued, const LineLookup& lookup, OriginCounts& counts);
  bool look_up_elsewhere(Cycle now, const QueuedAccess& queued, const LineLookup& lookup,
                         OriginCounts& counts);
  bool look_up_load(Cycle now, const QueuedAccess& queued, const LineLookup& lookup, OriginCounts& counts);
  bool look_up_store(Cycle now, const QueuedAccess& queued, const LineLookup& lookup, OriginCounts& counts);
  void bypass(Cycle now, const QueuedAccess& queued, const LineLookup& lookup, OriginCounts& counts);
  void store(Cycle now, LineAddr line, SectorMask sectors);
  void write_back(Cycle now, const L1Outcome& outcome);
  void finish(Cycle now, const QueuedAccess& queued);
  OriginCounts& origin_counts(OriginId origin) {
    auto& origins = parts_.counts.origins;
    if (origin.value() >= origins.size()) origins.resize(origin.value() + 1u);
    return origins[origin.value()];
  }

  LoadStoreParts parts_;
  std::uint8_t number_;
  TimedL1 l1_;
  std::vector<QueuedAccess> queue_;  ///< a ring; its size is a power of two
  std::size_t head_ = 0, queued_ = 0, queue_limit_;
  std::vector<std::deque<QueuedAccess>> later_;  ///< by scheduler
  std::size_t outside_ = 0;                      ///< all of later_
  Cycle look_up_at_ = 0;                         ///< cycle of the next look-ups
  Cycle idle_at_ = 0;                            ///< the cycle after the one in which the last access left
  bool blocked_ = false;                         ///< nothing can be looked up until something arrives
  std::vector<Token> arrived_;
};

}  // namespace warpscope::timed
