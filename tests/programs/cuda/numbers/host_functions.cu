// Functions of the CUDA Math API that nvcc's headers have for host code, too, in double and float, against
// values from mathematical tables (Abramowitz and Stegun, chapters 4, 7, 26) with a relative error of 1e-14 and 2e-7.
#include <cstdio>

static int wrong = 0;

static void check(const char* name, double is, double expected, double error) {
  const double off = is > expected ? is - expected : expected - is;
  if (off <= error * (expected < 0 ? -expected : expected)) return;
  std::printf("%s: %.17g, expected %.17g\n", name, is, expected);
  ++wrong;
}
#define CHECK(function, argument, expected)                                 \
  check(#function, function(argument), expected, 1e-14);                    \
  check(#function "f", function##f((float)(argument)), expected, 3e-7);     \
  check(#function " of float", function((float)(argument)), expected, 3e-7)

__global__ void on_device(double* out) { out[0] = normcdf(1.0) + erfcx(1.0) + rcbrt(27.0) + norm3d(2.0, 3.0, 6.0); }

int main() {
  CHECK(rsqrt, 16.0, 0.25);
  CHECK(rcbrt, 27.0, 1.0 / 3);
  CHECK(sinpi, 0.25, 0.70710678118654752);
  CHECK(sinpi, 2.5, 1.0);
  CHECK(cospi, 0.25, 0.70710678118654752);
  CHECK(cospi, 2.5, 0.0);
  CHECK(cospi, 3.0, -1.0);
  CHECK(erfinv, 0.5, 0.47693627620446987);
  CHECK(erfcinv, 0.5, 0.47693627620446987);
  CHECK(normcdf, 1.0, 0.84134474606854295);
  CHECK(normcdfinv, 0.75, 0.67448975019608174);
  CHECK(erfcx, 1.0, 0.42758357615580700);
  check("rhypot", rhypot(3.0, 4.0), 0.2, 1e-15);
  check("norm3d", norm3d(2.0, 3.0, 6.0), 7, 1e-15);
  check("rnorm4df", rnorm4df(1.0f, 1.0f, 1.0f, 1.0f), 0.5, 1e-7);
  double sine, cosine;
  sincospi(1.0 / 6, &sine, &cosine);
  check("sincospi", sine, 0.5, 1e-14);
  check("sincospi", cosine, 0.86602540378443865, 1e-14);
  double* out;
  cudaMallocManaged(&out, sizeof(double));
  on_device<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  check("on the device", *out, 0.84134474606854295 + 0.42758357615580700 + 1.0 / 3 + 7, 1e-14);
  std::printf("%d wrong\n", wrong);
}
