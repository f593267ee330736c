#pragma once
// The loads of a core that are on their way, from issue to data, and by warp: its scoreboard.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "scheduler/replay/prefetch.h"
#include "timed/config/config.h"
#include "timed/memory/l1.h"
#include "timed/program/program.h"

namespace warpscope::timed {

/// Of an access that nobody waits for.
constexpr Token kNoToken = ~0u;
/// In place of a load's index: every load of the warp.
constexpr LoadIndex kAllLoads = kNoLoad - 1;

/// A load on its way. It has as many parts as lines are missing, and one while the load-store unit has it.
struct Flight {
  Cycle issued = 0;
  Cycle not_before = 0;            ///< earliest cycle in which its data can be used, all parts having arrived
  std::uint32_t missing : 31 = 0;  ///< parts
  bool is_load : 1 = true;         ///< of memory, whose latency is counted
  std::uint16_t warp = 0;          ///< its number on the core
  LoadIndex load = kNoLoad;
};
static_assert(sizeof(Flight) == 24);  // a core has hundreds, which take turns in the host's caches

class Flights {
 public:
  /// `loads` of the program, by each of `warps`.
  Flights(std::size_t warps, std::uint32_t loads) : loads_(loads), by_load_(warps * loads), by_warp_(warps) {}

  /// The host fetches what arrivals will read.
  void prefetch() const {
    prefetch_lines(flights_);
    prefetch_lines(by_load_);
    prefetch_lines(by_warp_);
  }

  /// A warp issues a load in cycle `now`: one part.
  /// `is_load` false: something else that a counter of machine code counts.
  Token open(std::uint32_t warp, LoadIndex load, Cycle now, bool is_load = true) {
    Token token = 0;
    if (free_.empty()) {
      token = static_cast<Token>(flights_.size());
      flights_.emplace_back();
    } else {
      token = free_.back();
      free_.pop_back();
    }
    flights_[token] = {now, 0, 1, is_load, static_cast<std::uint16_t>(warp), load};
    ++by_load_[std::size_t{warp} * loads_ + load];
    ++by_warp_[warp];
    return token;
  }
  void add_part(Token token) { ++flights_[token].missing; }
  void hold_until(Token token, Cycle cycle) {
    flights_[token].not_before = std::max(flights_[token].not_before, cycle);
  }
  /// A flight is counted as `load` from now on.
  void count_as(Token token, LoadIndex load) {
    Flight& flight = flights_[token];
    const std::size_t of_warp = std::size_t{flight.warp} * loads_;
    --by_load_[of_warp + flight.load];
    ++by_load_[of_warp + load];
    flight.load = load;
  }
  /// The cycle from which on the data can be used; kNever while parts are missing.
  [[nodiscard]] Cycle part_arrived(Token token) {
    Flight& flight = flights_[token];
    return --flight.missing == 0 ? flight.not_before : kNever;
  }
  /// The data is there; the token is free for another load.
  Flight land(Token token) {
    const Flight flight = flights_[token];
    free_.push_back(token);
    --by_load_[std::size_t{flight.warp} * loads_ + flight.load];
    --by_warp_[flight.warp];
    return flight;
  }

  /// How often each load is on its way for a warp, by LoadIndex.
  [[nodiscard]] const std::uint16_t* of_warp(std::uint32_t warp) const {
    return by_load_.data() + std::size_t{warp} * loads_;
  }
  /// Whether a warp that waits for `load`, or for kAllLoads, has to go on waiting.
  [[nodiscard]] bool outstanding(std::uint32_t warp, LoadIndex load) const {
    return load == kAllLoads ? by_warp_[warp] != 0 : of_warp(warp)[load] != 0;
  }

 private:
  std::uint32_t loads_;
  std::vector<Flight> flights_;
  std::vector<Token> free_;
  std::vector<std::uint16_t> by_load_;  ///< [warp][load]
  std::vector<std::uint32_t> by_warp_;
};

}  // namespace warpscope::timed
