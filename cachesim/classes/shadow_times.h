#pragma once
// The shadow cache of the miss classifiers: fully associative, LRU, as a time line.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace warpscope {

/// Every reference that makes a line the newest takes the next time, and the line's last time is remembered
/// (by the caller, with the line). The shadow holds exactly the lines whose time is not before the horizon. A
/// time is *live* while it is some line's last one; a line that comes into the full shadow moves the horizon
/// beyond the oldest live time.
class ShadowTimes {
 public:
  using Time = std::uint32_t;
  /// Numbers below are no times: the caller may keep them with lines that are not in the shadow.
  static constexpr Time kFirstTime = 3;

  /// `lines` that it has room for, at least 1.
  explicit ShadowTimes(std::uint32_t lines) : lines_(lines) {}

  /// What changes with every reference; a copy of it in a loop stays in the host's registers.
  struct Clock {
    std::uint8_t* live;  ///< indexed by time: 0 = dead. Times that are not yet taken are live
    Time horizon, next;
    std::uint32_t present;  ///< lines in the shadow
    std::uint32_t lines;

    [[nodiscard]] bool holds(Time time) const { return time >= horizon; }
    /// A line that it holds becomes the newest. Returns its new time.
    Time touch(Time before) {
      live[before] = 0;
      return next++;
    }
    /// A line comes in. Returns its time.
    Time insert() {
      if (present == lines)
        horizon = beyond_oldest();
      else
        ++present;
      return next++;
    }
    /// A line that it holds leaves.
    void remove(Time before) {
      live[before] = 0;
      --present;
    }

   private:
    [[nodiscard]] Time beyond_oldest() const {
      for (Time at = horizon;; at += kWord) {
        std::uint64_t word;
        std::memcpy(&word, live + at, kWord);
        if (word != 0) return at + static_cast<Time>(std::countr_zero(word)) / 8 + 1;
      }
    }
  };

  /// For at most as many references as make_room() made room for.
  [[nodiscard]] Clock clock() { return {live_.data(), horizon_, next_, present_, lines_}; }
  void set(const Clock& clock) {
    horizon_ = clock.horizon;
    next_ = clock.next;
    present_ = clock.present;
  }

  /// Gives out the times again when they come to an end: live ones keep their order. `time_of` an entry of
  /// `entries` is a reference to its time or to a number below kFirstTime; times before the horizon become
  /// `outside`.
  template <class Entry, class TimeOf>
  void make_room(std::size_t references, std::span<Entry> entries, Time outside, TimeOf&& time_of) {
    if (next_ + references + kWord <= live_.size()) return;
    std::vector<Time> kept;
    for (Time time = horizon_; time < next_; ++time)
      if (live_[time] != 0) kept.push_back(time);
    for (Entry& entry : entries) {
      Time& time = time_of(entry);
      if (time >= horizon_)
        time =
            kFirstTime + static_cast<Time>(std::lower_bound(kept.begin(), kept.end(), time) - kept.begin());
      else if (time >= kFirstTime)
        time = outside;
    }
    horizon_ = kFirstTime;
    next_ = kFirstTime + static_cast<Time>(kept.size());
    // As many times as entries, so that the loop above costs every reference about one step.
    const std::size_t times = std::max({kFewestTimes, entries.size(), 8 * std::size_t{lines_}});
    live_.assign(next_ + std::max(times, references) + kWord, 1);
  }
  /// It is empty.
  void clear() {
    live_.clear();
    horizon_ = next_ = kFirstTime;
    present_ = 0;
  }

 private:
  static constexpr std::size_t kWord = 8;
  static constexpr std::size_t kFewestTimes = std::size_t{1} << 16;

  std::uint32_t lines_;
  std::vector<std::uint8_t> live_;
  Time horizon_ = kFirstTime, next_ = kFirstTime;
  std::uint32_t present_ = 0;
};

}  // namespace warpscope
