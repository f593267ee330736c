#pragma once
// What a cache remembers during a store where stores hit by line (write_policy.def): a request looks the tag of a
// line up once, so a sector does not hit because another one of the same request has just brought the line in.
#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpscope {

class AbsentLines {
 public:
  /// The first transaction of a request, whatever it does.
  void begin_request() { lines_.clear(); }
  /// Whether a store hits whose sector is not there. `there`: its line is.
  bool hits(std::uint64_t line, bool there) {
    if (there) return !was_absent(line);
    add(line);
    return false;
  }
  void add(std::uint64_t line) { lines_.push_back(line); }
  /// Whether the request did not find the line.
  [[nodiscard]] bool was_absent(std::uint64_t line) const {
    return std::find(lines_.begin(), lines_.end(), line) != lines_.end();
  }

 private:
  std::vector<std::uint64_t> lines_;  ///< the absent lines of one request, so few
};

}  // namespace warpscope
