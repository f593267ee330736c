// cuFFT's functions, as programs call them.
#include <map>
#include <mutex>
#include <new>

#include "wrapper/cuda/libraries/cufft/transform.h"
#include "wrapper/cuda/libraries/system_library.h"
#include "wrapper/cuda/library_calls.h"

namespace warpscope::cuda::cufft {
namespace {

struct Plan {
  Transform transform;  ///< without sizes: not made yet
  cudaStream_t stream = nullptr;
};

/// Plans by their numbers. Thread-safe. Never destroyed: a destructor of the program's may still call.
class Plans {
 public:
  static Plans& get() {
    static auto* plans = new Plans;
    return *plans;
  }
  int add() {
    const std::lock_guard lock(mutex_);
    plans_[++last_];
    return last_;
  }
  bool remove(int number) {
    const std::lock_guard lock(mutex_);
    return plans_.erase(number) == 1;
  }
  /// Does `work(plan)`, which returns a cufftResult.
  template <class Work>
  cufftResult with(int number, const Work& work) {
    const std::lock_guard lock(mutex_);
    const auto found = plans_.find(number);
    return found == plans_.end() ? CUFFT_INVALID_PLAN : work(found->second);
  }

 private:
  std::mutex mutex_;
  std::map<int, Plan> plans_;
  int last_ = 0;
};

bool is_type(cufftType type) {
  for (const cufftType known : {CUFFT_C2C, CUFFT_R2C, CUFFT_C2R, CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D})
    if (type == known) return true;
  return false;
}

cufftResult check(const Transform& transform) {
  if (!is_type(transform.type)) return CUFFT_INVALID_TYPE;
  for (const int size : transform.sizes)
    if (size < 1) return CUFFT_INVALID_SIZE;
  return transform.count < 1 ? CUFFT_INVALID_SIZE : CUFFT_SUCCESS;
}

cufftResult make(int number, const Transform& transform, std::size_t* bytes) {
  return Plans::get().with(number, [&](Plan& plan) {
    if (bytes == nullptr) return CUFFT_INVALID_VALUE;
    if (!plan.transform.sizes.empty()) return CUFFT_INVALID_PLAN;
    if (const cufftResult result = check(transform); result != CUFFT_SUCCESS) return result;
    try {
      transform.require_fftw();
    } catch (const MissingLibrary& missing) {
      warpscopeComplain(missing.what());
      return CUFFT_SETUP_FAILED;
    }
    plan.transform = transform;
    *bytes = 0;
    return CUFFT_SUCCESS;
  });
}

/// A plan in one step, as the oldest functions make it.
cufftResult create_and_make(cufftHandle* plan, const Transform& transform) {
  if (plan == nullptr) return CUFFT_INVALID_VALUE;
  const int number = Plans::get().add();
  std::size_t bytes = 0;
  const cufftResult result = make(number, transform, &bytes);
  if (result == CUFFT_SUCCESS)
    *plan = number;
  else
    Plans::get().remove(number);
  return result;
}

/// Without both arrays' sizes, steps and distances are ignored, too (cuFFT Library, "Advanced Data Layout").
struct Many {
  int rank;
  const int *n, *inembed;
  int istride, idist;
  const int* onembed;
  int ostride, odist;

