#include "wrapper/layer/launches.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "passes/RuntimeABI.h"
#include "passes/driver/pipeline.h"
#include "traces/base/error.h"
#include "traces/program/work_group_trace.h"
#include "wrapper/launch/build_options.h"
#include "wrapper/session/argument_text.h"
#include "wrapper/session/fault_events.h"

namespace warpscope::layer {
using Clock = Recorder::Clock;

struct Launches::Launch {
  Launches* owner = nullptr;
  LaunchInfo info;
  RecorderSetup setup;
  std::vector<BufferPart> parts;  ///< one for each argument
  bool finds_addresses = false;   ///< whether some site's memory object is known only when it runs
  std::shared_ptr<Build> build;   ///< keeps the twin
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  cl_event gate = nullptr;
  cl_event marker = nullptr;  ///< null: ready at once
  bool is_queued = false;     ///< whether it waits for our thread; guarded by the owner's mutex
  cl_int status = CL_QUEUED;  ///< guarded by the owner's mutex; CL_COMPLETE or an error at the end
  Clock::time_point ended;
  std::string failed;  ///< why the kernel failed by itself, or empty
};

namespace {

Dim3 dim3_of(cl_uint dimensions, const std::size_t* sizes, std::uint64_t missing) {
  Dim3 result{missing, missing, missing};
  if (sizes == nullptr) return result;
  result.x = sizes[0];
  if (dimensions > 1) result.y = sizes[1];
  if (dimensions > 2) result.z = sizes[2];
  return result;
}

thread_local LaunchName next_name;

}  // namespace

void Launches::name_next(const std::string& call_site, const std::string& range) {
  next_name = {call_site, range};
}

LaunchName Launches::take_name() {
  return std::exchange(next_name, {});
}

Launches::Launches(Session& session, Kernels& kernels, Memory& memory, Allocations& allocations)
    : session_(session), kernels_(kernels), memory_(memory), allocations_(allocations), guard_(*this) {}

AddressGuard::Range Launches::Guard::allocation_of(std::uint64_t address) {
  const NearestAllocation nearest = launches_.memory_.nearest_svm(address);
  return nearest.is_freed ? Range{} : nearest.range;
}

void Launches::Guard::judge(const BadAccess& access) {
  const NearestAllocation nearest = launches_.memory_.nearest_svm(access.address);
  if (passes_on_gpu(access, nearest)) return launches_.session_.warn(describe_passed(access, nearest));
  const std::string why = warpscope::describe(access, nearest);
  launches_.stop(why);
  stop_.load()(access.is_misaligned, why.c_str());
}

bool Launches::is_out_of_order(cl_command_queue queue) {
  const auto properties =
      info_value<cl_command_queue_properties>(api->clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES);
  return (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
}

cl_int Launches::enqueue_original(const EnqueueRequest& request, cl_kernel kernel) {
  if (request.task)
    return api->clEnqueueTask(request.queue, kernel, request.wait_count, request.wait_list, request.event);
  return api->clEnqueueNDRangeKernel(request.queue, kernel, request.dimensions, request.offset,
                                     request.global, request.local, request.wait_count, request.wait_list,
                                     request.event);
}

// Every launch of the program gets it, so that what it computes does not depend on what is recorded.
EnqueueRequest Launches::with_local_size(const EnqueueRequest& request, LocalSize& local) const {
  if (!session_.settings().device_like.is_gpu() || request.task || request.local != nullptr ||
      request.global == nullptr || request.dimensions < 1 || request.dimensions > 3)
    return request;
  const Dim3 global = dim3_of(request.dimensions, request.global, 1);
  const auto device = info_value<cl_device_id>(api->clGetCommandQueueInfo, request.queue, CL_QUEUE_DEVICE);
  if (global.count() == 0 || device == nullptr || !is_traceable(device)) return request;
  LocalSize required{};
  api->clGetKernelWorkGroupInfo(request.kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(required),
                                required.data(), nullptr);
  if (required[0] != 0) return request;
  const Dim3 size = open_local_size(session_.settings().device_like, global);
  local = {size.x, size.y, size.z};
  EnqueueRequest sized = request;
  sized.local = local.data();
  return sized;
}

cl_int Launches::enqueue(const EnqueueRequest& asked) {
  LocalSize local{};
  const EnqueueRequest request = with_local_size(asked, local);
  const auto kernel = kernels_.find(request.kernel);
  const std::string name = kernel ? kernel->name() : "?";
  auto launch = std::make_unique<Launch>();
  launch->info.has_open_local = request.local != asked.local;
  std::string failure;
  bool chosen = session_.wants(name);
  // What takes long comes before the lock: compiling, and asking the device for its local size.
  bool sized = false;
  if (chosen && kernel && kernel->build() != nullptr) {
    if (!session_.settings().time_only && kernel->build()->twin() == nullptr)
      failure = kernel->build()->failure();
    else
      sized = find_sizes(request, request.kernel, *launch, failure);
  }
  const std::lock_guard lock(enqueue_mutex_);
  chosen = chosen && session_.wants(name);
  if (chosen && !kernel) failure = "it was not made through this layer";
  if (chosen && kernel && kernel->build() == nullptr) failure = "its program is of unknown origin";
  cl_kernel twin = nullptr;
  if (chosen && sized) {
    launch->info.id = session_.next_launch();
    if (session_.settings().time_only) {
      launch->info.kernel.edit().name = name;
      return enqueue_gated(request, request.kernel, std::move(launch), "");
    }
    twin = kernel->twin(failure);
    if (twin != nullptr && !describe(request, *kernel, *launch, failure)) twin = nullptr;
  }
  if (twin != nullptr) {
    const std::string key = fmt::format("{}/{}", kernel->build()->number(), name);
    const cl_int status = enqueue_gated(request, twin, std::move(launch), key);
    if (status == CL_SUCCESS) return status;
    failure = fmt::format("the instrumented kernel cannot be enqueued ({})", status);
  }
  const cl_int status = enqueue_original(request, request.kernel);
  if (status != CL_SUCCESS) return status;
  // An error of the application's is its own business; only what runs without being recorded is reported.
  if (chosen && !failure.empty())
    session_.report_untraced(
        fmt::format("{} runs untraced: {}", place_of(name, kernel ? kernel->build() : nullptr), failure));
  session_.pass_over_launch(name, chosen && !failure.empty());
  return status;
}

bool Launches::find_sizes(const EnqueueRequest& request, cl_kernel kernel, Launch& launch,
                          std::string& failure) {
  // Errors are the device's to find, in the application's own call.
  if (!request.task && (request.global == nullptr || request.dimensions < 1 || request.dimensions > 3))
    return false;
  if ((request.wait_count == 0) != (request.wait_list == nullptr)) return false;
  launch.device = info_value<cl_device_id>(api->clGetCommandQueueInfo, request.queue, CL_QUEUE_DEVICE);
  launch.context = info_value<cl_context>(api->clGetCommandQueueInfo, request.queue, CL_QUEUE_CONTEXT);
  if (launch.device == nullptr) return false;
  if (!is_traceable(launch.device)) {
    failure = "the device is not PoCL's CPU";
    return false;
  }
  LaunchInfo& info = launch.info;
  info.dimensions = request.task ? 1 : request.dimensions;
  info.global = request.task ? Dim3{1, 1, 1} : dim3_of(request.dimensions, request.global, 1);
  info.offset = request.task ? Dim3{0, 0, 0} : dim3_of(request.dimensions, request.offset, 0);
  if (info.global.count() == 0) return false;  // nothing will run
  if (request.local != nullptr || request.task) {
    info.local = request.task ? Dim3{1, 1, 1} : dim3_of(request.dimensions, request.local, 1);
  } else {
    std::size_t required[3] = {0, 0, 0};
    api->clGetKernelWorkGroupInfo(kernel, launch.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(required),
                                  required, nullptr);
    const auto chosen =
        required[0] != 0 ? std::optional<Dim3>(Dim3{required[0], required[1], required[2]})
                         : local_sizes_.chosen(launch.context, launch.device, info.dimensions, info.global);
    if (!chosen) {
      failure = "the local size that the device chooses is not known";
      return false;
    }
    info.local = *chosen;
    info.has_open_local = required[0] == 0;
  }
  const Dim3& local = info.local;
  if (local.count() == 0) return false;
  if (info.global.x % local.x != 0 || info.global.y % local.y != 0 || info.global.z % local.z != 0) {
    failure = "the global size is not a multiple of the local size";
    return false;
  }
  for (const auto& [size, offset] : {std::pair{info.global.x, info.offset.x},
                                     {info.global.y, info.offset.y},
                                     {info.global.z, info.offset.z}})
    if (offset > WARPSCOPE_MOST_IDS || size > WARPSCOPE_MOST_IDS - offset)
      failure = "global size and offset are more than 2^31 - 1 together, which no GPU numbers";
  if (local.count() > kMaxWorkItemsPerGroup) failure = "the work-groups are larger than a capture allows";
  return failure.empty();
}

BufferId Launches::object_id(const Build& build, const std::string& kernel, const std::string& object,
                             AddressSpace space, std::uint64_t size) {
  const std::string key = fmt::format("{}/{}/{}/{}", build.number(), kernel, object, size);
  const auto [entry, is_new] = objects_.emplace(key, BufferId(0));
  if (is_new) entry->second = session_.add_buffer({BufferId(0), object, space, size, "read_write", false});
  return entry->second;
}

bool Launches::find_arguments(const Kernel& kernel, Launch& launch, std::string& failure) {
  const std::vector<ArgumentInfo>& parameters = launch.info.kernel->arguments;
  launch.parts.resize(parameters.size());
  for (std::size_t index = 0; index < parameters.size(); ++index) {
    const ArgumentInfo& parameter = parameters[index];
    static const KernelArgument unset;
    const KernelArgument& argument = index < kernel.arguments().size() ? kernel.arguments()[index] : unset;
    ArgumentValue value;
    TracedObject object;
    const bool is_memory = parameter.is_pointer && parameter.space != AddressSpace::Private;
    if (is_image_type(parameter.type)) {
      failure =
          fmt::format("argument '{}' is of type {}, which cannot be traced", parameter.name, parameter.type);
      return false;
    }
    if (argument.kind == KernelArgument::Kind::Local) {
      value.value = std::to_string(argument.size);
      launch.info.dynamic_local_bytes += argument.size;
      object = {object_id(*kernel.build(), kernel.name(), parameter.name, AddressSpace::Local, argument.size),
                argument.size, AddressSpace::Local, 0};
    } else if (is_memory) {
      BufferPart& part = launch.parts[index];
      if (argument.kind == KernelArgument::Kind::SvmPointer) {
        part = memory_.find_svm(argument.pointer, parameter.name, parameter.space);
      } else if (argument.bytes.size() == sizeof(cl_mem)) {
        cl_mem memory = nullptr;
        std::copy(argument.bytes.begin(), argument.bytes.end(), reinterpret_cast<std::uint8_t*>(&memory));
        if (memory != nullptr) part = memory_.find(memory, parameter.name, parameter.space);
      }
      value.buffer = part.buffer;
      value.offset = part.offset;
      object = {part.buffer, part.size, parameter.space, part.offset};
    } else {
      value.value = text_of_argument(parameter.type, argument.bytes);
    }
    launch.info.arguments.push_back(value);
    launch.setup.arguments.push_back(object);
  }
  return true;
}

bool Launches::describe(const EnqueueRequest& /*request*/, Kernel& kernel, Launch& launch,
                        std::string& failure) {
  const KernelInfo* description = kernel.build()->kernel(kernel.name());
  if (description == nullptr) {
    failure = "the instrumented program does not describe it";
    return false;
  }
  LaunchInfo& info = launch.info;
  info.kernel = *description;
  launch.setup.kernel = description;
  launch.build = kernel.shared_build();
  if (!find_arguments(kernel, launch, failure)) return false;
  for (const ObjectInfo& object : description->objects) {
    const BufferId id = object_id(*kernel.build(), kernel.name(), object.name, object.space, object.size);
    info.objects.push_back(id);
    launch.setup.objects.push_back({id, object.size, object.space, 0});
  }
  info.build_options = portable_options(split_build_options(kernel.build()->options()));
  info.optimize = session_.settings().optimize;
  info.sampling = session_.selection().text();
  info.source_name = kernel.build()->source_name();
  info.source = kernel.build()->source();
  info.name = take_name();
  launch.setup.launch = info.id;
  launch.setup.groups = info.groups();
  launch.setup.local = info.local;
  launch.setup.selection = session_.selection();
  launch.setup.group_memory = session_.settings().group_memory;
  if (guard_.is_on() && launch.build->has_own_twin()) launch.setup.guard = &guard_;
  for (const SiteInfo& site : description->sites)
    launch.finds_addresses |= has_address(site.kind) && site.object.kind == StaticObject::Kind::Unknown;
  return true;
}

// In an out-of-order queue a launch waits for its wait list and the last barrier; a marker without a list
// would wait for everything. In an in-order queue the marker comes behind everything as the launch does.
cl_int Launches::add_marker(const EnqueueRequest& request, Launch& launch) {
  std::vector<cl_event> events(request.wait_list, request.wait_list + request.wait_count);
  if (is_out_of_order(request.queue)) {
    const auto barrier = barriers_.find(request.queue);
    if (barrier != barriers_.end()) events.push_back(barrier->second);
    if (events.empty()) return CL_SUCCESS;
  }
  return api->clEnqueueMarkerWithWaitList(request.queue, static_cast<cl_uint>(events.size()),
                                          events.empty() ? nullptr : events.data(), &launch.marker);
}

cl_int Launches::enqueue_gated(const EnqueueRequest& request, cl_kernel kernel,
                               std::unique_ptr<Launch> launch, const std::string& key) {
  launch->owner = this;
  cl_int status = CL_SUCCESS;
  launch->gate = api->clCreateUserEvent(launch->context, &status);
  if (launch->gate == nullptr) return status;
  status = add_marker(request, *launch);
  std::vector<cl_event> events(request.wait_list, request.wait_list + request.wait_count);
  events.push_back(launch->gate);
  cl_event end = nullptr;
  EnqueueRequest gated = request;
  gated.wait_count = static_cast<cl_uint>(events.size());
  gated.wait_list = events.data();
  gated.event = &end;
  if (status == CL_SUCCESS) status = enqueue_original(gated, kernel);
  if (status != CL_SUCCESS) {
    if (launch->marker != nullptr) api->clReleaseEvent(launch->marker);
    api->clSetUserEventStatus(launch->gate, CL_COMPLETE);
    api->clReleaseEvent(launch->gate);
    return status;
  }
  try {
    session_.begin_launch(launch->info, key);
  } catch (const std::exception& error) {
    session_.report_untraced(error.what());
  }
  session_.count_launch();
  Launch* pending = launch.release();  // our thread's from now on
  // Many launches may be on their way; the build has these too.
  pending->info.source = {};
  if (pending->build) pending->info.kernel = {};
  api->clSetEventCallback(end, CL_COMPLETE, &Launches::on_end, pending);
  if (request.event != nullptr)
    *request.event = end;
  else
    api->clReleaseEvent(end);
  if (pending->marker == nullptr) {
    make_ready(pending);
  } else {
    api->clSetEventCallback(pending->marker, CL_COMPLETE, &Launches::on_ready, pending);
    api->clFlush(request.queue);
  }
  return CL_SUCCESS;
}

void Launches::note_barrier(cl_command_queue queue, cl_event barrier) {
  const std::lock_guard lock(enqueue_mutex_);
  cl_event& last = barriers_[queue];
  if (last != nullptr) api->clReleaseEvent(last);
  last = barrier;
}

void CL_CALLBACK Launches::on_ready(cl_event, cl_int, void* launch) {
  static_cast<Launch*>(launch)->owner->make_ready(static_cast<Launch*>(launch));
}

void CL_CALLBACK Launches::on_end(cl_event, cl_int status, void* launch) {
  auto* ended = static_cast<Launch*>(launch);
  Launches& owner = *ended->owner;
  owner.allocations_.end_launch();
  const std::lock_guard lock(owner.mutex_);
  ended->ended = Clock::now();
  ended->status = status;
  ++owner.unsettled_;
  // It failed before it could run, and its marker may never say so.
  if (!ended->is_queued) owner.queue(ended);
  owner.changed_.notify_all();
}

void Launches::make_ready(Launch* launch) {
  const std::lock_guard lock(mutex_);
  if (!launch->is_queued) queue(launch);
}

void Launches::queue(Launch* launch) {
  launch->is_queued = true;
  ready_.push_back(launch);
  changed_.notify_all();
  if (running_) return;
  running_ = true;
  // The application's signals are for its own threads.
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  std::thread([this] { run(); }).detach();
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

void Launches::run() {
  for (;;) {
    Launch* launch = nullptr;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !ready_.empty(); });
      launch = ready_.front();
      ready_.pop_front();
    }
    try {
      record(*launch);
    } catch (const std::exception& error) {
      session_.report_untraced(error.what());
    }
    const std::lock_guard lock(mutex_);
    // Of one that failed a call-back may still come.
    if (launch->status == CL_COMPLETE) delete launch;
    --unsettled_;
    changed_.notify_all();
  }
}

