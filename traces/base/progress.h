#pragma once
// Progress on stderr, only when it is a terminal, at most ten times a second.
#include <chrono>
#include <cstdint>
#include <string>

namespace warpscope {

class Progress {
 public:
  /// `total` in `unit`s; 0 = unknown. `hint`: a line that is written once, where more than a minute is left.
  Progress(std::string label, std::uint64_t total, std::string unit, std::string hint = "");
  ~Progress();  ///< clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void update(std::uint64_t done);

 private:
  std::string label_, unit_, hint_;
  std::uint64_t total_;
  bool active_;
  std::chrono::steady_clock::time_point start_, next_;
};

/// What is left when `done` of `total` took so long, as "2 min 5 s left"; empty in the first two seconds, before anything is done and
/// at the end. It supposes that the rest goes as fast.
std::string time_left(std::uint64_t done, std::uint64_t total, std::chrono::duration<double> elapsed);
/// Whether that is more than a minute.
bool is_long(std::uint64_t done, std::uint64_t total, std::chrono::duration<double> elapsed);

}  // namespace warpscope
