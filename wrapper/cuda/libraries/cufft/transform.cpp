#include "wrapper/cuda/libraries/cufft/transform.h"

#include <mutex>
#include <new>

#include "wrapper/cuda/libraries/cufft/fftw.h"

namespace warpscope::cuda::cufft {
namespace {

/// FFTW_ESTIMATE: a plan at once, without measurements that write to the arrays.
constexpr unsigned kAtOnce = 1U << 6;

bool is_single(cufftType type) {
  return type == CUFFT_C2C || type == CUFFT_R2C || type == CUFFT_C2R;
}

/// A side without gaps. `length`: elements of the last dimension; of real numbers in place, rows are as long as those of
/// the complex numbers that they become.
Side dense(const std::vector<int>& sizes, int length) {
  Side side{sizes, 1, 1};
  side.embed.back() = length;
  for (const int size : side.embed) side.distance *= size;
  return side;
}

struct Sides {
  Side in, out;
};
Sides sides_of(const Transform& transform, bool is_in_place) {
  if (!transform.in.embed.empty()) return {transform.in, transform.out};
  const int length = transform.sizes.back(), half = length / 2 + 1;
  const Side reals = dense(transform.sizes, is_in_place ? 2 * half : length),
             halves = dense(transform.sizes, half);
  switch (transform.type) {
    case CUFFT_R2C:
    case CUFFT_D2Z:
      return {reals, halves};
    case CUFFT_C2R:
    case CUFFT_Z2D:
      return {halves, reals};
    default:
      return {dense(transform.sizes, length), dense(transform.sizes, length)};
  }
}

template <class Complex, class Real>
void run_with(const Fftw<Complex, Real>& fftw, const Transform& transform, void* from, void* to,
              int direction) {
  const auto [in, out] = sides_of(transform, from == to);
  const int rank = static_cast<int>(transform.sizes.size()), count = transform.count;
  const int* const n = transform.sizes.data();
  const int *const in_embed = in.embed.data(), *const out_embed = out.embed.data();
  static std::mutex mutex;  // only execution is thread-safe
  std::unique_lock lock(mutex);
  typename Fftw<Complex, Real>::Plan plan = nullptr;
  switch (transform.type) {
    case CUFFT_R2C:
    case CUFFT_D2Z:
      plan =
          fftw.plan_many_dft_r2c(rank, n, count, static_cast<Real*>(from), in_embed, in.stride, in.distance,
                                 static_cast<Complex*>(to), out_embed, out.stride, out.distance, kAtOnce);
      break;
    case CUFFT_C2R:
    case CUFFT_Z2D:
      plan = fftw.plan_many_dft_c2r(rank, n, count, static_cast<Complex*>(from), in_embed, in.stride,
                                    in.distance, static_cast<Real*>(to), out_embed, out.stride, out.distance,
                                    kAtOnce);
      break;
    default:
      plan = fftw.plan_many_dft(rank, n, count, static_cast<Complex*>(from), in_embed, in.stride, in.distance,
                                static_cast<Complex*>(to), out_embed, out.stride, out.distance, direction,
                                kAtOnce);
  }
  if (plan == nullptr) throw std::bad_alloc();
  lock.unlock();
  fftw.execute(plan);
  lock.lock();
  fftw.destroy_plan(plan);
}

}  // namespace

void Transform::require_fftw() const {
  if (is_single(type))
    SingleFftw::get();
  else
    DoubleFftw::get();
}

void Transform::run(void* from, void* to, int direction) const {
  if (is_single(type))
    run_with(SingleFftw::get(), *this, from, to, direction);
  else
    run_with(DoubleFftw::get(), *this, from, to, direction);
}

}  // namespace warpscope::cuda::cufft