void Launches::record(Launch& launch) {
  const KernelInfo& kernel = launch.build ? *launch.setup.kernel : *launch.info.kernel;
  std::unique_ptr<Recorder> recorder;
  if (!session_.settings().time_only) {
    if (launch.finds_addresses) launch.setup.others = memory_.placed(launch.context);
    recorder = std::make_unique<Recorder>(launch.setup, session_);
    // All that precedes the launch is done, and it waits for its gate.
    session_.note_unwritten(launch.info.id, allocations_.unwritten(launch.setup.buffers()));
    allocations_.begin_launch(launch.info.id);
  }
  std::optional<FaultEvents> faults;
  if (recorder) faults.emplace(session_.events());
  const Clock::time_point opened = Clock::now();
  const std::string stopped = let_run(launch);
  faults.reset();
  // Not before: PoCL still uses a marker that it completes because an event of its list failed.
  if (launch.status == CL_COMPLETE) {
    api->clReleaseEvent(launch.gate);
    if (launch.marker != nullptr) api->clReleaseEvent(launch.marker);
  }
  const bool has_begun = recorder && recorder->first_begin() != Clock::time_point();
  const Clock::time_point begun = has_begun ? recorder->first_begin() : opened;
  LaunchEnd end;
  end.seconds = std::max(0.0, std::chrono::duration<double>(launch.ended - begun).count());
  end.has_run = launch.status == CL_COMPLETE || has_begun;
  end.failure = stopped.empty() ? launch.failed : stopped;
  end.is_of_program = !launch.failed.empty();
  if (recorder && !stopped.empty()) recorder->abandon();
  if (!end.has_run) end.failure = fmt::format("did not run: its event says {}", launch.status);
  RecorderTotals totals;
  if (recorder) {
    finish(*recorder, launch, end.failure);
    totals = recorder->totals();
    end.totals = &totals;
    if (end.failure.empty()) end.failure = left_out_report(totals);
  }
  session_.end_launch(launch.info.id, kernel, end);
  if (!stopped.empty()) [[maybe_unused]]
    auto* const still_used = recorder.release();
}

