#pragma once
// The address differences of a column, of which only a piece is in memory.
#include <xxhash.h>

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "traces/base/shape_table.h"
#include "wrapper/recording/spill/payload_parts.h"
#include "wrapper/recording/spill/spool_io.h"

namespace warpscope {

/// The distinct shapes of a column, in a temporary file. Equal ones are found by a 128-bit hash.
class ShapeSpool {
 public:
  ShapeSpool();
  /// The next run of the current shape; equal neighbours are joined.
  void add(std::int64_t delta, std::uint64_t repeat);
  /// The current shape is complete: its number.
  std::uint32_t end_shape();
  [[nodiscard]] bool empty() const { return shapes_.empty(); }
  /// All shapes, as a column has them.
  void put(PayloadParts& out);
  void clear();

 private:
  struct Shape {
    std::uint64_t bytes = 0;
    std::uint64_t runs = 0;
  };
  struct FreeState {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  void put_run();

  SpoolWriter spool_;
  std::unique_ptr<XXH3_state_t, FreeState> hash_;
  std::vector<Shape> shapes_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> numbers_;  ///< by hash
  std::uint64_t begin_ = 0;                                                   ///< of the current shape
  std::uint64_t runs_ = 0;  ///< of the current shape, in the spool
  DeltaRun run_;            ///< the one that may grow
};

}  // namespace warpscope
