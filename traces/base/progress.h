#pragma once
// Progress on stderr, only when it is a terminal, at most ten times a second.
#include <chrono>
#include <cstdint>
#include <string>

namespace warpscope {

class Progress {
 public:
  /// `total` in `unit`s; 0 = unknown.
  Progress(std::string label, std::uint64_t total, std::string unit);
  ~Progress();  ///< clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void update(std::uint64_t done);

 private:
  std::string label_, unit_;
  std::uint64_t total_;
  bool active_;
  std::chrono::steady_clock::time_point next_{};
};

}  // namespace warpscope
