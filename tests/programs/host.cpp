// A host program per feature of OpenCL that the layer has to see through: `host NAME`. Each prints its
// results; test_host.py compares what a traced run prints, and what was recorded.
#include "tests/programs/host.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

namespace {

void one_launch() {
  const Host host;
  const cl_kernel kernel = host.kernel(kAdd, "add");
  const cl_mem buffer = host.ints(256, 1);
  set(kernel, 0, buffer);
  set(kernel, 1, 41);
  clReleaseEvent(launch(host.queue, kernel, 256, 64));
  show("add", host.read(buffer, 256));
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
}

// Two contexts, each with two queues, used by two threads each.
void threads() {
  const Host hosts[2];
  std::vector<std::thread> workers;
  std::atomic<long long> sum = 0;
  for (int worker = 0; worker < 4; ++worker)
    workers.emplace_back([&, worker] {
      const Host& host = hosts[worker / 2];
      cl_int status = CL_SUCCESS;
      const cl_command_queue queue = clCreateCommandQueue(host.context, host.device, 0, &status);
      const cl_kernel kernel = host.kernel(kAdd, "add");
      const cl_mem buffer = host.ints(64, worker);
      set(kernel, 0, buffer);
      for (int i = 0; i < 25; ++i) {
        set(kernel, 1, i);
        clReleaseEvent(launch(queue, kernel, 64, 16));
      }
      clFinish(queue);
      for (const int value : host.read(buffer, 64)) sum += value;
      clReleaseMemObject(buffer);
      clReleaseKernel(kernel);
      clReleaseCommandQueue(queue);
    });
  for (std::thread& worker : workers) worker.join();
  std::printf("sum %lld\n", sum.load());
}

// An out-of-order queue: order by events, by a barrier, and by an event that the host sets last.
void out_of_order() {
  const Host host(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const cl_program program = host.program(kAdd);
  cl_int status = CL_SUCCESS;
  const cl_kernel add = clCreateKernel(program, "add", &status);
  const cl_kernel twice = clCreateKernel(program, "twice", &status);
  const cl_mem buffer = host.ints(64, 1);
  set(add, 0, buffer);
  set(add, 1, 5);
  set(twice, 0, buffer);
  const cl_event start = clCreateUserEvent(host.context, &status);
  const cl_event first = launch(host.queue, add, 64, 16, {start});
  const cl_event second = launch(host.queue, twice, 64, 16, {first});
  const cl_event third = launch(host.queue, add, 64, 16, {second});
  check(clEnqueueBarrierWithWaitList(host.queue, 0, nullptr, nullptr), "clEnqueueBarrierWithWaitList");
  clReleaseEvent(launch(host.queue, twice, 64, 16));
  check(clFlush(host.queue), "clFlush");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cl_int state = CL_COMPLETE;
  clGetEventInfo(third, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state, nullptr);
  std::printf("waits for the host: %d\n", state > CL_COMPLETE);
  check(clSetUserEventStatus(start, CL_COMPLETE), "clSetUserEventStatus");
  check(clFinish(host.queue), "clFinish");
  show("((1+5)*2+5)*2", host.read(buffer, 64));
  std::vector<cl_event> free_launches;
  std::vector<cl_mem> buffers;
  for (int i = 0; i < 50; ++i) {
    buffers.push_back(host.ints(32, i));
    set(twice, 0, buffers.back());
    free_launches.push_back(launch(host.queue, twice, 32, 8));
  }
  check(clWaitForEvents(50, free_launches.data()), "clWaitForEvents");
  long long sum = 0;
  for (const cl_mem each : buffers) sum += host.read(each, 32)[31];
  std::printf("independent launches: %lld\n", sum);
}

// A launch whose wait list has an event that fails.
void failed_event() {
  const Host host;
  const cl_kernel kernel = host.kernel(kAdd, "add");
  const cl_mem buffer = host.ints(64, 1);
  set(kernel, 0, buffer);
  set(kernel, 1, 1);
  cl_int status = CL_SUCCESS;
  const cl_event start = clCreateUserEvent(host.context, &status);
  const cl_event end = launch(host.queue, kernel, 64, 64, {start});
  clFlush(host.queue);
  clSetUserEventStatus(start, -5);
  std::printf("wait: %d\n", clWaitForEvents(1, &end) < 0);
  cl_int state = CL_COMPLETE;
  clGetEventInfo(end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state, nullptr);
  std::printf("failed: %d\n", state < 0);
}

void sub_buffers() {
  const Host host;
  const cl_kernel kernel = host.kernel(kAdd, "add");
  const cl_mem whole = host.ints(1024, 1);
  cl_int status = CL_SUCCESS;
  std::vector<cl_mem> parts;
  for (const std::size_t first : {std::size_t{0}, std::size_t{1024}, std::size_t{2048}}) {
    const cl_buffer_region region{first, 1024};
    parts.push_back(
        clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    check(status, "clCreateSubBuffer");
  }
  for (int i = 0; i < 3; ++i) {
    set(kernel, 0, parts[static_cast<std::size_t>(i)]);
    set(kernel, 1, 10 * i);
    clReleaseEvent(launch(host.queue, kernel, 256, 64));
  }
  set(kernel, 0, whole);
  clReleaseEvent(launch(host.queue, kernel, 1024, 64));
  show("whole", host.read(whole, 1024));
}

/// Ids that no GPU has: the kernel that traces is compiled for 31 bits.
void far_offset() {
  const Host host;
  const cl_program program = host.program(
      "kernel void at(global int* a, ulong from) { a[get_global_id(0) - from] = get_global_id(0) >> 4; }\n");
  const cl_kernel kernel = clCreateKernel(program, "at", nullptr);
  const cl_mem buffer = host.ints(64, 0);
  const std::size_t offset = std::size_t{1} << 33;
  const std::size_t global = 64;
  const cl_ulong from = offset;
  set(kernel, 0, buffer);
  check(clSetKernelArg(kernel, 1, sizeof from, &from), "from");
  check(clEnqueueNDRangeKernel(host.queue, kernel, 1, &offset, &global, nullptr, 0, nullptr, nullptr), "at");
  show("far", host.read(buffer, 64));
}

void offsets_and_tasks() {
  const Host host;
  const char* source =
      "kernel void at(global int* a) { a[get_global_id(0)] = get_global_id(0) * 3 + get_group_id(0); }\n"
      "__attribute__((reqd_work_group_size(8, 1, 1))) kernel void fixed(global int* a) {\n"
      "  local int t[8]; t[get_local_id(0)] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  a[get_global_id(0)] = t[7 - get_local_id(0)]; }\n"
      "kernel void task(global int* a) { for (int i = 0; i < 16; ++i) a[i] += i; }\n";
  const cl_program program = host.program(source);
  cl_kernel kernels[3];
  cl_uint count = 0;
  check(clCreateKernelsInProgram(program, 3, kernels, &count), "clCreateKernelsInProgram");
  std::printf("%u kernels\n", count);
  std::map<std::string, cl_kernel> by_name;
  for (const cl_kernel kernel : kernels) {
    char name[64] = "";
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, nullptr);
    by_name[name] = kernel;
  }
  check(clReleaseProgram(program), "clReleaseProgram");
  const cl_mem buffer = host.ints(128, 0);
  for (const cl_kernel kernel : kernels) set(kernel, 0, buffer);
  const std::size_t offset = 32;
  const std::size_t global = 64;
  const std::size_t local = 16;
  check(clEnqueueNDRangeKernel(host.queue, by_name["at"], 1, &offset, &global, &local, 0, nullptr, nullptr),
        "at");
  show("offset", host.read(buffer, 128));
  const std::size_t eight = 8;
  check(
      clEnqueueNDRangeKernel(host.queue, by_name["fixed"], 1, nullptr, &global, &eight, 0, nullptr, nullptr),
      "fixed");
  std::printf("left open: %d\n", clEnqueueNDRangeKernel(host.queue, by_name["fixed"], 1, nullptr, &global,
                                                        nullptr, 0, nullptr, nullptr));
  show("fixed", host.read(buffer, 128));
  std::printf("wrong local size: %d\n", clEnqueueNDRangeKernel(host.queue, by_name["fixed"], 1, nullptr,
                                                               &global, &local, 0, nullptr, nullptr));
  check(clEnqueueTask(host.queue, by_name["task"], 0, nullptr, nullptr), "clEnqueueTask");
  show("task", host.read(buffer, 128));
}

// A clone keeps the arguments it was made with; program and original go while it lives.
void clones() {
  const Host host;
  const cl_kernel kernel = host.kernel(kAdd, "add");
  const cl_mem buffer = host.ints(64, 1);
  set(kernel, 0, buffer);
  set(kernel, 1, 3);
  cl_int status = CL_SUCCESS;
  const cl_kernel clone = clCloneKernel(kernel, &status);
  std::printf("clone: %d\n", status);
  set(kernel, 1, 1000);
  if (clone != nullptr) {
    check(clReleaseKernel(kernel), "clReleaseKernel");
    clReleaseEvent(launch(host.queue, clone, 64, 64));
  }
  show("cloned", host.read(buffer, 64));
}

void compile_and_link() {
  const Host host;
  cl_int status = CL_SUCCESS;
  const char* header_text = "#define FACTOR 7\nint scaled(int);\n";
  const char* main_text =
      "#include \"sub/scale.h\"\nkernel void scale(global int* a) { a[get_global_id(0)] = "
      "scaled(a[get_global_id(0)]); }\n";
  const char* helper_text = "int scaled(int x) { return x * FACTOR + EXTRA; }\n";
  const cl_program header = clCreateProgramWithSource(host.context, 1, &header_text, nullptr, &status);
  const cl_program main_part = clCreateProgramWithSource(host.context, 1, &main_text, nullptr, &status);
  const cl_program helper = clCreateProgramWithSource(host.context, 1, &helper_text, nullptr, &status);
  const char* name = "sub/scale.h";
  check(clCompileProgram(main_part, 0, nullptr, "", 1, &header, &name, nullptr, nullptr), "compile main");
  check(clCompileProgram(helper, 0, nullptr, "-DFACTOR=7 -DEXTRA=2", 0, nullptr, nullptr, nullptr, nullptr),
        "compile helper");
  const cl_program parts[] = {main_part, helper};
  const cl_program linked = clLinkProgram(host.context, 0, nullptr, "", 2, parts, nullptr, nullptr, &status);
  check(status, "clLinkProgram");
  const cl_kernel kernel = clCreateKernel(linked, "scale", &status);
  check(status, "clCreateKernel");
  const cl_mem buffer = host.ints(64, 5);
  set(kernel, 0, buffer);
  clReleaseEvent(launch(host.queue, kernel, 64, 64));
  show("scaled", host.read(buffer, 64));
}

// A program made from the binary of another: as traceable as that one.
void own_binary() {
  const Host host;
  const cl_program program = host.program(kAdd, "-DUNUSED");
  std::size_t size = 0;
  check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, nullptr), "binary size");
  std::vector<unsigned char> binary(size);
  unsigned char* pointer = binary.data();
  check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(pointer), &pointer, nullptr), "binary");
  clReleaseProgram(program);
  cl_int status = CL_SUCCESS;
  const auto* input = binary.data();
  const cl_program again =
      clCreateProgramWithBinary(host.context, 1, &host.device, &size, &input, nullptr, &status);
  check(status, "clCreateProgramWithBinary");
  check(clBuildProgram(again, 1, &host.device, "", nullptr, nullptr), "clBuildProgram");
  const cl_kernel kernel = clCreateKernel(again, "twice", &status);
  const cl_mem buffer = host.ints(64, 21);
  set(kernel, 0, buffer);
  clReleaseEvent(launch(host.queue, kernel, 64, 16));
  show("twice", host.read(buffer, 64));
}

