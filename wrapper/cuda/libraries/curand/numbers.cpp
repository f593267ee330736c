#include "wrapper/cuda/libraries/curand/numbers.h"

#include <warpscope/libraries/random.h>

#include <cmath>
#include <numbers>
#include <random>

namespace warpscope::cuda::curand {

template <>
float uniform<float>(Numbers& numbers) {
  return __warpscope_uniform(numbers.next());
}
template <>
double uniform<double>(Numbers& numbers) {
  const std::uint32_t low = numbers.next();
  return __warpscope_uniform_double(low, numbers.next());
}

namespace {

/// In cuRAND's order (cuRAND Library, "Order"): 65536 subsequences give four numbers each, then four more each.
class Philox : public Numbers {
 public:
  explicit Philox(std::uint64_t seed)
      : key_{make_uint2(static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32))} {}
  std::uint32_t next() override {
    if (at_ % 4 == 0 || !has_four_) four_ = numbers_at(at_ / 4);
    has_four_ = true;
    const std::uint32_t words[] = {four_.x, four_.y, four_.z, four_.w};
    return words[at_++ % 4];
  }
  void skip(std::uint64_t count) override {
    at_ += count;
    has_four_ = false;
  }

 private:
  [[nodiscard]] uint4 numbers_at(std::uint64_t four) const {
    const std::uint64_t counter = four >> 16;
    return __warpscope_philox(
        make_uint4(static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
                   static_cast<std::uint32_t>(four & 0xFFFF), 0),
        key_);
  }
  uint2 key_;
  uint4 four_{};
  std::uint64_t at_ = 0;
  bool has_four_ = false;
};

class Xorwow : public Numbers {
 public:
  explicit Xorwow(std::uint64_t seed) { __warpscope_xorwow_begin(seed, 0, &d_, v_); }
  std::uint32_t next() override { return __warpscope_xorwow(&d_, v_); }

 private:
  std::uint32_t d_ = 0, v_[5] = {};
};

class MersenneTwister : public Numbers {
 public:
  explicit MersenneTwister(std::uint64_t seed) : engine_(static_cast<std::uint32_t>(seed ^ seed >> 32)) {}
  std::uint32_t next() override { return static_cast<std::uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

/// L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators",
/// Operations Research 47 (1), 1999: MRG32k3a. Seed 0 begins at the state that L'Ecuyer's own code begins at.
class Mrg32k3a : public Numbers {
 public:
  explicit Mrg32k3a(std::uint64_t seed) {
    for (auto& word : first_) word = (kBegin ^ (seed & 0xFFFFFFFF)) % kFirst;
    for (auto& word : second_) word = (kBegin ^ (seed >> 32)) % kSecond;
    if (first_[0] == 0) first_[0] = kBegin;  // not all may be 0
    if (second_[0] == 0) second_[0] = kBegin;
  }
  std::uint32_t next() override {
    const std::uint64_t first = (1403580 * first_[1] + (kFirst - first_[0]) * 810728) % kFirst;
    const std::uint64_t second = (527612 * second_[2] + (kSecond - second_[0]) * 1370589) % kSecond;
    push(first_, first);
    push(second_, second);
    return static_cast<std::uint32_t>((first + kFirst - second) % kFirst);
  }

 private:
  static constexpr std::uint64_t kFirst = 4294967087, kSecond = 4294944443, kBegin = 12345;
  static void push(std::uint64_t (&state)[3], std::uint64_t word) {
    state[0] = state[1];
    state[1] = state[2];
    state[2] = word;
  }
  std::uint64_t first_[3], second_[3];
};

/// Knuth's product of uniform numbers, for small lambda.
std::uint32_t poisson_by_product(Numbers& numbers, double lambda) {
  const double least = std::exp(-lambda);
  std::uint32_t count = 0;
  for (double product = uniform<double>(numbers); product > least; product *= uniform<double>(numbers))
    ++count;
  return count;
}
/// Hörmann, "The transformed rejection method for generating Poisson random variables", Insurance: Mathematics and
/// Economics 12, 1993: algorithm PTRS, for lambda of 10 and more.
std::uint32_t poisson_by_rejection(Numbers& numbers, double lambda) {
  const double b = 0.931 + 2.53 * std::sqrt(lambda), a = -0.059 + 0.02483 * b;
  const double alpha = 1.1239 + 1.1328 / (b - 3.4), accepted = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const double u = uniform<double>(numbers) - 0.5, v = uniform<double>(numbers);
    const double width = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / width + b) * u + lambda + 0.43);
    if (width >= 0.07 && v <= accepted) return static_cast<std::uint32_t>(k);
    if (k < 0 || (width < 0.013 && v > width)) continue;
    if (std::log(v * alpha / (a / (width * width) + b)) <= k * std::log(lambda) - lambda - std::lgamma(k + 1))
      return static_cast<std::uint32_t>(k);
  }
}

}  // namespace

void Numbers::skip(std::uint64_t count) {
  for (; count > 0; --count) next();
}

std::shared_ptr<Numbers> make_numbers(curandRngType_t type, std::uint64_t seed) {
  switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW:
      return std::make_shared<Xorwow>(seed);
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
      return std::make_shared<Philox>(seed);
    case CURAND_RNG_PSEUDO_MRG32K3A:
      return std::make_shared<Mrg32k3a>(seed);
    case CURAND_RNG_PSEUDO_MTGP32:
    case CURAND_RNG_PSEUDO_MT19937:
      return std::make_shared<MersenneTwister>(seed);
    default:
      return nullptr;
  }
}

template <class Real>
Pair<Real> normal_pair(Numbers& numbers, Real mean, Real deviation) {
  const Real u = uniform<Real>(numbers), angle = 2 * std::numbers::pi_v<Real> * uniform<Real>(numbers);
  const Real radius = deviation * std::sqrt(-2 * std::log(u));
  return {mean + radius * std::sin(angle), mean + radius * std::cos(angle)};
}
template Pair<float> normal_pair(Numbers& numbers, float mean, float deviation);
template Pair<double> normal_pair(Numbers& numbers, double mean, double deviation);

std::uint32_t poisson(Numbers& numbers, double lambda) {
  return lambda < 10 ? poisson_by_product(numbers, lambda) : poisson_by_rejection(numbers, lambda);
}

}  // namespace warpscope::cuda::curand
