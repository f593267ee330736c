#pragma once
// Simulated addresses of buffers. Results depend on set hashes and therefore on addresses, so the layout is
// chosen by the reader of a capture, never by the machine that made it.
#include <vector>

#include "traces/program/capture.h"

namespace warpscope {

struct LayoutOptions {
  std::uint64_t base = 0x10000000;      ///< first address
  std::uint64_t granule = 512;          ///< alignment of buffers below large_from, bytes, power of two
  std::uint64_t large_from = 1u << 20;  ///< buffers of this size and more are aligned to large_granule
  std::uint64_t large_granule = 2u << 20;
  std::uint64_t seed = 0;  ///< if not 0, buffers have another order and other gaps (--layout-seed)
};

class Layout {
 public:
  Layout() = default;
  /// Places global and constant buffers once, in the order given. Local and private objects get no address
  /// here (their address is their offset): they do not live in global memory. Throws InputError if options
  /// are invalid.
  Layout(const std::vector<BufferInfo>& buffers, const LayoutOptions& options);
  /// Start of a buffer; 0 for id 0 and for local and private objects.
  [[nodiscard]] ByteAddr base(BufferId buffer) const {
    return ByteAddr(buffer.value() < base_.size() ? base_[buffer.value()] : 0);
  }
  /// Without any buffers (a stream of plain addresses) the whole key of a location is its address.
  [[nodiscard]] ByteAddr address(BufferAddr where) const {
    return ByteAddr(base(where.buffer()).value() + (where.key() & offset_mask_));
  }
  /// The buffer that holds an address, id 0 if none: for streams that carry plain addresses.
  [[nodiscard]] BufferId buffer_at(ByteAddr address) const;

 private:
  struct Placed {
    std::uint64_t start, size;
    BufferId id;
  };
  std::vector<std::uint64_t> base_;  ///< indexed by BufferId
  std::vector<Placed> placed_;       ///< sorted by ascending address
  std::uint64_t offset_mask_ = ~std::uint64_t{0};
};

}  // namespace warpscope
