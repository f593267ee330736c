// The library's entry points and the table of functions that it puts between an application and its OpenCL.
// Every function passes the application's call through; what we do next to it changes no answer but those
// about the device's limits (device_queries.h).
#include <CL/cl_ext.h>
#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "wrapper/layer/api.h"
#include "wrapper/layer/device_queries.h"
#include "wrapper/layer/extensions.h"
#include "wrapper/layer/layer_state.h"
#include "wrapper/recording/fault_handlers.h"

namespace warpscope::layer {
namespace {

cl_program CL_API_CALL create_program_with_source(cl_context context, cl_uint count, const char** texts,
                                                  const std::size_t* lengths, cl_int* status) {
  const cl_program program = api->clCreateProgramWithSource(context, count, texts, lengths, status);
  if (program != nullptr)
    own_work([&](Layer& self) { self.programs.add_source(program, count, texts, lengths); });
  return program;
}

cl_program CL_API_CALL create_program_with_binary(cl_context context, cl_uint count,
                                                  const cl_device_id* devices, const std::size_t* lengths,
                                                  const unsigned char** binaries, cl_int* binary_status,
                                                  cl_int* status) {
  const cl_program program =
      api->clCreateProgramWithBinary(context, count, devices, lengths, binaries, binary_status, status);
  if (program != nullptr)
    own_work([&](Layer& self) { self.programs.add_binary(program, count, lengths, binaries); });
  return program;
}

cl_program CL_API_CALL create_program_with_il(cl_context context, const void* code, std::size_t length,
                                              cl_int* status) {
  const cl_program program = api->clCreateProgramWithIL(context, code, length, status);
  if (program != nullptr)
    own_work([&](Layer& self) { self.programs.add_opaque(program, "the program was made from SPIR-V"); });
  return program;
}

cl_program CL_API_CALL create_program_with_kernels(cl_context context, cl_uint count,
                                                   const cl_device_id* devices, const char* names,
                                                   cl_int* status) {
  const cl_program program = api->clCreateProgramWithBuiltInKernels(context, count, devices, names, status);
  if (program != nullptr)
    own_work(
        [&](Layer& self) { self.programs.add_opaque(program, "it is a built-in kernel of the device"); });
  return program;
}

cl_int CL_API_CALL retain_program(cl_program program) {
  const cl_int status = api->clRetainProgram(program);
  if (status == CL_SUCCESS) own_work([&](Layer& self) { self.programs.retain(program); });
  return status;
}

cl_int CL_API_CALL release_program(cl_program program) {
  // Before the call: afterwards the handle may already belong to another thread's new program.
  if (program != nullptr) own_work([&](Layer& self) { self.programs.release(program); });
  return api->clReleaseProgram(program);
}

/// A build's call-back of the application, held until we know about the build.
struct Notification {
  void(CL_CALLBACK* call)(cl_program, void*) = nullptr;
  void* data = nullptr;
  std::string options;
};

void CL_CALLBACK build_ended(cl_program program, void* data) {
  const std::unique_ptr<Notification> notification(static_cast<Notification*>(data));
  if (info_value<cl_uint>(api->clGetProgramInfo, program, CL_PROGRAM_NUM_DEVICES) > 0)
    own_work([&](Layer& self) { self.programs.built(program, notification->options.c_str()); });
  notification->call(program, notification->data);
}

cl_int CL_API_CALL build_program(cl_program program, cl_uint count, const cl_device_id* devices,
                                 const char* options, void(CL_CALLBACK* notify)(cl_program, void*),
                                 void* data) {
  if (notify != nullptr && layer.load() != nullptr) {
    auto notification = std::make_unique<Notification>();
    notification->call = notify;
    notification->data = data;
    notification->options = options != nullptr ? options : "";
    const cl_int status =
        api->clBuildProgram(program, count, devices, options, build_ended, notification.get());
    if (status == CL_SUCCESS || status == CL_BUILD_PROGRAM_FAILURE) (void)notification.release();
    return status;
  }
  const cl_int status = api->clBuildProgram(program, count, devices, options, notify, data);
  if (status == CL_SUCCESS) own_work([&](Layer& self) { self.programs.built(program, options); });
  return status;
}

cl_int CL_API_CALL compile_program(cl_program program, cl_uint count, const cl_device_id* devices,
                                   const char* options, cl_uint header_count, const cl_program* headers,
                                   const char** names, void(CL_CALLBACK* notify)(cl_program, void*),
                                   void* data) {
  const cl_int status =
      api->clCompileProgram(program, count, devices, options, header_count, headers, names, notify, data);
  if (status == CL_SUCCESS)
    own_work([&](Layer& self) { self.programs.compiled(program, options, header_count, headers, names); });
  return status;
}

cl_program CL_API_CALL link_program(cl_context context, cl_uint count, const cl_device_id* devices,
                                    const char* options, cl_uint input_count, const cl_program* inputs,
                                    void(CL_CALLBACK* notify)(cl_program, void*), void* data,
                                    cl_int* status) {
  const cl_program program =
      api->clLinkProgram(context, count, devices, options, input_count, inputs, notify, data, status);
  if (program != nullptr)
    own_work([&](Layer& self) { self.programs.linked(program, options, input_count, inputs); });
  return program;
}

void note_binaries(Layer& self, cl_program program, std::size_t size, const void* value) {
  const auto sizes = info_values<std::size_t>(api->clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES);
  const auto* binaries = static_cast<const unsigned char* const*>(value);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < sizes.size() && i < size / sizeof(unsigned char*); ++i)
    if (binaries[i] != nullptr) texts.emplace_back(reinterpret_cast<const char*>(binaries[i]), sizes[i]);
  self.programs.handed_out(program, texts);
}

cl_int CL_API_CALL get_program_info(cl_program program, cl_program_info name, std::size_t size, void* value,
                                    std::size_t* size_needed) {
  const cl_int status = api->clGetProgramInfo(program, name, size, value, size_needed);
  if (status == CL_SUCCESS && name == CL_PROGRAM_BINARIES && value != nullptr)
    own_work([&](Layer& self) { note_binaries(self, program, size, value); });
  return status;
}

cl_kernel CL_API_CALL create_kernel(cl_program program, const char* name, cl_int* status) {
  const cl_kernel kernel = api->clCreateKernel(program, name, status);
  if (kernel != nullptr) own_work([&](Layer& self) { self.kernels.add(kernel, program); });
  return kernel;
}

cl_int CL_API_CALL create_kernels_in_program(cl_program program, cl_uint count, cl_kernel* kernels,
                                             cl_uint* count_needed) {
  cl_uint created = 0;
  const cl_int status = api->clCreateKernelsInProgram(program, count, kernels, &created);
  if (count_needed != nullptr && status == CL_SUCCESS) *count_needed = created;
  if (status == CL_SUCCESS && kernels != nullptr)
    own_work([&](Layer& self) {
      for (cl_uint i = 0; i < created; ++i) self.kernels.add(kernels[i], program);
    });
  return status;
}

cl_kernel CL_API_CALL clone_kernel(cl_kernel source, cl_int* status) {
  const cl_kernel kernel = api->clCloneKernel(source, status);
  if (kernel != nullptr) own_work([&](Layer& self) { self.kernels.add_clone(kernel, source); });
  return kernel;
}

cl_int CL_API_CALL retain_kernel(cl_kernel kernel) {
  const cl_int status = api->clRetainKernel(kernel);
  if (status == CL_SUCCESS) own_work([&](Layer& self) { self.kernels.retain(kernel); });
  return status;
}

cl_int CL_API_CALL release_kernel(cl_kernel kernel) {
  if (kernel != nullptr) own_work([&](Layer& self) { self.kernels.release(kernel); });
  return api->clReleaseKernel(kernel);
}

cl_int CL_API_CALL set_kernel_arg(cl_kernel kernel, cl_uint index, std::size_t size, const void* value) {
  const cl_int status = api->clSetKernelArg(kernel, index, size, value);
  if (status == CL_SUCCESS)
    own_work([&](Layer& self) {
      const auto known = self.kernels.find(kernel);
      if (!known) return;
      KernelArgument argument;
      if (value == nullptr) {
        argument.kind = KernelArgument::Kind::Local;
        argument.size = size;
      } else {
        argument.kind = KernelArgument::Kind::Bytes;
        const auto* bytes = static_cast<const std::uint8_t*>(value);
        argument.bytes.assign(bytes, bytes + size);
      }
      known->set(index, std::move(argument));
    });
  return status;
}

cl_int CL_API_CALL set_kernel_arg_svm(cl_kernel kernel, cl_uint index, const void* pointer) {
  const cl_int status = api->clSetKernelArgSVMPointer(kernel, index, pointer);
  if (status == CL_SUCCESS)
    own_work([&](Layer& self) {
      const auto known = self.kernels.find(kernel);
      KernelArgument argument;
      argument.kind = KernelArgument::Kind::SvmPointer;
      argument.pointer = pointer;
      if (known) known->set(index, std::move(argument));
    });
  return status;
}

cl_int CL_API_CALL set_kernel_exec_info(cl_kernel kernel, cl_kernel_exec_info name, std::size_t size,
                                        const void* value) {
  const cl_int status = api->clSetKernelExecInfo(kernel, name, size, value);
  if (status == CL_SUCCESS)
    own_work([&](Layer& self) {
      if (const auto known = self.kernels.find(kernel)) known->set_info(name, size, value);
    });
  return status;
}

/// `create`: makes the buffer with these flags and this host pointer.
template <class Create>
cl_mem create_guarded(cl_context context, cl_mem_flags flags, std::size_t size, void* host,
                      const Create& create) {
  std::optional<device::GuardedMemory> memory;
  own_work([&](Layer&) { memory = GuardedBuffers::memory_for(context, flags, size, host); });
  if (!memory) return create(flags, host);
  const cl_mem buffer = create(GuardedBuffers::own_flags(flags), static_cast<void*>(memory->data()));
  if (buffer != nullptr)
    own_work([&](Layer& self) { self.guarded_buffers.add(buffer, flags, std::move(*memory)); });
  return buffer;
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, std::size_t size, void* host,
                                 cl_int* status) {
  return create_guarded(context, flags, size, host, [&](cl_mem_flags own_flags, void* own_host) {
    return api->clCreateBuffer(context, own_flags, size, own_host, status);
  });
}

cl_mem CL_API_CALL create_buffer_with_properties(cl_context context, const cl_mem_properties* properties,
                                                 cl_mem_flags flags, std::size_t size, void* host,
                                                 cl_int* status) {
  return create_guarded(context, flags, size, host, [&](cl_mem_flags own_flags, void* own_host) {
    return api->clCreateBufferWithProperties(context, properties, own_flags, size, own_host, status);
  });
}

cl_int CL_API_CALL get_mem_object_info(cl_mem object, cl_mem_info name, std::size_t size, void* value,
                                       std::size_t* size_needed) {
  const cl_int status = api->clGetMemObjectInfo(object, name, size, value, size_needed);
  if (status == CL_SUCCESS)
    own_work([&](const Layer& self) { self.guarded_buffers.answer(object, name, size, value); });
  return status;
}

void* CL_API_CALL svm_alloc(cl_context context, cl_svm_mem_flags flags, std::size_t size, cl_uint alignment) {
  void* const memory = api->clSVMAlloc(context, flags, size, alignment);
  if (memory != nullptr) own_work([&](Layer& self) { self.memory.add_svm(context, memory, size, flags); });
  return memory;
}

void CL_API_CALL svm_free(cl_context context, void* memory) {
  own_work([&](Layer& self) { self.memory.remove_svm(memory); });
  api->clSVMFree(context, memory);
}

/// Enqueues through the recorder; falls back to the application's own call when the layer is off or fails
/// before it has enqueued anything.
cl_int enqueue(const EnqueueRequest& request) {
  cl_int status = CL_SUCCESS;
  bool done = false;
  own_work([&](Layer& self) {
    status = self.launches.enqueue(request);
    done = true;
  });
  if (done) return status;
  if (request.task)
    return api->clEnqueueTask(request.queue, request.kernel, request.wait_count, request.wait_list,
                              request.event);
  return api->clEnqueueNDRangeKernel(request.queue, request.kernel, request.dimensions, request.offset,
                                     request.global, request.local, request.wait_count, request.wait_list,
                                     request.event);
}

cl_int CL_API_CALL enqueue_ndrange_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                          const std::size_t* offset, const std::size_t* global,
                                          const std::size_t* local, cl_uint wait_count,
                                          const cl_event* wait_list, cl_event* event) {
  return enqueue({queue, kernel, dimensions, offset, global, local, wait_count, wait_list, event, false});
}

