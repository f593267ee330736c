#include "wrapper/cuda/libraries/cufft/fftw.h"

#include <string>
#include <type_traits>

#include "wrapper/cuda/libraries/system_library.h"

namespace warpscope::cuda::cufft {

template <class Complex, class Real>
Fftw<Complex, Real>::Fftw() {
  constexpr bool kIsSingle = std::is_same_v<Real, float>;
  const SystemLibrary library("cuFFT", kIsSingle ? "libfftw3f.so.3" : "libfftw3.so.3",
                              kIsSingle ? "libfftw3-single3" : "libfftw3-double3");
  const std::string prefix = kIsSingle ? "fftwf_" : "fftw_";
  library.find(plan_many_dft, prefix + "plan_many_dft");
  library.find(plan_many_dft_r2c, prefix + "plan_many_dft_r2c");
  library.find(plan_many_dft_c2r, prefix + "plan_many_dft_c2r");
  library.find(execute, prefix + "execute");
  library.find(destroy_plan, prefix + "destroy_plan");
}

template <class Complex, class Real>
const Fftw<Complex, Real>& Fftw<Complex, Real>::get() {
  static const Fftw fftw;
  return fftw;
}

template struct Fftw<cufftComplex, cufftReal>;
template struct Fftw<cufftDoubleComplex, cufftDoubleReal>;

}  // namespace warpscope::cuda::cufft
