// cuRAND's functions for the host: published numbers, moments, errors, and a graph.
#include <cuda_runtime.h>
#include <curand.h>

#include "check.h"

static void status(const char* what, curandStatus_t got, curandStatus_t expected = CURAND_STATUS_SUCCESS) { expect(what, got, expected); }

static curandGenerator_t make(curandRngType_t type, unsigned long long seed, bool host = false) {
  curandGenerator_t generator = nullptr;
  status("create", host ? curandCreateGeneratorHost(&generator, type) : curandCreateGenerator(&generator, type));
  status("seed", curandSetPseudoRandomGeneratorSeed(generator, seed));
  return generator;
}

/// Numbers that others have published.
static void published() {
  // A GPU's, as the output of NVIDIA's sample curand_philox_uniform_example shows them (CUDALibrarySamples, cuRAND/Host/philox/README.md).
  const double gpu[] = {0.127208, 0.853469, 0.265649, 0.796055, 0.816736, 0.324165, 0.781055, 0.058918, 0.543999, 0.923496, 0.441505, 0.258264};
  // The same of curand_philox_normal_example, of mean 1 and deviation 2: a sum in float differs by some 1e-6.
  const double normal[] = {-2.232981, 3.458309, -2.121081, 1.929241, 2.136910, 0.428208, 1.508686, 2.310768, -0.020450, 2.956819, 3.553997, 0.867263};
  for (bool host : {false, true}) {
    Array<float> got(12);
    curandGenerator_t generator = make(CURAND_RNG_PSEUDO_PHILOX4_32_10, 1234, host);
    status("uniform", curandGenerateUniform(generator, got, 12));
    for (int i = 0; i < 12; ++i) expect("Philox, uniform", got[i], gpu[i], 1e-6);
    status("seed", curandSetPseudoRandomGeneratorSeed(generator, 1234));
    status("normal", curandGenerateNormal(generator, got, 12, 1, 2));
    for (int i = 0; i < 12; ++i) expect("Philox, normal", got[i], normal[i], 5e-6);
    status("offset", curandSetGeneratorOffset(generator, 3));
    status("uniform", curandGenerateUniform(generator, got, 4));
    for (int i = 0; i < 4; ++i) expect("Philox, offset", got[i], gpu[i + 3], 1e-6);
    status("destroy", curandDestroyGenerator(generator));
  }
  // The C++ standard, [rand.predef]: number 10000 of mt19937 with its default seed.
  Array<unsigned> bits(10000);
  curandGenerator_t generator = make(CURAND_RNG_PSEUDO_MT19937, 5489);
  status("bits", curandGenerate(generator, bits, 10000));
  expect("MT19937", bits[9999], 4123659995u);
  status("destroy", curandDestroyGenerator(generator));
  // L'Ecuyer's generator from its usual state (12345 six times), by its recurrence.
  Array<float> got(3);
  generator = make(CURAND_RNG_PSEUDO_MRG32K3A, 0);
  status("uniform", curandGenerateUniform(generator, got, 3));
  long long s[6] = {12345, 12345, 12345, 12345, 12345, 12345};
  for (int i = 0; i < 3; ++i) {
    const long long m1 = 4294967087, m2 = 4294944443;
    const long long p = ((1403580 * s[1] - 810728 * s[0]) % m1 + m1) % m1, q = ((527612 * s[5] - 1370589 * s[3]) % m2 + m2) % m2;
    s[0] = s[1], s[1] = s[2], s[2] = p, s[3] = s[4], s[4] = s[5], s[5] = q;
    expect("MRG32k3a", got[i], ((p - q) % m1 + m1) % m1 / 4294967088.0, 2e-7);
  }
  status("destroy", curandDestroyGenerator(generator));
}

struct Moments {
  double mean = 0, variance = 0;
};
template <class T> static Moments moments(const Array<T>& numbers, double (*of)(double) = [](double x) { return x; }) {
  Moments result;
  for (int i = 0; i < numbers.count; ++i) result.mean += of(numbers[i]) / numbers.count;
  for (int i = 0; i < numbers.count; ++i) result.variance += (of(numbers[i]) - result.mean) * (of(numbers[i]) - result.mean) / numbers.count;
  return result;
}
/// Five standard deviations of the mean, and of the variance of numbers whose fourth central moment is `kurtosis` variances squared.
static void expect_moments(const char* what, Moments got, double mean, double variance, double kurtosis, int n) {
  expect(what, got.mean, mean, 5 * std::sqrt(variance / n));
  expect(what, got.variance, variance, 5 * variance * std::sqrt((kurtosis - 1) / n));
}

