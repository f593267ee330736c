// cuFFT against the sum that defines the transform: types, ranks, directions, batches, layouts, in place and not; errors.
#include <cufft.h>

#include <complex>

#include "check.h"

typedef std::complex<double> Number;
static void status(const char* what, cufftResult got, cufftResult expected = CUFFT_SUCCESS) { expect(what, got, expected); }

/// Unnormalised, of up to three dimensions, the last one's elements next to each other.
static std::vector<Number> transformed(const std::vector<Number>& from, const int (&n)[3], int sign) {
  std::vector<Number> to(from.size());
  const double turn = sign * 2 * std::acos(-1.0);
  for (int x = 0; x < n[0]; ++x)
    for (int y = 0; y < n[1]; ++y)
      for (int z = 0; z < n[2]; ++z)
        for (int i = 0; i < n[0]; ++i)
          for (int j = 0; j < n[1]; ++j)
            for (int k = 0; k < n[2]; ++k)
              to[(x * n[1] + y) * n[2] + z] +=
                  from[(i * n[1] + j) * n[2] + k] * std::polar(1.0, turn * (1.0 * x * i / n[0] + 1.0 * y * j / n[1] + 1.0 * z * k / n[2]));
  return to;
}

template <class Complex> struct Types;
template <> struct Types<cufftComplex> {
  typedef cufftReal Real;
  static const cufftType complex = CUFFT_C2C, to_complex = CUFFT_R2C, to_real = CUFFT_C2R;
  static constexpr double error = 1e-4;
};
template <> struct Types<cufftDoubleComplex> {
  typedef cufftDoubleReal Real;
  static const cufftType complex = CUFFT_Z2Z, to_complex = CUFFT_D2Z, to_real = CUFFT_Z2D;
  static constexpr double error = 1e-11;
};
static cufftResult execute(cufftHandle plan, cufftComplex* in, cufftComplex* out, int sign) { return cufftExecC2C(plan, in, out, sign); }
static cufftResult execute(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out, int sign) { return cufftExecZ2Z(plan, in, out, sign); }
static cufftResult execute(cufftHandle plan, cufftReal* in, cufftComplex* out) { return cufftExecR2C(plan, in, out); }
static cufftResult execute(cufftHandle plan, cufftDoubleReal* in, cufftDoubleComplex* out) { return cufftExecD2Z(plan, in, out); }
static cufftResult execute(cufftHandle plan, cufftComplex* in, cufftReal* out) { return cufftExecC2R(plan, in, out); }
static cufftResult execute(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleReal* out) { return cufftExecZ2D(plan, in, out); }

static cufftHandle make(const int (&n)[3], cufftType type) {
  cufftHandle plan = -1;
  if (n[0] > 1)
    status("plan 3d", cufftPlan3d(&plan, n[0], n[1], n[2], type));
  else if (n[1] > 1)
    status("plan 2d", cufftPlan2d(&plan, n[1], n[2], type));
  else
    status("plan 1d", cufftPlan1d(&plan, n[2], type, 1));
  return plan;
}
template <class Complex> static void expect_number(const char* what, const Complex& got, Number expected) {
  expect(what, got.x, expected.real(), Types<Complex>::error);
  expect(what, got.y, expected.imag(), Types<Complex>::error);
}

template <class Complex> static void complex_numbers(const int (&n)[3]) {
  const int count = n[0] * n[1] * n[2];
  const auto parts = some<typename Types<Complex>::Real>(2 * count, 1);
  Array<Complex> in(count), out(count);
  std::vector<Number> given(count);
  for (int i = 0; i < count; ++i) in[i].x = parts[2 * i], in[i].y = parts[2 * i + 1], given[i] = {parts[2 * i], parts[2 * i + 1]};
  const cufftHandle plan = make(n, Types<Complex>::complex);
  for (int sign : {CUFFT_FORWARD, CUFFT_INVERSE}) {
    const auto expected = transformed(given, n, sign);
    status("execute", execute(plan, in.data, out.data, sign));
    for (int i = 0; i < count; ++i) expect_number("complex", out[i], expected[i]);
    Array<Complex> both(in);
    status("in place", execute(plan, both.data, both.data, sign));
    for (int i = 0; i < count; ++i) expect_number("complex in place", both[i], expected[i]);
  }
  status("destroy", cufftDestroy(plan));
}

