#pragma once
// A cuFFT plan, and what it does to memory.
#include <cufft.h>

#include <vector>

namespace warpscope::cuda::cufft {

/// Elements of one side of a batch: of transform b, those at b · distance + index · stride, where `embed` has the sizes of
/// the array that the transform is in. Empty: without gaps, as cuFFT lays them out.
struct Side {
  std::vector<int> embed;
  int stride = 1, distance = 0;
};

struct Transform {
  std::vector<int> sizes;  ///< 1 to 3, the last one's elements are next to each other
  cufftType type = CUFFT_C2C;
  int count = 1;
  Side in, out;  ///< both with `embed`, or none

  /// Throws MissingLibrary if FFTW is not there, in the precision of `type`.
  void require_fftw() const;
  /// Not normalised. `direction`: CUFFT_FORWARD or CUFFT_INVERSE, of complex numbers to complex numbers. Throws
  /// std::bad_alloc if FFTW has no plan.
  void run(void* from, void* to, int direction) const;
};

}  // namespace warpscope::cuda::cufft
