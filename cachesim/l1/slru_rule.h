#pragma once
// Segmented LRU on the lines of one set: which line goes, and what that does to the others (replacement/slru.cpp says what it is). For
// simulators that keep the state with their own tags.
#include <cstdint>

namespace warpscope {

/// A `Line` has `std::uint64_t last_use`, the clock of its last use (0: the way is empty), and `protection`, the victims that it still sees go
/// before it can.
struct SlruRule {
  /// Of a line that is hit. 120 of 132 lines that were loaded twice survived 4,096 others. Three simulated draws with 8 have 111 to
  /// 119 of them, with 9 120 to 126, with 10 124 to 131.
  static constexpr std::uint8_t kProtection = 9;

  /// The way whose line goes, of `ways` from `lines` on, of which one is not empty; the others see it go.
  template <class Line>
  static std::uint32_t victim(Line* lines, std::uint32_t ways) {
    const std::uint32_t found = oldest(lines, ways);
    for (std::uint32_t way = 0; way < ways; ++way)
      lines[way].protection = found == kNone || lines[way].protection == 0
                                  ? 0
                                  : static_cast<std::uint8_t>(lines[way].protection - 1);
    return found != kNone ? found : oldest(lines, ways);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// Of those without protection.
  template <class Line>
  static std::uint32_t oldest(const Line* lines, std::uint32_t ways) {
    std::uint32_t found = kNone;
    for (std::uint32_t way = 0; way < ways; ++way) {
      const Line& line = lines[way];
      if (line.last_use != 0 && line.protection == 0 &&
          (found == kNone || line.last_use < lines[found].last_use))
        found = way;
    }
    return found;
  }
};

}  // namespace warpscope