/// Real numbers forward, and back to `count` times what they were.
template <class Complex> static void real_numbers(const int (&n)[3], bool in_place) {
  typedef typename Types<Complex>::Real Real;
  const int rows = n[0] * n[1], half = n[2] / 2 + 1, row = in_place ? 2 * half : n[2];
  const auto values = some<Real>(rows * n[2], 2);
  Array<Complex> spectrum(rows * half);
  Array<Real> apart(rows * n[2]);
  Real* const real = in_place ? reinterpret_cast<Real*>(spectrum.data) : apart.data;
  std::vector<Number> given(rows * n[2]);
  for (int i = 0; i < rows * n[2]; ++i) real[i / n[2] * row + i % n[2]] = values[i], given[i] = values[i];
  const cufftHandle forward = make(n, Types<Complex>::to_complex), back = make(n, Types<Complex>::to_real);
  status("real to complex", execute(forward, real, spectrum.data));
  const auto expected = transformed(given, n, CUFFT_FORWARD);
  for (int i = 0; i < rows * half; ++i) expect_number("real to complex", spectrum[i], expected[i / half * n[2] + i % half]);
  status("complex to real", execute(back, spectrum.data, real));
  for (int i = 0; i < rows * n[2]; ++i)
    expect("complex to real", real[i / n[2] * row + i % n[2]], 1.0 * rows * n[2] * values[i], rows * n[2] * Types<Complex>::error);
  status("destroy", cufftDestroy(forward)), status("destroy", cufftDestroy(back));
}

/// Columns of a matrix (stride), some rows of a larger one (embed), and both by a plan in two steps.
static void layouts() {
  const int rows = 6, columns = 5;
  const auto parts = some<float>(2 * rows * columns, 3);
  Array<cufftComplex> in(rows * columns), out(rows * columns, {NAN, NAN});
  for (int i = 0; i < rows * columns; ++i) in[i].x = parts[2 * i], in[i].y = parts[2 * i + 1];
  int n[] = {rows}, embed[] = {rows};
  cufftHandle plan;
  size_t bytes = 1;
  status("create", cufftCreate(&plan));
  status("columns", cufftMakePlanMany(plan, 1, n, embed, columns, 1, embed, 1, rows, CUFFT_C2C, columns, &bytes));
  status("columns", cufftExecC2C(plan, in, out, CUFFT_FORWARD));
  for (int column = 0; column < columns; ++column) {
    std::vector<Number> given(rows);
    for (int row = 0; row < rows; ++row) given[row] = {in[row * columns + column].x, in[row * columns + column].y};
    const auto expected = transformed(given, {1, 1, rows}, CUFFT_FORWARD);
    for (int row = 0; row < rows; ++row) expect_number("columns", out[column * rows + row], expected[row]);
  }
  status("destroy", cufftDestroy(plan));
  // Two matrices of 2x3 out of 3x5; the default layout for a batch; and real numbers of a batch in place.
  int small[] = {2, 3}, large[] = {3, columns}, dense[] = {2, 3};
  status("part", cufftPlanMany(&plan, 2, small, large, 1, 3 * columns, dense, 1, 6, CUFFT_C2C, 2));
  status("part", cufftExecC2C(plan, in, out, CUFFT_INVERSE));
  for (int b = 0; b < 2; ++b) {
    std::vector<Number> given(6);
    for (int i = 0; i < 6; ++i) {
      const cufftComplex& element = in[b * 3 * columns + i / 3 * columns + i % 3];
      given[i] = {element.x, element.y};
    }
    const auto expected = transformed(given, {1, 2, 3}, CUFFT_INVERSE);
    for (int i = 0; i < 6; ++i) expect_number("part", out[b * 6 + i], expected[i]);
  }
  status("destroy", cufftDestroy(plan));
  status("batch", cufftPlanMany(&plan, 1, n, nullptr, 7, 7, nullptr, 7, 7, CUFFT_R2C, 3));
  auto* const real = reinterpret_cast<float*>(out.data);
  for (int b = 0; b < 3; ++b)
    for (int i = 0; i < rows; ++i) real[b * 8 + i] = parts[b * rows + i];  // 4 complex numbers for 6 real ones
  status("batch", cufftExecR2C(plan, real, out));
  for (int b = 0; b < 3; ++b) {
    const auto expected = transformed(std::vector<Number>(parts.data + b * rows, parts.data + (b + 1) * rows), {1, 1, rows}, CUFFT_FORWARD);
    for (int i = 0; i < 4; ++i) expect_number("batch", out[b * 4 + i], expected[i]);
  }
  status("destroy", cufftDestroy(plan));
}

