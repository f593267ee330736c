// What a program finds when it looks for a device of a kind, and what that device says about itself.
#include <array>

#include "tests/programs/host.h"

namespace {

constexpr std::array<std::pair<const char*, cl_device_type>, 5> kKinds = {
    {{"gpu", CL_DEVICE_TYPE_GPU},
     {"cpu", CL_DEVICE_TYPE_CPU},
     {"default", CL_DEVICE_TYPE_DEFAULT},
     {"all", CL_DEVICE_TYPE_ALL},
     {"accelerator", CL_DEVICE_TYPE_ACCELERATOR}}};

template <class T>
unsigned long long number(cl_device_id device, cl_device_info name) {
  T value{};
  check(clGetDeviceInfo(device, name, sizeof(value), &value, nullptr), "clGetDeviceInfo");
  return static_cast<unsigned long long>(value);
}

/// As long as the device says that it is.
std::string text(cl_device_id device, cl_device_info name) {
  std::size_t bytes = 0;
  check(clGetDeviceInfo(device, name, 0, nullptr, &bytes), "size of a text");
  std::string result(bytes, '?');
  check(clGetDeviceInfo(device, name, bytes, result.data(), nullptr), "text");
  std::printf("too small: %d\n", clGetDeviceInfo(device, name, bytes - 1, result.data(), nullptr));
  return result.substr(0, bytes - 1);
}

cl_platform_id platform_of(cl_device_id device) {
  cl_platform_id platform = nullptr;
  check(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, nullptr), "platform");
  return platform;
}

void describe(cl_device_id device) {
  std::printf("name '%s'\n", text(device, CL_DEVICE_NAME).c_str());
  std::printf("vendor '%s'\n", text(device, CL_DEVICE_VENDOR).c_str());
  std::printf("vendor id %llx, clock %llu\n", number<cl_uint>(device, CL_DEVICE_VENDOR_ID),
              number<cl_uint>(device, CL_DEVICE_MAX_CLOCK_FREQUENCY));
  std::printf("is gpu %d, is cpu %d\n",
              (number<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0,
              (number<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0);
  std::printf("vectors");
  for (const cl_device_info kind :
       {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE})
    std::printf(" %llu", number<cl_uint>(device, static_cast<cl_device_info>(kind)));
  std::printf("\nglobal %llu, most %llu, cache %llu, line %llu\n",
              number<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE),
              number<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE),
              number<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE),
              number<cl_uint>(device, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE));
  std::array<cl_device_partition_property, 8> parts{1};
  std::size_t bytes = 0;
  check(clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof(parts), parts.data(), &bytes),
        "parts");
  std::printf("parts %llu of %zu kinds, first %ld\n",
              number<cl_uint>(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES), bytes / sizeof(parts[0]),
              static_cast<long>(parts[0]));
}

void run_in(cl_context context, const char* what) {
  cl_device_id device = nullptr;
  check(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(cl_device_id), &device, nullptr), "devices");
  cl_int status = CL_SUCCESS;
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
  const cl_program program =
      clCreateProgramWithSource(context, 1, const_cast<const char**>(&kAdd), nullptr, &status);
  check(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), "clBuildProgram");
  const cl_kernel add = clCreateKernel(program, "add", &status);
  check(status, "clCreateKernel");
  std::vector<int> content(64, 1);
  const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 64 * sizeof(int),
                                       content.data(), &status);
  set(add, 0, buffer);
  set(add, 1, 4);
  launch(queue, add, 64, 16);
  check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64 * sizeof(int), content.data(), 0, nullptr, nullptr),
        "read");
  show(what, content);
}

}  // namespace

// Every kind of device, and a context of every kind.
void device_kinds() {
  const cl_device_id device = pocl_device();
  const cl_platform_id platform = platform_of(device);
  for (const auto& [name, kind] : kKinds) {
    cl_uint count = 0;
    cl_device_id found = nullptr;
    const cl_int status = clGetDeviceIDs(platform, kind, 1, &found, &count);
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                reinterpret_cast<cl_context_properties>(platform), 0};
    cl_int made = CL_SUCCESS;
    const cl_context context = clCreateContextFromType(properties, kind, nullptr, nullptr, &made);
    std::printf("%s: %d, same %d, context %d\n", name, status, status == CL_SUCCESS && found == device, made);
    if (made == CL_SUCCESS) run_in(context, name);
  }
  cl_int status = CL_SUCCESS;
  clCreateContextFromType(nullptr, CL_DEVICE_TYPE_GPU, nullptr, nullptr, &status);
  std::printf("without a platform: %d\n", status);
  describe(device);
}