/// Opens the gate and waits for the end. Why the kernel was stopped, or nothing.
std::string Launches::let_run(Launch& launch) {
  std::unique_lock lock(mutex_);
  is_recording_ = true;
  lock.unlock();
  api->clSetUserEventStatus(launch.gate, CL_COMPLETE);
  lock.lock();
  changed_.wait(lock, [&] { return launch.status <= CL_COMPLETE || !stopped_.empty(); });
  is_recording_ = false;
  launch.failed = std::exchange(failed_, {});
  if (!stopped_.empty()) launch.ended = Clock::now();
  return std::exchange(stopped_, {});
}

void Launches::stop(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!is_recording_ || !stopped_.empty()) return;
  stopped_ = why;
  ++unsettled_;
  changed_.notify_all();
}

void Launches::note_failure(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (is_recording_ && failed_.empty()) failed_ = why;
}

void Launches::finish(const Recorder& recorder, const Launch& launch, std::string& failure) {
  try {
    recorder.check();
  } catch (const std::exception& error) {
    if (failure.empty()) failure = error.what();
  }
  const auto addresses = recorder.argument_addresses();
  for (std::size_t index = 0; index < addresses.size(); ++index)
    if (addresses[index] != 0 && launch.parts[index].buffer.value() != 0)
      memory_.learn_address(launch.parts[index], addresses[index]);
}

void Launches::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::seconds(5), [this] { return unsettled_ == 0; });
}

}  // namespace warpscope::layer
