#pragma once
// Small streams for tests: a header with buffers and sites, and accesses of it.
#include <bit>
#include <deque>

#include "cachesim/transactions/transaction_sink.h"
#include "traces/stream/stream.h"

namespace warpscope::test {

inline SiteInfo site(AccessKind kind, AddressSpace space, std::uint32_t width = 4) {
  SiteInfo info;
  info.kind = kind;
  info.space = space;
  info.width = width;
  info.alignment = width;
  info.locations = {{"k.cl", 10, 1}};
  return info;
}

/// Buffer i + 1 has spaces[i] and `size` bytes.
inline StreamHeader header(const std::vector<AddressSpace>& spaces, const std::vector<SiteInfo>& sites,
                           std::uint64_t size = 1u << 20) {
  StreamHeader header;
  for (const AddressSpace space : spaces) {
    BufferInfo buffer;
    buffer.id = BufferId(static_cast<std::uint32_t>(header.buffers.size() + 1));
    buffer.name = std::string(1, static_cast<char>('a' + header.buffers.size()));
    buffer.space = space;
    buffer.size = size;
    header.buffers.push_back(buffer);
  }
  LaunchInfo launch;
  launch.id = LaunchId(0);
  KernelInfo& kernel = launch.kernel.edit();
  kernel.name = "k";
  kernel.sites = sites;
  kernel.blocks.resize(1);
  for (std::uint32_t i = 0; i < sites.size(); ++i) {
    kernel.blocks[0].sites.push_back(SiteId(i));
    kernel.sites[i].point.position = i;
  }
  kernel.blocks[0].instructions = static_cast<std::uint32_t>(sites.size());
  launch.global = {128, 1, 1};
  launch.local = {64, 1, 1};
  launch.source_name = "k.cl";
  launch.source = "kernel void k() {}\n";
  header.launches = {launch};
  header.work_groups = 2;
  return header;
}

/// Accesses with patterns that live as long as this.
class Accesses {
 public:
  WarpAccess make(std::uint32_t site, BufferAddr base, LaneMask mask,
                  const std::vector<std::int64_t>& offsets, std::uint32_t pattern_id = 0) {
    LanePattern& pattern = patterns_.emplace_back();
    pattern.mask = mask;
    pattern.lanes = static_cast<std::uint32_t>(std::popcount(mask));
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      pattern.offset[i] = offsets[i];
      pattern.min_offset = std::min(pattern.min_offset, offsets[i]);
      pattern.max_offset = std::max(pattern.max_offset, offsets[i]);
    }
    WarpAccess access;
    access.base = base;
    access.pattern = &pattern;
    access.pattern_id = pattern_id;
    access.site = SiteId(site);
    return access;
  }
  /// All 32 lanes, `stride` bytes apart.
  WarpAccess strided(std::uint32_t site, BufferAddr base, std::int64_t stride, std::uint32_t pattern_id = 0) {
    std::vector<std::int64_t> offsets;
    for (std::int64_t lane = 0; lane < 32; ++lane) offsets.push_back(lane * stride);
    return make(site, base, 0xffffffff, offsets, pattern_id);
  }

 private:
  std::deque<LanePattern> patterns_;
};

/// Keeps what it gets.
class RecordingSink final : public TransactionSink {
 public:
  void begin(const TransactionHeader& given) override { header = given; }
  void begin_launch(LaunchId) override {
    ++launches;
    first_origin = origins.size();
  }
  void add_origins(std::span<const Origin> added) override {
    origins.insert(origins.end(), added.begin(), added.end());
  }
  void block(const TransactionBlock& block) override {
    for (const OriginTally& tally : block.tallies) {
      tallies.push_back(tally);
      lanes += tally.access.lanes;
      outside_requests += tally.outside_requests;
    }
    transactions.insert(transactions.end(), block.transactions.begin(), block.transactions.end());
    cores.push_back(block.core);
  }
  void end() override { ended = true; }
  [[nodiscard]] const Origin& origin_of(Transaction t) const {
    return origins.at(first_origin + t.origin().value());
  }

  TransactionHeader header;
  std::vector<Origin> origins;
  std::size_t first_origin = 0;
  std::vector<OriginTally> tallies;
  std::vector<Transaction> transactions;
  std::vector<CoreId> cores;
  std::uint64_t lanes = 0, outside_requests = 0;
  int launches = 0;
  bool ended = false;
};

}  // namespace warpscope::test