cl_int CL_API_CALL enqueue_task(cl_command_queue queue, cl_kernel kernel, cl_uint wait_count,
                                const cl_event* wait_list, cl_event* event) {
  return enqueue({queue, kernel, 1, nullptr, nullptr, nullptr, wait_count, wait_list, event, true});
}

/// Launches of an out-of-order queue wait for the last barrier: we need its event even if the application
/// does not.
cl_int CL_API_CALL enqueue_barrier_with_wait_list(cl_command_queue queue, cl_uint count,
                                                  const cl_event* events, cl_event* event) {
  cl_event own = nullptr;
  const bool wanted = layer.load() != nullptr && Launches::is_out_of_order(queue);
  cl_event* const target = event != nullptr ? event : wanted ? &own : nullptr;
  const cl_int status = api->clEnqueueBarrierWithWaitList(queue, count, events, target);
  if (status != CL_SUCCESS || !wanted) return status;
  if (event != nullptr) api->clRetainEvent(*event);
  own_work([&](Layer& self) { self.launches.note_barrier(queue, *target); });
  return status;
}

cl_int CL_API_CALL enqueue_barrier(cl_command_queue queue) {
  if (layer.load() != nullptr && Launches::is_out_of_order(queue))
    return enqueue_barrier_with_wait_list(queue, 0, nullptr, nullptr);
  return api->clEnqueueBarrier(queue);
}

