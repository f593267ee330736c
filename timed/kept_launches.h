#pragma once
// Launches that an interrupted timed simulation has done, and the state in which it left the GPU behind them.
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "cachesim/simulate/pieces.h"
#include "timed/engine.h"

namespace warpscope::timed {

/// Appends everything of a launch but `core_of_group`.
void encode(const LaunchTiming& timing, std::vector<std::uint8_t>& out);
/// What encode() wrote. Throws InputError on damage.
LaunchTiming decode_timing(ByteReader& in);

/// The launches of one stage of a run, in their order.
class KeptLaunches {
 public:
  using Seconds = std::chrono::duration<double>;
  /// `kept.file` may be null: then nothing is kept. Otherwise the state is, after a launch, when the work since the last time took at
  /// least `times_cost` times as long as keeping it, and `part` of all the time so far.
  explicit KeptLaunches(const KeptWork& kept, double times_cost = 100, double part = 0.005);

  /// How many launches are there.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The next of them, size() times.
  LaunchTiming next();
  /// Puts the engine into the state after the launch size() - 1. Once, and not where a new engine comes after it.
  void restore(TimedEngine& engine) const;
  /// After every further launch. `engine` is the one that goes on.
  void add(const LaunchTiming& timing, const TimedEngine& engine);
  /// After the last launch.
  void finish();

 private:
  [[nodiscard]] bool reaches(std::uint64_t launches) const;
  void find_state();
  void write_timings();
  void write_state(const TimedEngine* engine);

  KeptWork kept_;
  double times_cost_, part_;
  std::size_t size_ = 0;
  std::vector<std::uint8_t> state_;  ///< of the engine
  std::uint64_t next_chunk_ = 0;
  std::vector<std::uint8_t> chunk_;      ///< that next() reads
  std::size_t read_ = 0;                 ///< bytes of it
  std::uint64_t left_ = 0;               ///< launches in it
  std::vector<std::uint8_t> timings_;    ///< that are not in the file yet
  std::uint64_t first_ = 0, count_ = 0;  ///< of them
  Cycle longest_ = 0;                    ///< launch with a timeline so far
  std::vector<std::uint64_t> states_;    ///< numbers of those in the file
  Seconds earlier_{0}, cost_{0};
  std::chrono::steady_clock::time_point begin_, last_;
};

}  // namespace warpscope::timed
