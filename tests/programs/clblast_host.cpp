// Small calls of CLBlast; prints checksums.
//   programs_clblast [N [vectors]]     matrices of N x N, default 96; vectors: only of vectors, whose kernels compile in seconds
#include <clblast_c.h>

#include <functional>

#include "tests/programs/host.h"

namespace {

class Calls {
 public:
  explicit Calls(std::size_t width) : n(width), content_(width * width) {
    for (std::size_t i = 0; i < content_.size(); ++i) content_[i] = static_cast<float>(i % 17) - 8;
    for (cl_mem& buffer : buffers_) {
      cl_int status = CL_SUCCESS;
      buffer = clCreateBuffer(host_.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes(),
                              content_.data(), &status);
      check(status, "clCreateBuffer");
    }
  }
  ~Calls() {
    for (const cl_mem buffer : buffers_) clReleaseMemObject(buffer);
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  /// Prints what the call returned and a checksum of the third buffer. Every call finds the same content.
  void print(const char* what, const std::function<int(cl_command_queue*)>& call) {
    for (const cl_mem buffer : buffers_)
      check(clEnqueueWriteBuffer(host_.queue, buffer, CL_TRUE, 0, bytes(), content_.data(), 0, nullptr,
                                 nullptr),
            "clEnqueueWriteBuffer");
    const int code = call(&host_.queue);
    clFinish(host_.queue);
    std::vector<float> result(content_.size());
    check(clEnqueueReadBuffer(host_.queue, c(), CL_TRUE, 0, bytes(), result.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    double sum = 0;
    for (std::size_t i = 0; i < result.size(); ++i) sum += static_cast<double>(i + 1) * result[i];
    std::printf("%s: %d, %.9g\n", what, code, sum);
  }

  [[nodiscard]] cl_mem a() const { return buffers_[0]; }
  [[nodiscard]] cl_mem b() const { return buffers_[1]; }
  [[nodiscard]] cl_mem c() const { return buffers_[2]; }
  const std::size_t n;

 private:
  [[nodiscard]] std::size_t bytes() const { return content_.size() * sizeof(float); }
  Host host_;
  std::vector<float> content_;
  cl_mem buffers_[3] = {};
};

constexpr auto kRow = CLBlastLayoutRowMajor;
constexpr auto kNo = CLBlastTransposeNo;
constexpr auto kLower = CLBlastTriangleLower;

void vectors(Calls& on) {
  const std::size_t n = on.n, all = n * n;
  on.print("xaxpy", [&](auto* q) { return CLBlastSaxpy(all, 2, on.a(), 0, 1, on.c(), 0, 1, q, nullptr); });
  on.print("xaxpy again",
           [&](auto* q) { return CLBlastSaxpy(all, 2, on.a(), 0, 1, on.c(), 0, 1, q, nullptr); });
  on.print("xswap", [&](auto* q) { return CLBlastSswap(n, on.a(), 3, 2, on.c(), 0, 1, q, nullptr); });
  on.print("xscal", [&](auto* q) { return CLBlastSscal(all, 3, on.c(), 0, 1, q, nullptr); });
  on.print("xcopy", [&](auto* q) { return CLBlastScopy(all, on.a(), 0, 1, on.c(), 0, 1, q, nullptr); });
  on.print("xdot",
           [&](auto* q) { return CLBlastSdot(all, on.c(), 0, on.a(), 0, 1, on.b(), 0, 1, q, nullptr); });
  on.print("xnrm2", [&](auto* q) { return CLBlastSnrm2(all, on.c(), 0, on.a(), 0, 1, q, nullptr); });
  on.print("xasum", [&](auto* q) { return CLBlastSasum(all, on.c(), 0, on.a(), 0, 1, q, nullptr); });
  on.print("xamax", [&](auto* q) { return CLBlastiSamax(all, on.c(), 0, on.a(), 0, 1, q, nullptr); });
}

void matrices(Calls& on) {
  const std::size_t n = on.n;
  on.print("xgemv", [&](auto* q) {
    return CLBlastSgemv(kRow, kNo, n, n, 1, on.a(), 0, n, on.b(), 0, 1, 1, on.c(), 0, 1, q, nullptr);
  });
  on.print("xgemv, transposed", [&](auto* q) {
    return CLBlastSgemv(kRow, CLBlastTransposeYes, n, n, 1, on.a(), 0, n, on.b(), 0, 2, 0, on.c(), 0, 1, q,
                        nullptr);
  });
  on.print("xsymv", [&](auto* q) {
    return CLBlastSsymv(kRow, kLower, n, 1, on.a(), 0, n, on.b(), 0, 1, 1, on.c(), 0, 1, q, nullptr);
  });
  on.print("xtrmv", [&](auto* q) {
    return CLBlastStrmv(kRow, kLower, kNo, CLBlastDiagonalNonUnit, n, on.a(), 0, n, on.c(), 0, 1, q, nullptr);
  });
  on.print("xger", [&](auto* q) {
    return CLBlastSger(kRow, n, n, 1, on.a(), 0, 1, on.b(), 0, 1, on.c(), 0, n, q, nullptr);
  });
  on.print("xomatcopy", [&](auto* q) {
    return CLBlastSomatcopy(kRow, CLBlastTransposeYes, n, n, 1, on.a(), 0, n, on.c(), 0, n, q, nullptr);
  });
  on.print("xgemm", [&](auto* q) {
    return CLBlastSgemm(kRow, kNo, CLBlastTransposeYes, n, n, n, 1, on.a(), 0, n, on.b(), 0, n, 0, on.c(), 0,
                        n, q, nullptr);
  });
  on.print("xsyrk", [&](auto* q) {
    return CLBlastSsyrk(kRow, kLower, kNo, n, n, 1, on.a(), 0, n, 1, on.c(), 0, n, q, nullptr);
  });
}

}  // namespace

int main(int argc, char** argv) {
  Calls calls(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 96);
  vectors(calls);
  if (argc < 3) matrices(calls);
}
