#pragma once
// Tensor maps as arguments of a launch (CUtensorMap): 128 bytes for the kernel, which say where copies find the elements of a tensor.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wrapper/launch/expressions/expression.h"
#include "wrapper/launch/kernel_signatures.h"

namespace warpscope {

struct LaunchDescription;

/// What the user says. Numbers are expressions; dimension 0 is the one whose elements are one behind the other.
struct TensorDescription {
  std::vector<std::string> sizes;    ///< 1 to 5, elements
  std::vector<std::string> box;      ///< as many, elements; with corners channels and pixels
  std::vector<std::string> strides;  ///< bytes along dimensions from 1 on; empty: without gaps
  std::vector<std::string> steps;    ///< as many as sizes; empty: 1
  std::vector<std::string> lower,
      upper;                        ///< corners of im2col, pixels, of dimension 1 first; both empty: tiles
  std::string swizzle, interleave;  ///< bytes; empty: none
  std::string outside;              ///< "zero", "nan"
  std::string elements;             ///< "bf16", "f32_ftz", "tf32": instead of what the type says
  std::string of,
      offset;  ///< the buffer argument that has the elements, and where in it, in bytes; empty: its own memory
};

struct ResolvedTensor {
  static constexpr std::size_t kMost = 5;
  std::uint32_t dimensions = 1;
  std::array<std::uint64_t, kMost> size{1, 1, 1, 1, 1}, box{1, 1, 1, 1, 1}, steps{1, 1, 1, 1, 1};
  std::array<std::uint64_t, kMost - 1> strides{};
  std::uint32_t type = 0;                     ///< as tensormap.replace numbers them (PTX ISA)
  std::uint32_t swizzle = 0, interleave = 0;  ///< as CUtensorMapSwizzle and CUtensorMapInterleave number them
  bool is_filled_by_nan = false;
  bool is_im2col = false;
  std::uint64_t pixels = 1;  ///< of im2col; the box has the channels
  std::array<std::int64_t, kMost - 2> lower{}, upper{};
  std::string of;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  ///< from the first element to the end of the last one
};

/// A word of --arg: "tensor(64,32)", or KEY=VALUE with box, strides, steps, lower, upper, swizzle, interleave, outside, elements, of, offset. False: it is
/// neither.
bool parse_tensor_word(std::optional<TensorDescription>& tensor, const std::string& key,
                       const std::string& value);

/// Throws InputError for what is no tensor; whether copies can use the map is seen when the launch is made.
ResolvedTensor resolve_tensor(const TensorDescription& tensor, const ElementType& element,
                              const NameLookup& names, const std::string& where);

/// The parameters that are tensor maps as the launch says become buffers, unless another argument has their elements. Throws InputError for
/// parameters of other sizes.
void settle_tensors(KernelSignature& kernel, const LaunchDescription& launch);

}  // namespace warpscope
