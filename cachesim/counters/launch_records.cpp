#include "cachesim/counters/launch_records.h"

#include <array>
#include <cstring>
#include <iterator>
#include <utility>

#include "traces/base/error.h"

namespace warpscope {

Counts decode_counts(ByteReader& in) {
  Counts counts;
  std::uint64_t zeros = in.varint("counter");
  each_number(
      [&](const char*, std::uint64_t& number) {
        if (zeros-- != 0) return;
        number = in.varint("counter");
        zeros = in.varint("counter");
      },
      counts);
  for (std::uint64_t left = in.varint("degrees"); left != 0; --left) {
    const auto degree = static_cast<std::uint32_t>(in.varint("degree"));
    counts.degrees[degree] = in.varint("passes");
  }
  return counts;
}

Counts scaled(Counts counts, std::uint64_t times) {
  each_number([&](const char*, std::uint64_t& number) { number *= times; }, counts);
  for (auto& [degree, passes] : counts.degrees) passes *= times;
  return counts;
}

// Zeros are most of it: how many come before each number that is not zero, and at the end.
void encode(const Counts& counts, std::vector<std::uint8_t>& out) {
  std::uint64_t zeros = 0;
  each_number(
      [&](const char*, std::uint64_t number) {
        if (number == 0) {
          ++zeros;
          return;
        }
        put_varint(out, zeros);
        put_varint(out, number);
        zeros = 0;
      },
      counts);
  put_varint(out, zeros);
  put_varint(out, counts.degrees.size());
  for (const auto& [degree, passes] : counts.degrees) {
    put_varint(out, degree);
    put_varint(out, passes);
  }
}

void LaunchRecords::add(std::size_t position, const LaunchRecord& record, std::uint64_t missing_l1_kib) {
  if (position < size())
    throw InputError(
        "a launch comes twice or before an earlier one in the stream, expected ascending launches");
  fill(position, missing_l1_kib);
  if (spills_.empty()) spills_.push_back(std::make_shared<Spill>());
  std::vector<std::uint8_t> bytes;
  put_varint(bytes, record.l1_kib);
  encode(record.counts, bytes);
  bytes.insert(bytes.end(), record.more.begin(), record.more.end());
  spills_.front()->add(bytes);
}

void LaunchRecords::fill(std::size_t until, std::uint64_t missing_l1_kib) {
  while (size() < until) add(size(), {missing_l1_kib, {}, {}}, missing_l1_kib);
}

LaunchRecord LaunchRecords::record(std::size_t position) const {
  LaunchRecord sum;
  std::vector<std::uint8_t> bytes;
  for (const auto& spill : spills_) {
    spill->read(position, bytes);
    ByteReader in(bytes);
    sum.l1_kib = in.varint("size of the L1");
    sum.counts += decode_counts(in);
    const std::span<const std::uint8_t> more = in.bytes(in.remaining(), "rest");
    if (!more.empty()) sum.more.assign(more.begin(), more.end());
  }
  return sum;
}

void LaunchRecords::join(LaunchRecords other) {
  std::move(other.spills_.begin(), other.spills_.end(), std::back_inserter(spills_));
}

}  // namespace warpscope
