#pragma once
// The compressions of fat binaries.
#include <cstdint>
#include <vector>

#include "machine/cubin/byte_view.h"

namespace warpscope::machine {

/// A block of LZ4, without a frame, that unpacks to `bytes` bytes. Throws InputError for anything else.
std::vector<std::uint8_t> unpack_lz4(const ByteView& packed, std::uint64_t bytes);
/// A zstd frame that unpacks to `bytes` bytes. Throws InputError for anything else.
std::vector<std::uint8_t> unpack_zstd(const ByteView& packed, std::uint64_t bytes);

}  // namespace warpscope::machine
