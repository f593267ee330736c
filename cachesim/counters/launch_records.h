#pragma once
// The counters of launches, one record each in their order, however many: they do not stay in memory.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cachesim/counters/counts.h"
#include "traces/base/varint.h"
#include "traces/files/spill.h"

namespace warpscope {

struct LaunchRecord {
  std::uint64_t l1_kib = 0;  ///< size of a core's L1
  Counts counts;
  std::string more;  ///< what else the engine says about the launch, as JSON; may be empty
};

/// Every counter `times` over.
Counts scaled(Counts counts, std::uint64_t times);
/// Appends the counters to `out`: equal counters, and only these, give equal bytes.
void encode(const Counts& counts, std::vector<std::uint8_t>& out);
/// What encode() wrote. Throws InputError on damage.
Counts decode_counts(ByteReader& in);

class LaunchRecords {
 public:
  /// `position`: of the launch in the header; launches without a record before it get an empty one with
  /// `missing_l1_kib`. Throws InputError when it is not above all before it.
  void add(std::size_t position, const LaunchRecord& record, std::uint64_t missing_l1_kib);
  /// Adds empty records up to `size`.
  void fill(std::size_t size, std::uint64_t missing_l1_kib);
  /// The position behind the last record.
  [[nodiscard]] std::size_t size() const { return spills_.empty() ? 0 : spills_.front()->size(); }
  [[nodiscard]] LaunchRecord record(std::size_t position) const;
  [[nodiscard]] Counts operator[](std::size_t position) const { return record(position).counts; }
  /// The same launches' records of other cores: counters add up.
  void join(LaunchRecords other);

 private:
  std::vector<std::shared_ptr<Spill>> spills_;  ///< of different cores, equally long; copies share them
};

}  // namespace warpscope
