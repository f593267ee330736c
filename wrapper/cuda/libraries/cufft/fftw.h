#pragma once
// Debian's FFTW, one library for each precision. FFTW 3 manual, "Advanced Interface".
#include <cufft.h>

namespace warpscope::cuda::cufft {

/// The functions of one precision. `Complex` and `Real` are cuFFT's types, which FFTW's are equal to.
template <class Complex, class Real>
struct Fftw {
  using Plan = struct fftw_plan_s*;

  Plan (*plan_many_dft)(int rank, const int* n, int count, Complex* in, const int* in_embed, int in_stride,
                        int in_distance, Complex* out, const int* out_embed, int out_stride, int out_distance,
                        int sign, unsigned flags);
  Plan (*plan_many_dft_r2c)(int rank, const int* n, int count, Real* in, const int* in_embed, int in_stride,
                            int in_distance, Complex* out, const int* out_embed, int out_stride,
                            int out_distance, unsigned flags);
  Plan (*plan_many_dft_c2r)(int rank, const int* n, int count, Complex* in, const int* in_embed,
                            int in_stride, int in_distance, Real* out, const int* out_embed, int out_stride,
                            int out_distance, unsigned flags);
  void (*execute)(Plan plan);
  void (*destroy_plan)(Plan plan);

  /// Throws MissingLibrary.
  static const Fftw& get();

 private:
  Fftw();
};
using SingleFftw = Fftw<cufftComplex, cufftReal>;
using DoubleFftw = Fftw<cufftDoubleComplex, cufftDoubleReal>;

}  // namespace warpscope::cuda::cufft
