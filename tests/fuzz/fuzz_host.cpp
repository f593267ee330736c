// Runs every kernel of a program that generate.py wrote, and writes what they leave behind.
//
//   fuzz_host PROGRAM.cl OUTPUT [BITCODE [FIRST]]
//
// OUTPUT holds for every launch a line "NAME BYTES" and so many bytes. With BITCODE the kernels come from
// there, so that another implementation of OpenCL can run what ours ran. Kernels that it refuses are left
// out. FIRST leaves out the launches before it.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kInBytes = std::size_t{1} << 16, kSlotBytes = 256, kLocalBytes = 32,
                      kCounterBytes = 256;

void check(cl_int status, const std::string& what) {
  if (status == CL_SUCCESS) return;
  std::fprintf(stderr, "fuzz_host: %s failed: %d\n", what.c_str(), status);
  std::exit(1);
}

std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) check(-1, std::string("reading ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Launch {
  std::string kernel;
  std::size_t global[2], local[2];
  cl_uint n;
};

/// From the program's first line: "// launches: NAME GX GY LX LY N; …".
std::vector<Launch> launches_of(const std::string& source) {
  const std::string intro = "// launches: ";
  if (source.rfind(intro, 0) != 0) check(-1, "finding the launches");
  std::istringstream list(source.substr(intro.size(), source.find('\n') - intro.size()));
  std::vector<Launch> launches;
  for (std::string one; std::getline(list, one, ';');) {
    std::istringstream words(one);
    Launch launch{};
    if (words >> launch.kernel >> launch.global[0] >> launch.global[1] >> launch.local[0] >>
        launch.local[1] >> launch.n)
      launches.push_back(launch);
  }
  return launches;
}

class Runner {
 public:
  Runner(const std::string& source, const char* bitcode_path) {
    check(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), "clGetDeviceIDs");
    cl_int status = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device_, 0, &status);
    check(status, "clCreateCommandQueue");
    if (bitcode_path != nullptr) {
      const std::string bitcode = read(bitcode_path);
      const auto* data = reinterpret_cast<const unsigned char*>(bitcode.data());
      const std::size_t size = bitcode.size();
      program_ = clCreateProgramWithBinary(context_, 1, &device_, &size, &data, nullptr, &status);
    } else {
      const char* text = source.c_str();
      program_ = clCreateProgramWithSource(context_, 1, &text, nullptr, &status);
    }
    check(status, "clCreateProgram");
    build();
    std::vector<std::uint8_t> content(kInBytes);
    std::uint32_t state = 12345;
    for (std::uint8_t& byte : content)
      byte = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
    in_ = buffer(content);
  }

  /// Content of `out`, then of `sums`; empty if `may_refuse` and there is no such kernel.
  std::vector<std::uint8_t> run(const Launch& launch, bool may_refuse) {
    cl_int status = CL_SUCCESS;
    const cl_kernel kernel = clCreateKernel(program_, launch.kernel.c_str(), &status);
    if (status != CL_SUCCESS && may_refuse) return {};
    check(status, "clCreateKernel " + launch.kernel);
    const std::size_t items = launch.global[0] * launch.global[1];
    std::vector<std::uint8_t> slots(items * kSlotBytes), counters(kCounterBytes);
    const cl_mem out = buffer(slots), sums = buffer(counters);
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &in_);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &out);
    clSetKernelArg(kernel, 2, sizeof(cl_mem), &sums);
    clSetKernelArg(kernel, 3, launch.local[0] * launch.local[1] * kLocalBytes, nullptr);
    check(clSetKernelArg(kernel, 4, sizeof(cl_uint), &launch.n), "clSetKernelArg");
    check(
        clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, launch.global, launch.local, 0, nullptr, nullptr),
        "clEnqueueNDRangeKernel " + launch.kernel);
    clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, slots.size(), slots.data(), 0, nullptr, nullptr);
    check(
        clEnqueueReadBuffer(queue_, sums, CL_TRUE, 0, counters.size(), counters.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
    clReleaseKernel(kernel);
    clReleaseMemObject(out);
    clReleaseMemObject(sums);
    slots.insert(slots.end(), counters.begin(), counters.end());
    return slots;
  }

 private:
  /// PoCL where several are installed; Oclgrind offers nothing but itself.
  static cl_platform_id platform() {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count && i < 16; ++i) {
      char name[256] = "";
      clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, nullptr);
      if (std::strstr(name, "Portable") != nullptr) return platforms[i];
    }
    return platforms[0];
  }

  cl_mem buffer(std::vector<std::uint8_t>& content) {
    cl_int status = CL_SUCCESS;
    const cl_mem result = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, content.size(),
                                         content.data(), &status);
    check(status, "clCreateBuffer");
    return result;
  }

  void build() {
    const cl_int status = clBuildProgram(program_, 1, &device_, "", nullptr, nullptr);
    if (status == CL_SUCCESS) return;
    std::vector<char> log(std::size_t{1} << 20);
    clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, log.size() - 1, log.data(), nullptr);
    check(status, std::string("clBuildProgram: ") + log.data());
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_mem in_ = nullptr;
};

}  // namespace

int main(int count, char** values) {
  if (count < 3) {
    std::fprintf(stderr, "usage: fuzz_host PROGRAM.cl OUTPUT [BITCODE [FIRST]]\n");
    return 2;
  }
  const std::string source = read(values[1]);
  Runner runner(source, count > 3 ? values[3] : nullptr);
  std::ofstream output(values[2], std::ios::binary);
  const std::vector<Launch> launches = launches_of(source);
  for (std::size_t i = count > 4 ? std::strtoul(values[4], nullptr, 10) : 0; i < launches.size(); ++i) {
    const std::vector<std::uint8_t> left = runner.run(launches[i], count > 3);
    if (left.empty()) continue;
    output << launches[i].kernel << ' ' << left.size() << '\n';
    output.write(reinterpret_cast<const char*>(left.data()), static_cast<std::streamsize>(left.size()));
  }
  output.close();
  return output ? 0 : 1;
}