// Applications keep binaries in files: `save` builds from source, `load` takes the file.
void kept_binary(const std::string& what, const char* path) {
  const Host host;
  cl_int status = CL_SUCCESS;
  std::vector<char> binary;
  if (what == "save") {
    const cl_program program = host.program(kAdd);
    std::size_t size = 0;
    check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, nullptr), "binary size");
    binary.resize(size);
    char* pointer = binary.data();
    check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(pointer), &pointer, nullptr), "binary");
    std::ofstream(path, std::ios::binary).write(binary.data(), static_cast<std::streamsize>(size));
    return;
  }
  std::ifstream file(path, std::ios::binary);
  binary.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  const std::size_t size = binary.size();
  const auto* input = reinterpret_cast<const unsigned char*>(binary.data());
  const cl_program program =
      clCreateProgramWithBinary(host.context, 1, &host.device, &size, &input, nullptr, &status);
  check(status, "clCreateProgramWithBinary");
  check(clBuildProgram(program, 1, &host.device, "", nullptr, nullptr), "clBuildProgram");
  const cl_kernel kernel = clCreateKernel(program, "twice", &status);
  const cl_mem buffer = host.ints(64, 21);
  set(kernel, 0, buffer);
  clReleaseEvent(launch(host.queue, kernel, 64, 16));
  show("twice", host.read(buffer, 64));
}