static void distributions(curandRngType_t type) {
  const int n = 40000;
  curandGenerator_t generator = make(type, 99);
  Array<float> f(n);
  Array<double> d(n);
  Array<unsigned> u(n);
  status("uniform", curandGenerateUniform(generator, f, n));
  for (int i = 0; i < n; ++i) expect("above 0, at most 1", f[i] > 0 && f[i] <= 1, true);
  expect_moments("uniform", moments(f), 0.5, 1 / 12.0, 1.8, n);
  status("uniform, double", curandGenerateUniformDouble(generator, d, n));
  expect_moments("uniform, double", moments(d), 0.5, 1 / 12.0, 1.8, n);
  status("normal", curandGenerateNormal(generator, f, n, -3, 0.5));
  expect_moments("normal", moments(f), -3, 0.25, 3, n);
  status("normal, double", curandGenerateNormalDouble(generator, d, n, 2, 3));
  expect_moments("normal, double", moments(d), 2, 9, 3, n);
  const auto logarithm = [](double x) { return std::log(x); };
  status("log-normal", curandGenerateLogNormal(generator, f, n, 1, 0.25));
  expect_moments("log-normal", moments(f, logarithm), 1, 1 / 16.0, 3, n);
  status("log-normal, double", curandGenerateLogNormalDouble(generator, d, n, -1, 2));
  expect_moments("log-normal, double", moments(d, logarithm), -1, 4, 3, n);
  for (double lambda : {0.5, 4.0, 10.0, 30.0, 1000.0}) {
    status("Poisson", curandGeneratePoisson(generator, u, n, lambda));
    expect_moments("Poisson", moments(u), lambda, lambda, 3 + 1 / lambda, n);
  }
  // Calls go on where the last one stopped.
  Array<unsigned> once(100), twice(100);
  status("seed", curandSetPseudoRandomGeneratorSeed(generator, 7));
  status("bits", curandGenerate(generator, once, 100));
  status("seed", curandSetPseudoRandomGeneratorSeed(generator, 7));
  status("bits", curandGenerate(generator, twice, 37));
  status("bits", curandGenerate(generator, twice + 37, 63));
  for (int i = 0; i < 100; ++i) expect("in two calls", twice[i], once[i]);
  status("destroy", curandDestroyGenerator(generator));
}

/// The probability of each number of events, for the way by products and the one by rejection.
static void poisson_probabilities(double lambda) {
  const int n = 200000, most = 60;
  curandGenerator_t generator = make(CURAND_RNG_PSEUDO_PHILOX4_32_10, 5);
  Array<unsigned> u(n);
  status("Poisson", curandGeneratePoisson(generator, u, n, lambda));
  std::vector<int> counts(most);
  for (int i = 0; i < n; ++i)
    if (u[i] < most) ++counts[u[i]];
  for (int k = 0; k < most; ++k) {
    const double p = std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1.0));
    expect("Poisson's probabilities", counts[k] / static_cast<double>(n), p, 5 * std::sqrt(p / n) + 1.0 / n);
  }
  status("destroy", curandDestroyGenerator(generator));
}

static void errors() {
  curandGenerator_t generator = nullptr;
  Array<float> f(4, 0.f);
  Array<unsigned> u(4, 0u);
  Array<unsigned long long> l(4, 0ull);
  status("no generator", curandGenerateUniform(nullptr, f, 4), CURAND_STATUS_NOT_INITIALIZED);
  status("destroy none", curandDestroyGenerator(nullptr), CURAND_STATUS_NOT_INITIALIZED);
  status("unknown type", curandCreateGenerator(&generator, static_cast<curandRngType_t>(77)), CURAND_STATUS_TYPE_ERROR);
  status("Sobol", curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL32), CURAND_STATUS_TYPE_ERROR);
  generator = make(CURAND_RNG_PSEUDO_DEFAULT, 1);
  status("odd count", curandGenerateNormal(generator, f, 3, 0, 1), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  status("lambda of 0", curandGeneratePoisson(generator, u, 4, 0), CURAND_STATUS_OUT_OF_RANGE);
  status("64 bits", curandGenerateLongLong(generator, l, 4), CURAND_STATUS_TYPE_ERROR);
  status("dimensions", curandSetQuasiRandomGeneratorDimensions(generator, 2), CURAND_STATUS_TYPE_ERROR);
  status("order", curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_SEEDED));
  status("order of others", curandSetGeneratorOrdering(generator, CURAND_ORDERING_QUASI_DEFAULT), CURAND_STATUS_OUT_OF_RANGE);
  status("destroy", curandDestroyGenerator(generator));
}

static void graphs() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  curandGenerator_t generator = make(CURAND_RNG_PSEUDO_XORWOW, 1);
  status("stream", curandSetStream(generator, stream));
  Array<unsigned> captured(8, 0u), once(16);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  status("in a capture", curandGenerate(generator, captured, 8));
  cudaStreamEndCapture(stream, &graph);
  status("destroy", curandDestroyGenerator(generator));  // the graph has its own hold of the sequence
  cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
  expect("not yet", captured[0], 0);
  for (int i = 0; i < 2; ++i) cudaGraphLaunch(exec, stream);
  generator = make(CURAND_RNG_PSEUDO_XORWOW, 1);
  status("bits", curandGenerate(generator, once, 16));
  for (int i = 0; i < 8; ++i) expect("second launch", captured[i], once[8 + i]);
  status("destroy", curandDestroyGenerator(generator));
}

int main() {
  published();
  for (curandRngType_t type : {CURAND_RNG_PSEUDO_DEFAULT, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_MTGP32, CURAND_RNG_PSEUDO_PHILOX4_32_10}) distributions(type);
  for (double lambda : {3.0, 12.0, 25.0}) poisson_probabilities(lambda);
  errors();
  graphs();
  std::printf("%d wrong, %s\n", wrong, cudaGetErrorName(cudaGetLastError()));
  return wrong != 0;
}