/// Kernels in command buffers escape us: they are named.
clCommandNDRangeKernelKHR_fn command_ndrange_kernel_below = nullptr;

cl_int CL_API_CALL command_ndrange_kernel(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          const cl_ndrange_kernel_command_properties_khr* properties,
                                          cl_kernel kernel, cl_uint dimensions, const std::size_t* offset,
                                          const std::size_t* global, const std::size_t* local,
                                          cl_uint wait_count, const cl_sync_point_khr* wait_list,
                                          cl_sync_point_khr* point, cl_mutable_command_khr* command) {
  own_work([&](Layer& self) {
    const auto known = self.kernels.find(kernel);
    if (known && self.session.wants(known->name()))
      self.session.report_untraced("kernel '" + known->name() +
                                   "' runs untraced: it is part of a command buffer");
  });
  return command_ndrange_kernel_below(buffer, queue, properties, kernel, dimensions, offset, global, local,
                                      wait_count, wait_list, point, command);
}

void* own_extension(const char* name, void* below) {
  if (name != nullptr && layer.load() != nullptr)
    if (void* const own = cuda_extension(name)) return own;
  if (below == nullptr || name == nullptr || layer.load() == nullptr ||
      std::strcmp(name, "clCommandNDRangeKernelKHR") != 0)
    return below;
  command_ndrange_kernel_below = reinterpret_cast<clCommandNDRangeKernelKHR_fn>(below);
  return reinterpret_cast<void*>(&command_ndrange_kernel);
}