// Shared virtual memory: one allocation as argument, and one that is only reached through a pointer in it.
void shared_memory() {
  const Host host;
  auto* data = static_cast<int*>(clSVMAlloc(host.context, CL_MEM_READ_WRITE, 256 * sizeof(int), 0));
  auto** table = static_cast<int**>(clSVMAlloc(host.context, CL_MEM_READ_WRITE, 4 * sizeof(int*), 0));
  if (data == nullptr || table == nullptr) {
    std::printf("no SVM\n");
    return;
  }
  clEnqueueSVMMap(host.queue, CL_TRUE, CL_MAP_WRITE, data, 256 * sizeof(int), 0, nullptr, nullptr);
  for (int i = 0; i < 256; ++i) data[i] = i;
  for (int i = 0; i < 4; ++i) table[i] = data + 64 * i;
  clEnqueueSVMUnmap(host.queue, data, 0, nullptr, nullptr);
  const char* source =
      "kernel void direct(global int* a) { a[get_global_id(0)] += 1; }\n"
      "kernel void through(global ulong* t) {\n"
      "  global int* p = (global int*)t[get_global_id(0) / 64]; p[get_global_id(0) % 64] *= 2; }\n";
  const cl_kernel direct = host.kernel(source, "direct");
  const cl_kernel through = host.kernel(source, "through");
  check(clSetKernelArgSVMPointer(direct, 0, data), "clSetKernelArgSVMPointer");
  check(clSetKernelArgSVMPointer(through, 0, table), "clSetKernelArgSVMPointer");
  void* reached = data;
  check(clSetKernelExecInfo(through, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(reached), &reached), "exec info");
  clReleaseEvent(launch(host.queue, direct, 256, 64));
  clReleaseEvent(launch(host.queue, through, 256, 64));
  clFinish(host.queue);
  show("svm", std::vector<int>(data, data + 256));
  clSVMFree(host.context, data);
  clSVMFree(host.context, table);
}

