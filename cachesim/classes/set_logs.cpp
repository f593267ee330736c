#include "cachesim/classes/set_logs.h"

#include <algorithm>

namespace warpscope {

SetLogs::SetLogs(std::uint32_t sets, std::uint32_t depth)
    : depth_(depth), logs_(sets), blocks_(sets), tags_(std::size_t{sets} * kTags) {
  for (std::uint32_t set = 0; set < sets; ++set) logs_[set].next = set * kTags;
}

/// Of a line that is not in the block of its time, `back` blocks before the newest one; `level` is that block's.
std::uint32_t SetLogs::older_level_of(std::uint32_t set, std::uint32_t tag, std::uint32_t back,
                                      std::uint32_t level, bool take) {
  const Log& log = logs_[set];
  Blocks& blocks = blocks_[set];
  level += blocks.counts[block_at(log, back)];
  while (++back < log.blocks) {
    const std::uint32_t block = block_at(log, back), last = blocks.last[block];
    const std::uint32_t* const tags = &tags_[(std::size_t{set} * kBlocks + block) * kUses];
    const std::uint32_t use = simd::equal_among_16(tags, simd::words_of(tag)) & last;
    if (use == 0) {
      level += blocks.counts[block];
      continue;
    }
    if (take) {
      blocks.last[block] = static_cast<std::uint16_t>(last ^ use);
      --blocks.counts[block];
    }
    return level + static_cast<std::uint32_t>(std::popcount(last & ~(use | (use - 1))));
  }
  return kNowhere;
}

/// The newest block is full.
void SetLogs::open_block(std::uint32_t set, std::int32_t fence) {
  Log& log = logs_[set];
  if (log.next == (set + 1) * kTags) log.next = set * kTags;
  const std::uint32_t block = log.next / kUses % kBlocks;
  std::fill_n(&tags_[log.next], kUses, 0);
  blocks_[set].counts[block] = kUses;
  blocks_[set].last[block] = 0xffff;
  blocks_[set].fences[block] = fence;
  ++log.blocks;
}

/// The newest block gets no more uses.
void SetLogs::close_block(std::uint32_t set) {
  Log& log = logs_[set];
  const std::uint32_t room = to_come(log), block = block_at(log, 0);
  std::uint16_t& last = blocks_[set].last[block];
  last = static_cast<std::uint16_t>(last & 0xffffu >> room);
  blocks_[set].counts[block] = static_cast<std::uint8_t>(std::popcount(last));
  log.next += room;
}

/// Drops old blocks where the newer ones have as many lines as there are levels.
void SetLogs::begin_block(std::uint32_t set, std::uint32_t time) {
  Log& log = logs_[set];
  Blocks& blocks = blocks_[set];
  std::uint32_t lines = simd::sum_of_bytes(simd::load_aligned(blocks.counts.data()));
  log.full = std::uint32_t{lines >= depth_};
  while (log.blocks > 1) {
    const std::uint32_t oldest = block_at(log, log.blocks - 1), count = blocks.counts[oldest];
    if (count != 0 && lines < depth_ + count) break;
    lines -= count;
    blocks.counts[oldest] = 0;
    blocks.fences[oldest] = fence(0);
    --log.blocks;
    log.oldest = time_of(blocks.fences[block_at(log, log.blocks - 1)]);
  }
  if (log.blocks == kBlocks) make_room(set);
  open_block(set, fence(time));
  if (log.blocks == 1) log.oldest = time;
}

/// Joins neighbours whose last uses fit into one block.
void SetLogs::make_room(std::uint32_t set) {
  const Log from = logs_[set];
  Blocks from_blocks = blocks_[set];
  const std::uint32_t oldest = block_at(from, from.blocks - 1);
  std::uint32_t lines = simd::sum_of_bytes(simd::load_aligned(from_blocks.counts.data()));
  for (; lines > depth_; --lines) {
    from_blocks.last[oldest] =
        static_cast<std::uint16_t>(from_blocks.last[oldest] & (from_blocks.last[oldest] - 1u));
    --from_blocks.counts[oldest];
  }
  std::array<std::uint32_t, kTags> from_tags;
  std::copy_n(&tags_[std::size_t{set} * kTags], kTags, from_tags.data());
  Log& log = logs_[set];
  empty(set);
  log.oldest = from.oldest;
  log.full = from.full;
  for (std::uint32_t back = from.blocks; back-- > 0;) {
    const std::uint32_t block = block_at(from, back);
    if (log.blocks == 0 || to_come(log) < from_blocks.counts[block]) {
      if (log.blocks != 0) close_block(set);
      open_block(set, from_blocks.fences[block]);
    }
    for (std::uint32_t last = from_blocks.last[block]; last != 0; last &= last - 1)
      tags_[log.next++] = from_tags[block * kUses + static_cast<std::uint32_t>(std::countr_zero(last))];
  }
  close_block(set);
}

void SetLogs::empty(std::uint32_t set) {
  logs_[set] = {};
  logs_[set].next = set * kTags;
  blocks_[set] = {};
}

void SetLogs::clear() {
  for (std::uint32_t set = 0; set < logs_.size(); ++set)
    if (logs_[set].blocks != 0) empty(set);
}

void SetLogs::fill(std::uint32_t set, const std::uint32_t* tags, std::uint32_t count) {
  empty(set);
  if (count == 0) return;
  Log& log = logs_[set];
  for (; count > 0; --count) {
    if (log.next % kUses == 0) open_block(set, fence(LastUses::kBefore));
    tags_[log.next++] = tags[count - 1];
  }
  close_block(set);  // what comes now is of a block with its own time
  log.oldest = LastUses::kBefore;
}

std::uint32_t SetLogs::newest_first(std::uint32_t set, std::uint32_t* tags) const {
  const Log& log = logs_[set];
  std::uint32_t count = 0;
  for (std::uint32_t back = 0; back < log.blocks; ++back) {
    const std::uint32_t block = block_at(log, back);
    for (std::uint32_t use = kUses; use-- > 0 && count < depth_;) {
      const std::uint32_t tag = tags_[std::size_t{set} * kTags + block * kUses + use];
      if ((blocks_[set].last[block] >> use & 1) != 0 && tag != 0) tags[count++] = tag;
    }
  }
  return count;
}

}  // namespace warpscope
