// A kernel that accesses a byte distance beyond one of three buffers: `programs_overruns load|store first|last BYTES`. What
// OpenCL says about the buffers is printed, too.
#include "tests/programs/host.h"

namespace {

constexpr const char* kKernels =
    "kernel void load(global const int* from, global int* to, long bytes) {\n"
    "  if (get_global_id(0) == 3) *to += *(global const int*)((global const char*)(from + 1024) + bytes);\n"
    "}\n"
    "kernel void store(global int* from, global int* to, long bytes) {\n"
    "  if (get_global_id(0) == 3) *(global int*)((global char*)(from + 1024) + bytes) = *to;\n"
    "}\n";
constexpr std::size_t kCount = 1024;

template <class Value>
Value info(cl_mem buffer, cl_mem_info name) {
  Value value{};
  clGetMemObjectInfo(buffer, name, sizeof(value), &value, nullptr);
  return value;
}

void show_info(cl_mem buffer) {
  std::printf("flags %llu, host pointer %d, size %zu, references %u\n",
              static_cast<unsigned long long>(info<cl_mem_flags>(buffer, CL_MEM_FLAGS)),
              static_cast<int>(info<void*>(buffer, CL_MEM_HOST_PTR) != nullptr),
              info<std::size_t>(buffer, CL_MEM_SIZE), info<cl_uint>(buffer, CL_MEM_REFERENCE_COUNT));
}

void CL_CALLBACK released(cl_mem, void* name) {
  std::printf("released %s\n", static_cast<const char*>(name));
}

/// Buffers of every kind, and parts of them.
void tell_about_buffers(const Host& host) {
  std::vector<int> content(kCount, 5);
  const struct {
    cl_mem_flags flags;
    void* host;
  } kinds[] = {{CL_MEM_READ_WRITE, nullptr},
               {0, nullptr},
               {CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, content.data()},
               {CL_MEM_ALLOC_HOST_PTR | CL_MEM_HOST_READ_ONLY, nullptr},
               {CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, content.data()},
               {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, nullptr},
               {CL_MEM_COPY_HOST_PTR, nullptr},
               {CL_MEM_READ_WRITE, content.data()}};
  for (const auto& [flags, pointer] : kinds) {
    cl_int status = CL_SUCCESS;
    const cl_mem buffer = clCreateBuffer(host.context, flags, kCount * sizeof(int), pointer, &status);
    std::printf("status %d\n", status);
    if (buffer == nullptr) continue;
    show_info(buffer);
    const cl_buffer_region region = {1024, 512};
    const cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    if (part != nullptr) show_info(part);
    static char name[] = "buffer";
    clSetMemObjectDestructorCallback(buffer, &released, name);
    if (part != nullptr) clReleaseMemObject(part);
    clReleaseMemObject(buffer);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Host host;
  if (argc < 4) {
    tell_about_buffers(host);
    return 0;
  }
  cl_mem buffers[3];
  for (int i = 0; i < 3; ++i) buffers[i] = host.ints(kCount, i + 1);
  const cl_kernel kernel = host.kernel(kKernels, argv[1]);
  set(kernel, 0, buffers[std::string(argv[2]) == "first" ? 0 : 2]);
  set(kernel, 1, buffers[1]);
  const cl_long bytes = std::atol(argv[3]);
  check(clSetKernelArg(kernel, 2, sizeof(bytes), &bytes), "clSetKernelArg");
  clReleaseEvent(launch(host.queue, kernel, 64, 16));
  clFinish(host.queue);
  for (const cl_mem buffer : buffers) show("buffer", host.read(buffer, kCount));
  for (const cl_mem buffer : buffers) clReleaseMemObject(buffer);
  return 0;
}
