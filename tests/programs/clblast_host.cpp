// Small calls of CLBlast; prints checksums.
#include <clblast_c.h>

#include "tests/programs/host.h"

int main() {
  Host host;
  constexpr std::size_t n = 96;
  std::vector<float> content(n * n);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<float>(i % 17) - 8;
  cl_mem buffers[3];
  cl_int status = CL_SUCCESS;
  for (cl_mem& buffer : buffers) {
    buffer = clCreateBuffer(host.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                            content.size() * sizeof(float), content.data(), &status);
    check(status, "clCreateBuffer");
  }
  const auto print = [&](const char* what, int code) {
    clFinish(host.queue);
    check(clEnqueueReadBuffer(host.queue, buffers[2], CL_TRUE, 0, content.size() * sizeof(float),
                              content.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    double sum = 0;
    for (std::size_t i = 0; i < content.size(); ++i) sum += static_cast<double>(i + 1) * content[i];
    std::printf("%s: %d, %.0f\n", what, code, sum);
  };
  print("xgemm", CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes, n, n, n, 1,
                              buffers[0], 0, n, buffers[1], 0, n, 0, buffers[2], 0, n, &host.queue, nullptr));
  print("xgemv", CLBlastSgemv(CLBlastLayoutRowMajor, CLBlastTransposeNo, n, n, 1, buffers[0], 0, n,
                              buffers[1], 0, 1, 1, buffers[2], 0, 1, &host.queue, nullptr));
  print("xaxpy", CLBlastSaxpy(n * n, 2, buffers[0], 0, 1, buffers[2], 0, 1, &host.queue, nullptr));
  print("xaxpy again", CLBlastSaxpy(n * n, 2, buffers[0], 0, 1, buffers[2], 0, 1, &host.queue, nullptr));
}
