#pragma once
// Global memory that a launch reads before anybody has written it: neither the host or a launch before it, nor the launch itself.
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "traces/faults/position.h"
#include "traces/program/capture.h"
#include "traces/program/unwritten.h"
#include "traces/races/race_plan.h"

namespace warpscope {

/// The accesses of a launch are given group by group, those of a group by intervals between barriers. What another group writes, or
/// another work-item in the same interval, may come before the read: then it is a race, or ordered by a flag, and nothing here.
class UnwrittenReads {
 public:
  /// `unwritten`: when the launch began.
  UnwrittenReads(const KernelInfo& kernel, const RacePlan& plan, const UnwrittenOfLaunch& unwritten,
                 const SharedList<BufferInfo>& buffers);

  void begin_group(std::uint32_t group) { group_ = group; }
  void access(std::uint32_t site, BufferAddr where, const Position& at);

  /// The reads of one site of a buffer: the first, and how many.
  struct Found {
    std::uint32_t site = 0, group = 0, item = 0;
    bool is_whole = true;  ///< otherwise some of its bytes were written
    BufferAddr where;
    std::uint64_t times = 0;
  };
  [[nodiscard]] std::vector<Found> found() const;
  [[nodiscard]] bool in_part() const { return in_part_; }

 private:
  static constexpr std::uint32_t kLargestCell =
      4;  ///< bytes; as few as it takes to be sure that nobody wrote them
  static constexpr std::uint32_t kWritten = ~std::uint32_t{0};
  static constexpr std::size_t kPage = 4096;           ///< cells
  static constexpr std::size_t kMostPages = 1u << 15;  ///< of 16 KiB
  static constexpr std::size_t kMostReads = 1u << 22;

  struct Part {
    std::uint64_t first, end;
  };
  /// By cell: 0 unwritten and not read, kWritten, or 1 + its first read.
  using Page = std::array<std::uint32_t, kPage>;
  struct Buffer {
    std::uint64_t size = 0;
    std::vector<Part> parts;  ///< ascending, apart
    std::vector<std::unique_ptr<Page>> pages;
  };
  struct Read {
    Found found;
    Position at;
    bool may_be_late = false;  ///< what it reads may have been written before it
  };

  void add(const UnwrittenBytes& bytes, const SharedList<BufferInfo>& buffers);
  static const Part* part_behind(const Buffer& buffer, std::uint64_t offset);
  std::uint32_t* cell_at(Buffer& buffer, std::uint64_t cell);
  void store(Buffer& buffer, std::uint64_t first, std::uint64_t end, const Position& at);
  void load(Buffer& buffer, std::uint32_t site, BufferAddr where, const Position& at);

  const RacePlan& plan_;
  std::vector<bool> stores_;  ///< by site of the plan; otherwise it reads
  std::uint32_t cell_bytes_;
  std::vector<Buffer> buffers_;  ///< by id
  std::vector<Read> reads_;
  std::size_t pages_ = 0;
  std::uint32_t group_ = 0;
  bool in_part_ = false;
};

}  // namespace warpscope