static void errors() {
  Array<cufftComplex> data(8, {1, 0});
  cufftHandle plan = -1;
  int n[] = {8}, four[] = {2, 2, 2, 2};
  size_t bytes;
  status("size of 0", cufftPlan1d(&plan, 0, CUFFT_C2C, 1), CUFFT_INVALID_SIZE);
  status("size below 0", cufftPlan2d(&plan, 4, -4, CUFFT_C2C), CUFFT_INVALID_SIZE);
  status("no transforms", cufftPlan1d(&plan, 8, CUFFT_C2C, 0), CUFFT_INVALID_SIZE);
  status("unknown type", cufftPlan1d(&plan, 8, static_cast<cufftType>(3), 1), CUFFT_INVALID_TYPE);
  status("plan into null", cufftPlan1d(nullptr, 8, CUFFT_C2C, 1), CUFFT_INVALID_VALUE);
  status("four dimensions", cufftPlanMany(&plan, 4, four, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1), CUFFT_INVALID_VALUE);
  status("no plan", cufftExecC2C(12345, data, data, CUFFT_FORWARD), CUFFT_INVALID_PLAN);
  status("create", cufftCreate(&plan));
  status("a plan that is not made", cufftExecC2C(plan, data, data, CUFFT_FORWARD), CUFFT_INVALID_PLAN);
  status("make", cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &bytes));
  status("make again", cufftMakePlanMany(plan, 1, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1, &bytes), CUFFT_INVALID_PLAN);
  status("other type", cufftExecZ2Z(plan, nullptr, nullptr, CUFFT_FORWARD), CUFFT_INVALID_TYPE);
  status("null", cufftExecC2C(plan, nullptr, data, CUFFT_FORWARD), CUFFT_INVALID_VALUE);
  status("direction", cufftExecC2C(plan, data, data, 0), CUFFT_INVALID_VALUE);
  status("size", cufftGetSize(plan, &bytes));
  status("destroy", cufftDestroy(plan));
  status("destroy again", cufftDestroy(plan), CUFFT_INVALID_PLAN);
}

/// In a graph: the plan may be gone when it is launched.
static void graphs() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cufftHandle plan;
  Array<cufftComplex> data(4, {1, 0});
  status("plan", cufftPlan1d(&plan, 4, CUFFT_C2C, 1));
  status("stream", cufftSetStream(plan, stream));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  status("in a capture", cufftExecC2C(plan, data, data, CUFFT_FORWARD));
  cudaStreamEndCapture(stream, &graph);
  status("destroy", cufftDestroy(plan));
  cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
  expect("not yet", data[0].x, 1);
  cudaGraphLaunch(exec, stream);
  expect("of ones", data[0].x, 4), expect("of ones", data[1].x, 0);
}

int main() {
  const int sizes[][3] = {{1, 1, 16}, {1, 1, 15}, {1, 1, 37}, {1, 4, 6}, {1, 5, 7}, {2, 3, 4}, {3, 2, 5}};
  for (const auto& n : sizes) {
    complex_numbers<cufftComplex>(n), complex_numbers<cufftDoubleComplex>(n);
    for (bool in_place : {false, true}) real_numbers<cufftComplex>(n, in_place), real_numbers<cufftDoubleComplex>(n, in_place);
  }
  layouts();
  errors();
  graphs();
  std::printf("%d wrong, %s\n", wrong, cudaGetErrorName(cudaGetLastError()));
  return wrong != 0;
}