// One matrix of 64 x 64, read along its rows and along its columns.
void rows_and_columns() {
  const Host host;
  const cl_program program = host.program(
      "kernel void rows(global const int* a, global int* s, int n) {\n"
      "  int i = get_global_id(0), sum = 0;\n"
      "  for (int k = 0; k < n; ++k) sum += a[i * n + k];\n"
      "  s[i] = sum;\n}\n"
      "kernel void columns(global const int* a, global int* s, int n) {\n"
      "  int i = get_global_id(0), sum = 0;\n"
      "  for (int k = 0; k < n; ++k) sum += a[k * n + i];\n"
      "  s[i] = sum;\n}\n");
  const cl_mem matrix = host.ints(64 * 64, 3);
  for (const char* name : {"rows", "columns"}) {
    cl_int status = CL_SUCCESS;
    const cl_kernel kernel = clCreateKernel(program, name, &status);
    const cl_mem sums = host.ints(64, 0);
    set(kernel, 0, matrix);
    set(kernel, 1, sums);
    set(kernel, 2, 64);
    clReleaseEvent(launch(host.queue, kernel, 64, 32));
    show(name, host.read(sums, 64));
  }
}

// Programs and kernels in great numbers, released at once: handles come again.
void reuse() {
  const Host host;
  long long sum = 0;
  for (int i = 0; i < 20; ++i) {
    const std::string source =
        "kernel void k(global int* a) { a[get_global_id(0)] += " + std::to_string(i % 4) + "; }";
    const cl_kernel kernel = host.kernel(source.c_str(), "k");
    const cl_mem buffer = host.ints(32, 1);
    set(kernel, 0, buffer);
    clReleaseEvent(launch(host.queue, kernel, 32, 32));
    sum += host.read(buffer, 32)[5];
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
  }
  std::printf("sum %lld\n", sum);
}

// Kernels that cannot be instrumented run as they are.
void untraceable() {
  const Host host;
  const char* source =
      "kernel void plain(global int* a) { a[get_global_id(0)] += 1; }\n"
      "kernel void picture(read_only image2d_t i, sampler_t s, global int* a) {\n"
      "  a[get_global_id(0)] = read_imagei(i, s, (int2)(get_global_id(0), 0)).x; }\n";
  const cl_program program = host.program(source);
  cl_int status = CL_SUCCESS;
  const cl_image_format format{CL_R, CL_SIGNED_INT32};
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = 64;
  description.image_height = 1;
  std::vector<int> pixels(64, 17);
  const cl_mem image = clCreateImage(host.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format,
                                     &description, pixels.data(), &status);
  check(status, "clCreateImage");
  const cl_sampler sampler =
      clCreateSampler(host.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &status);
  const cl_mem buffer = host.ints(64, 0);
  const cl_kernel picture = clCreateKernel(program, "picture", &status);
  const cl_kernel plain = clCreateKernel(program, "plain", &status);
  set(picture, 0, image);
  check(clSetKernelArg(picture, 1, sizeof(sampler), &sampler), "sampler");
  set(picture, 2, buffer);
  set(plain, 0, buffer);
  clReleaseEvent(launch(host.queue, picture, 64, 16));
  clReleaseEvent(launch(host.queue, plain, 64, 16));
  show("picture", host.read(buffer, 64));
}

