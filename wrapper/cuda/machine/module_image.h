#pragma once
// Device code that a program hands over while it runs: a cubin, a fat binary or PTX, of which it only says where it begins; and cubins that
// are linked of several.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpscope::cuda {

/// Bytes of the image at `image`: of a cubin and a fat binary as their headers say, of a text up to its end. `image` may be the structure
/// that nvcc's objects keep in front of a fat binary. Throws InputError for a null pointer.
std::vector<std::uint8_t> copy_of_image(const void* image);

/// What is behind the structure that a compiler's objects keep in front of device code; null: it is none.
const void* behind_wrapper(const void* wrapper);

/// Whether an image is text, and not machine code with a header.
bool is_text(std::span<const std::uint8_t> image);

/// What cuLink* puts together.
struct LinkInput {
  std::vector<std::uint8_t> bytes;
  std::string name;     ///< for messages
  bool is_ptx = false;  ///< to be assembled
};

/// A cubin for a GPU ("sm_90") by the user's ptxas and, of several inputs, nvlink. Libraries of device code may be among them. Throws
/// InputError that says what is missing, or what the tool says.
std::vector<std::uint8_t> linked(const std::vector<LinkInput>& inputs, const std::string& architecture);

}  // namespace warpscope::cuda