void* CL_API_CALL extension_function_for_platform(cl_platform_id platform, const char* name) {
  return own_extension(name, api->clGetExtensionFunctionAddressForPlatform(platform, name));
}

void* CL_API_CALL extension_function(const char* name) {
  return own_extension(name, api->clGetExtensionFunctionAddress(name));
}

cl_icd_dispatch own_functions() {
  cl_icd_dispatch table;
  std::memset(&table, 0, sizeof(table));  // the loader puts the next layer's functions in the gaps
  add_device_queries(table);
  table.clCreateProgramWithSource = create_program_with_source;
  table.clCreateProgramWithBinary = create_program_with_binary;
  table.clCreateProgramWithIL = create_program_with_il;
  table.clCreateProgramWithBuiltInKernels = create_program_with_kernels;
  table.clRetainProgram = retain_program;
  table.clReleaseProgram = release_program;
  table.clBuildProgram = build_program;
  table.clCompileProgram = compile_program;
  table.clLinkProgram = link_program;
  table.clGetProgramInfo = get_program_info;
  table.clCreateKernel = create_kernel;
  table.clCreateKernelsInProgram = create_kernels_in_program;
  table.clCloneKernel = clone_kernel;
  table.clRetainKernel = retain_kernel;
  table.clReleaseKernel = release_kernel;
  table.clSetKernelArg = set_kernel_arg;
  table.clSetKernelArgSVMPointer = set_kernel_arg_svm;
  table.clSetKernelExecInfo = set_kernel_exec_info;
  table.clCreateBuffer = create_buffer;
  table.clCreateBufferWithProperties = create_buffer_with_properties;
  table.clGetMemObjectInfo = get_mem_object_info;
  table.clSVMAlloc = svm_alloc;
  table.clSVMFree = svm_free;
  table.clEnqueueNDRangeKernel = enqueue_ndrange_kernel;
  table.clEnqueueTask = enqueue_task;
  table.clEnqueueBarrierWithWaitList = enqueue_barrier_with_wait_list;
  table.clEnqueueBarrier = enqueue_barrier;
  table.clGetExtensionFunctionAddressForPlatform = extension_function_for_platform;
  table.clGetExtensionFunctionAddress = extension_function;
  return table;
}