  [[nodiscard]] bool is_right() const { return rank >= 1 && rank <= 3 && n != nullptr; }
  [[nodiscard]] Transform transform(cufftType type, int count) const {
    Transform result{std::vector<int>(n, n + rank), type, count, {}, {}};
    if (inembed == nullptr || onembed == nullptr) return result;
    result.in = {std::vector<int>(inembed, inembed + rank), istride, idist};
    result.out = {std::vector<int>(onembed, onembed + rank), ostride, odist};
    return result;
  }
};

cufftResult execute(int number, cufftType type, void* in, void* out, int direction) {
  Plan copy;
  const cufftResult found = Plans::get().with(number, [&](const Plan& plan) {
    copy = plan;
    return plan.transform.sizes.empty() ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS;
  });
  if (found != CUFFT_SUCCESS) return found;
  if (copy.transform.type != type) return CUFFT_INVALID_TYPE;
  if (in == nullptr || out == nullptr || (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE))
    return CUFFT_INVALID_VALUE;
  const auto work = [=, transform = copy.transform] { transform.run(in, out, direction); };
  return warpscopeSubmit(copy.stream, "cuFFT", work) == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

cufftResult estimate(const Transform& transform, std::size_t* bytes) {
  if (bytes == nullptr) return CUFFT_INVALID_VALUE;
  *bytes = 0;
  return check(transform);
}

}  // namespace
}  // namespace warpscope::cuda::cufft

using namespace warpscope::cuda::cufft;

extern "C" {

cufftResult cufftPlan1d(cufftHandle* plan, int nx, cufftType type, int batch) {
  return create_and_make(plan, {{nx}, type, batch, {}, {}});
}
cufftResult cufftPlan2d(cufftHandle* plan, int nx, int ny, cufftType type) {
  return create_and_make(plan, {{nx, ny}, type, 1, {}, {}});
}
cufftResult cufftPlan3d(cufftHandle* plan, int nx, int ny, int nz, cufftType type) {
  return create_and_make(plan, {{nx, ny, nz}, type, 1, {}, {}});
}
cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist,
                          int* onembed, int ostride, int odist, cufftType type, int batch) {
  const Many many{rank, n, inembed, istride, idist, onembed, ostride, odist};
  return many.is_right() ? create_and_make(plan, many.transform(type, batch)) : CUFFT_INVALID_VALUE;
}

cufftResult cufftCreate(cufftHandle* plan) {
  if (plan == nullptr) return CUFFT_INVALID_VALUE;
  *plan = Plans::get().add();
  return CUFFT_SUCCESS;
}
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, std::size_t* bytes) {
  return make(plan, {{nx}, type, batch, {}, {}}, bytes);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, std::size_t* bytes) {
  return make(plan, {{nx, ny}, type, 1, {}, {}}, bytes);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, std::size_t* bytes) {
  return make(plan, {{nx, ny, nz}, type, 1, {}, {}}, bytes);
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist,
                              int* onembed, int ostride, int odist, cufftType type, int batch,
                              std::size_t* bytes) {
  const Many many{rank, n, inembed, istride, idist, onembed, ostride, odist};
  return many.is_right() ? make(plan, many.transform(type, batch), bytes) : CUFFT_INVALID_VALUE;
}
cufftResult cufftDestroy(cufftHandle plan) {
  return Plans::get().remove(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftEstimate1d(int nx, cufftType type, int batch, std::size_t* bytes) {
  return estimate({{nx}, type, batch, {}, {}}, bytes);
}
cufftResult cufftEstimate2d(int nx, int ny, cufftType type, std::size_t* bytes) {
  return estimate({{nx, ny}, type, 1, {}, {}}, bytes);
}
cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, std::size_t* bytes) {
  return estimate({{nx, ny, nz}, type, 1, {}, {}}, bytes);
}
cufftResult cufftGetSize(cufftHandle plan, std::size_t* bytes) {
  return Plans::get().with(plan, [&](const Plan& found) {
    if (bytes == nullptr) return CUFFT_INVALID_VALUE;
    *bytes = 0;
    return found.transform.sizes.empty() ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS;
  });
}
cufftResult cufftSetWorkArea(cufftHandle plan, void* /*memory*/) {
  return Plans::get().with(plan, [](const Plan&) { return CUFFT_SUCCESS; });
}
cufftResult cufftSetAutoAllocation(cufftHandle plan, int /*is_automatic*/) {
  return Plans::get().with(plan, [](const Plan&) { return CUFFT_SUCCESS; });
}
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
  return Plans::get().with(plan, [&](Plan& found) {
    found.stream = stream;
    return CUFFT_SUCCESS;
  });
}
cufftResult cufftGetVersion(int* version) {
  if (version == nullptr) return CUFFT_INVALID_VALUE;
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetProperty(libraryPropertyType type, int* value) {
  constexpr int kParts[] = {CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH};
  if (value == nullptr || type < MAJOR_VERSION || type > PATCH_LEVEL) return CUFFT_INVALID_VALUE;
  *value = kParts[type];
  return CUFFT_SUCCESS;
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int direction) {
  return execute(plan, CUFFT_C2C, in, out, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* in, cufftComplex* out) {
  return execute(plan, CUFFT_R2C, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* in, cufftReal* out) {
  return execute(plan, CUFFT_C2R, in, out, CUFFT_INVERSE);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out, int direction) {
  return execute(plan, CUFFT_Z2Z, in, out, direction);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* in, cufftDoubleComplex* out) {
  return execute(plan, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleReal* out) {
  return execute(plan, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}
}
