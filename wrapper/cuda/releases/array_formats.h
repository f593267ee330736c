#pragma once
// How the driver says what the elements of arrays and textures are (CUDA Driver API, CUarray_format).
#include "passes/cuda/include/warpscope/texture_types.h"

namespace warpscope::cuda::releases {

/// CUarray_format, and how many channels an element has.
enum Format : int { U8 = 1, U16 = 2, U32 = 3, S8 = 8, S16 = 9, S32 = 10, Half = 16, Float = 32 };
struct ArrayFormat {
  int format;
  unsigned channels;
};

/// False for formats that arrays of a GPU do not have.
inline bool channels_of(int format, unsigned channels, cudaChannelFormatDesc* description) {
  const int bits = format == U8 || format == S8                        ? 8
                   : format == U16 || format == S16 || format == Half  ? 16
                   : format == U32 || format == S32 || format == Float ? 32
                                                                       : 0;
  if (bits == 0 || (channels != 1 && channels != 2 && channels != 4)) return false;
  const auto kind = format >= Half ? cudaChannelFormatKindFloat
                    : format >= S8 ? cudaChannelFormatKindSigned
                                   : cudaChannelFormatKindUnsigned;
  *description = {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0, kind};
  return true;
}

inline ArrayFormat format_of(const cudaChannelFormatDesc& channels) {
  const unsigned count = channels.z != 0 ? 4 : channels.y != 0 ? 2 : 1;
  if (channels.f == cudaChannelFormatKindFloat) return {channels.x == 16 ? Half : Float, count};
  const int step = channels.x == 8 ? 0 : channels.x == 16 ? 1 : 2;
  return {(channels.f == cudaChannelFormatKindSigned ? S8 : U8) + step, count};
}

}  // namespace warpscope::cuda::releases
