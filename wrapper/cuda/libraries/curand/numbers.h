#pragma once
// Sequences of 32-bit random numbers, and numbers of other kinds made of them.
#include <curand.h>

#include <cstdint>
#include <memory>

namespace warpscope::cuda::curand {

class Numbers {
 public:
  Numbers() = default;
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  virtual ~Numbers() = default;

  virtual std::uint32_t next() = 0;
  virtual void skip(std::uint64_t count);
};

/// Null for a type that there is not. What each gives: docs/tools/cuda-programs.md, "Libraries".
std::shared_ptr<Numbers> make_numbers(curandRngType_t type, std::uint64_t seed);

/// Between 0 (left out) and 1.
template <class Real>
Real uniform(Numbers& numbers);
template <>
float uniform<float>(Numbers& numbers);
template <>
double uniform<double>(Numbers& numbers);

/// Two normal numbers by Box and Muller's method, the one with the sine first, as cuRAND has them.
template <class Real>
struct Pair {
  Real first, second;
};
template <class Real>
Pair<Real> normal_pair(Numbers& numbers, Real mean, Real deviation);

std::uint32_t poisson(Numbers& numbers, double lambda);

}  // namespace warpscope::cuda::curand