/// A forked child has none of PoCL's threads, and the capture is its parent's.
void after_fork_in_child() {
  if (Layer* const current = layer.exchange(nullptr)) current->session.leave_to_parent();
}

__attribute__((destructor)) void before_exit() {
  Layer* const current = layer.exchange(nullptr);
  if (current == nullptr) return;
  current->launches.settle();
  try {
    current->allocations.leave();
    current->session.note_left(current->allocations.left());
  } catch (const std::exception&) {  // then they are not named
  }
}

/// The layer is loaded with its symbols hidden; kernels look for the runtime's table among all symbols.
bool show_table_to_kernels() {
  Dl_info self{};
  return dladdr(reinterpret_cast<void*>(&show_table_to_kernels), &self) != 0 &&
         dlopen(self.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) != nullptr;
}

void start() {
  const char* const directory = std::getenv(kDirectoryVariable);
  const char* const process = std::getenv(kProcessVariable);
  if (directory == nullptr || (process != nullptr && std::atol(process) != ::getpid())) return;
  if (!show_table_to_kernels()) return;
  try {
    layer.store(new Layer(directory), std::memory_order_release);
  } catch (
      const std::exception&) {  // the parent has gone, or this is not its child: the program runs untraced
    return;
  }
  pthread_atfork(nullptr, nullptr, &after_fork_in_child);
}

}  // namespace
}  // namespace warpscope::layer

extern "C" {

__attribute__((visibility("default"))) CL_API_ENTRY cl_int CL_API_CALL
clGetLayerInfo(cl_layer_info name, std::size_t size, void* value, std::size_t* size_needed) {
  const auto answer = [&](const void* content, std::size_t bytes) -> cl_int {
    if (size_needed != nullptr) *size_needed = bytes;
    if (value == nullptr) return CL_SUCCESS;
    if (size < bytes) return CL_INVALID_VALUE;
    std::memcpy(value, content, bytes);
    return CL_SUCCESS;
  };
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (name == CL_LAYER_API_VERSION) return answer(&version, sizeof(version));
  if (name == CL_LAYER_NAME) return answer("warpscope", sizeof("warpscope"));
  return CL_INVALID_VALUE;
}

__attribute__((visibility("default"))) CL_API_ENTRY cl_int CL_API_CALL
clInitLayer(cl_uint count, const cl_icd_dispatch* target, cl_uint* own_count, const cl_icd_dispatch** own) {
  static const cl_icd_dispatch table = warpscope::layer::own_functions();
  if (target == nullptr || own_count == nullptr || own == nullptr ||
      count < sizeof(table) / sizeof(table.clGetPlatformIDs))
    return CL_INVALID_VALUE;
  if (warpscope::layer::api == nullptr) {
    warpscope::layer::api = target;
    warpscope::layer::start();
  }
  *own_count = sizeof(table) / sizeof(table.clGetPlatformIDs);
  *own = &table;
  return CL_SUCCESS;
}
}