// Every kernel of constructs.cl, in the order of their names.
void constructs(const std::string& path) {
  const Host host;
  std::ifstream file(path);
  const std::string source((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const cl_program program = host.program(source.c_str());
  cl_uint count = 0;
  check(clCreateKernelsInProgram(program, 0, nullptr, &count), "clCreateKernelsInProgram");
  std::vector<cl_kernel> kernels(count);
  check(clCreateKernelsInProgram(program, count, kernels.data(), nullptr), "clCreateKernelsInProgram");
  std::map<std::string, cl_kernel> by_name;
  for (const cl_kernel kernel : kernels) {
    char name[64] = "";
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, nullptr);
    by_name[name] = kernel;
  }
  for (const auto& [name, kernel] : by_name) {
    const cl_mem in = host.ints(4096, 77);
    const cl_mem out = host.ints(4096, 5);
    const cl_mem table = host.ints(16, 3);
    set(kernel, 0, in);
    set(kernel, 1, out);
    check(clSetKernelArg(kernel, 2, 64 * sizeof(cl_uint), nullptr), "local");
    set(kernel, 3, table);
    set(kernel, 4, 9);
    const cl_float4 v = {{1, 2, 3, 4}};
    const cl_ulong8 big = {{1, 2, 3, 4, 5, 6, 7, 8}};
    check(clSetKernelArg(kernel, 5, sizeof(v), &v), "float4");
    check(clSetKernelArg(kernel, 6, sizeof(big), &big), "ulong8");
    clReleaseEvent(launch(host.queue, kernel, 128, 32));
    show(name.c_str(), host.read(out, 4096));
    for (const cl_mem each : {in, out, table}) clReleaseMemObject(each);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const std::string detail = argc > 2 ? argv[2] : "";
  const std::map<std::string, void (*)()> plain = {{"one_launch", one_launch},
                                                   {"threads", threads},
                                                   {"out_of_order", out_of_order},
                                                   {"failed_event", failed_event},
                                                   {"sub_buffers", sub_buffers},
                                                   {"null_local", null_local},
                                                   {"offsets_and_tasks", offsets_and_tasks},
                                                   {"far_offset", far_offset},
                                                   {"clones", clones},
                                                   {"compile_and_link", compile_and_link},
                                                   {"own_binary", own_binary},
                                                   {"shared_memory", shared_memory},
                                                   {"queries", queries},
                                                   {"rows_and_columns", rows_and_columns},
                                                   {"reuse", reuse},
                                                   {"untraceable", untraceable},
                                                   {"middle", middle},
                                                   {"devices", devices},
                                                   {"device_kinds", device_kinds},
                                                   {"sub_devices", sub_devices},
                                                   {"uneven", uneven},
                                                   {"command_buffers", command_buffers},
                                                   {"asked_sizes", asked_sizes},
                                                   {"asked_limits", asked_limits},
                                                   {"unasked_sizes", unasked_sizes},
                                                   {"levels", levels},
                                                   {"ping_pong_buffers", ping_pong_buffers},
                                                   {"reduction", reduction},
                                                   {"diagonals", diagonals},
                                                   {"mapped", mapped},
                                                   {"two_programs", two_programs}};
  const std::map<std::string, void (*)(int)> repeated = {{"close_files", close_files},
                                                         {"many", many},
                                                         {"stream", stream},
                                                         {"stencil", stencil},
                                                         {"stencil_rows", stencil_rows}};
  if (const auto found = plain.find(name); found != plain.end())
    found->second();
  else if (const auto counted = repeated.find(name); counted != repeated.end())
    counted->second(std::atoi(detail.c_str()));
  else if (name == "large")
    large(static_cast<std::size_t>(std::atoll(detail.c_str())), argc > 3 && std::string(argv[3]) == "loop");
  else if (name == "kept_binary" && argc > 3)
    kept_binary(detail, argv[3]);
  else if (name == "constructs")
    constructs(detail);
  else if (name == "end")
    end(detail);
  else if (name == "forked")
    forked(argv[0]);
  else {
    std::printf("unknown: %s\n", name.c_str());
    return 2;
  }
  return 0;
}
