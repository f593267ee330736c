#pragma once
// Device code wherever it is packed: a cubin, a fat binary, an object, a library, an archive or a program with fat binaries inside.
#include <cstdint>
#include <string>
#include <vector>

#include "machine/cubin/byte_view.h"

namespace warpscope::machine {

enum class ImageKind : std::uint8_t { Cubin, Ptx };

struct DeviceImage {
  ImageKind kind = ImageKind::Cubin;
  std::uint32_t architecture = 0;   ///< 90 of sm_90 or compute_90; 0 where only the cubin itself says
  std::string name;                 ///< for messages: "app: image 2 (sm_90)"
  std::vector<std::uint8_t> bytes;  ///< unpacked
};

/// All images of a file in their order. Throws InputError for what has none, or is malformed.
std::vector<DeviceImage> device_images(const ByteView& file);

/// Refuses NVIDIA's own libraries by their names, since their code is not the user's to analyse. Throws InputError.
void refuse_vendor_library(const std::string& path);

}  // namespace warpscope::machine
