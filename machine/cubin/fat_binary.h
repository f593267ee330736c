#pragma once
// Device code wherever it is packed: a cubin, PTX, a fat binary, an object, a library, an archive or a program with fat binaries inside.
#include <cstdint>
#include <string>
#include <vector>

#include "machine/cubin/byte_view.h"

namespace warpscope::machine {

enum class ImageKind : std::uint8_t { Cubin, Ptx };

struct DeviceImage {
  ImageKind kind = ImageKind::Cubin;
  std::uint32_t architecture = 0;   ///< 90 of sm_90 or compute_90; 0 where only the cubin itself says
  std::string variant;              ///< "a" of sm_90a, which runs on this architecture only; "f" of sm_100f
  std::string name;                 ///< for messages: "app: image 2 (sm_90)"
  std::vector<std::uint8_t> bytes;  ///< unpacked
  /// Images of the same fat binary have the same number: a driver takes one of them. Each lone cubin or PTX has its own.
  std::uint32_t container = 0;
};

struct DeviceContent {
  std::vector<DeviceImage> images;
  std::vector<std::string> damaged;  ///< one line for each image that cannot be unpacked
  std::vector<std::string> others;   ///< one line for each that is neither machine code nor PTX
};

/// All images of a file in their order, PTX as text too. Throws InputError for a file whose structure is malformed.
DeviceContent device_content(const ByteView& file);
/// The images. Throws InputError as device_content(), for a file that has none, and for the first that is damaged.
std::vector<DeviceImage> device_images(const ByteView& file);

/// Refuses NVIDIA's own libraries by their names, since their code is not the user's to analyse. Throws InputError.
void refuse_vendor_library(const std::string& path);

}  // namespace warpscope::machine
