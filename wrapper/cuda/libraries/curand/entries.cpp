// cuRAND's functions for the host. Generators for the device and for the host give the same numbers.
#include <cmath>
#include <memory>

#include "wrapper/cuda/libraries/curand/numbers.h"
#include "wrapper/cuda/library_calls.h"

using warpscope::cuda::curand::make_numbers;
using warpscope::cuda::curand::Numbers;

struct curandGenerator_st {
  curandRngType_t type;
  bool is_for_host;
  std::uint64_t seed = 0, offset = 0;
  cudaStream_t stream = nullptr;
  std::shared_ptr<Numbers> numbers = nullptr;  ///< null: the sequence is to begin

  /// From `offset` on, where the last function stopped. Work that is done later has its own hold of it.
  std::shared_ptr<Numbers> current() {
    if (numbers == nullptr) {
      numbers = make_numbers(type, seed);
      numbers->skip(offset);
    }
    return numbers;
  }
};

namespace {

/// A function that changes a generator. The sequence begins again.
template <class Work>
curandStatus_t change(curandGenerator_t generator, bool begins, const Work& work) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  work();
  if (begins) generator->numbers = nullptr;
  return CURAND_STATUS_SUCCESS;
}

/// Does `fill(numbers)` now, or when the graph that the stream is captured to is launched.
template <class Fill>
curandStatus_t generate(curandGenerator_t generator, const Fill& fill) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  const auto work = [numbers = generator->current(), fill] { fill(*numbers); };
  if (generator->is_for_host) {
    work();
    return CURAND_STATUS_SUCCESS;
  }
  return warpscopeSubmit(generator->stream, "cuRAND", work) == cudaSuccess ? CURAND_STATUS_SUCCESS
                                                                           : CURAND_STATUS_LAUNCH_FAILURE;
}

template <class Real>
curandStatus_t generate_uniform(curandGenerator_t generator, Real* output, std::size_t count) {
  return generate(generator, [=](Numbers& numbers) {
    for (std::size_t i = 0; i < count; ++i) output[i] = warpscope::cuda::curand::uniform<Real>(numbers);
  });
}

/// `finish`: of each number. Numbers are made in pairs, so there must be an even number of them.
template <class Real, class Finish>
curandStatus_t generate_normal(curandGenerator_t generator, Real* output, std::size_t count, Real mean,
                               Real deviation, Finish finish) {
  if (generator != nullptr && count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return generate(generator, [=](Numbers& numbers) {
    for (std::size_t i = 0; i < count; i += 2) {
      const auto pair = warpscope::cuda::curand::normal_pair(numbers, mean, deviation);
      output[i] = finish(pair.first);
      output[i + 1] = finish(pair.second);
    }
  });
}
template <class Real>
Real itself(Real value) {
  return value;
}
template <class Real>
Real exponential(Real value) {
  return std::exp(value);
}

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool is_for_host) {
  if (generator == nullptr) return CURAND_STATUS_INITIALIZATION_FAILED;
  if (make_numbers(type, 0) == nullptr) {
    if (type >= CURAND_RNG_QUASI_DEFAULT && type <= CURAND_RNG_QUASI_SCRAMBLED_SOBOL64)
      warpscopeComplain("cuRAND: quasi-random generators (Sobol) are not here; expected a pseudo-random one");
    return CURAND_STATUS_TYPE_ERROR;
  }
  *generator = std::make_unique<curandGenerator_st>(curandGenerator_st{type, is_for_host}).release();
  return CURAND_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, true);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  return change(generator, false, [&] { const std::unique_ptr<curandGenerator_st> last(generator); });
}
curandStatus_t curandGetVersion(int* version) {
  if (version == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetProperty(libraryPropertyType type, int* value) {
  constexpr int kParts[] = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};
  if (value == nullptr || type < MAJOR_VERSION || type > PATCH_LEVEL) return CURAND_STATUS_OUT_OF_RANGE;
  *value = kParts[type];
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  return change(generator, false, [&] { generator->stream = stream; });
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  return change(generator, true, [&] { generator->seed = seed; });
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  return change(generator, true, [&] { generator->offset = offset; });
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  if (order < CURAND_ORDERING_PSEUDO_BEST || order > CURAND_ORDERING_PSEUDO_LEGACY)
    return CURAND_STATUS_OUT_OF_RANGE;
  return change(generator, true, [] {});
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned /*dimensions*/) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_TYPE_ERROR;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return change(generator, false, [&] { generator->current(); });
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* output, std::size_t count) {
  return generate(generator, [=](Numbers& numbers) {
    for (std::size_t i = 0; i < count; ++i) output[i] = numbers.next();
  });
}
curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long* /*output*/,
                                      std::size_t /*count*/) {
  // Only quasi-random generators of 64 bits have it.
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_TYPE_ERROR;
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* output, std::size_t count) {
  return generate_uniform(generator, output, count);
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* output, std::size_t count) {
  return generate_uniform(generator, output, count);
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* output, std::size_t count, float mean,
                                    float deviation) {
  return generate_normal(generator, output, count, mean, deviation, itself<float>);
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* output, std::size_t count,
                                          double mean, double deviation) {
  return generate_normal(generator, output, count, mean, deviation, itself<double>);
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* output, std::size_t count,
                                       float mean, float deviation) {
  return generate_normal(generator, output, count, mean, deviation, exponential<float>);
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* output, std::size_t count,
                                             double mean, double deviation) {
  return generate_normal(generator, output, count, mean, deviation, exponential<double>);
}
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned* output, std::size_t count,
                                     double lambda) {
  if (generator != nullptr && !(lambda > 0 && lambda <= 400000)) return CURAND_STATUS_OUT_OF_RANGE;
  return generate(generator, [=](Numbers& numbers) {
    for (std::size_t i = 0; i < count; ++i) output[i] = warpscope::cuda::curand::poisson(numbers, lambda);
  });
}
}
