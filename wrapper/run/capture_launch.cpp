#include "wrapper/run/capture_launch.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "traces/base/error.h"
#include "traces/base/progress.h"
#include "traces/capture/writer.h"
#include "wrapper/device/kernel_cache.h"
#include "wrapper/device/kernel_stop.h"
#include "wrapper/recording/fault_handlers.h"
#include "wrapper/run/capture_sink.h"
#include "wrapper/run/group_calls.h"
#include "wrapper/run/patience_note.h"
#include "wrapper/run/signal_guard.h"

namespace warpscope {
namespace {

using Clock = Recorder::Clock;

double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

KernelFault seen_fault;
std::atomic<bool> has_fault = false;  ///< seen_fault is complete
std::function<void()>* report_fault = nullptr;

// In the signal handler. The main thread reports, because here hardly anything is allowed; this thread waits
// for the end of the process.
void stop_thread(const KernelFault& fault) {
  static std::atomic<bool> is_first = true;
  if (is_first.exchange(false)) {
    seen_fault = fault;
    has_fault.store(true, std::memory_order_release);
    if (::syscall(SYS_gettid) == ::getpid()) (*report_fault)();  // PoCL's device without threads
  }
  timespec left{20, 0};
  while (::nanosleep(&left, &left) != 0) {
  }
  constexpr std::string_view kText = "trace-kernel: the kernel faulted, and so did the report about it\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(kExitNotTraceable);
}

std::atomic<bool> is_stopped = false;

/// In the thread that runs the kernel, which then stays in it. Why has been said.
void note_stop(device::StopReason /*reason*/, const std::string& /*text*/) {
  is_stopped.store(true, std::memory_order_release);
  if (::syscall(SYS_gettid) == ::getpid()) (*report_fault)();  // PoCL's device without threads
}

class Session {
 public:
  Session(KernelRun& run, const LaunchInfo& info, const LaunchObjects& objects,
          const CaptureSettings& settings)
      : run_(run), info_(info), settings_(settings) {
    if (!settings.count_only) open_writer(objects);
    notes_ = notes_of(info, objects);
    sink_ = CaptureSink(writer_.get());
    RecorderSetup setup;
    setup.kernel = &*info.kernel;
    setup.launch = info.id;
    setup.groups = info.groups();
    setup.local = info.local;
    setup.selection = GroupSelection::parse(info.sampling).without(found_);
    setup.arguments = objects.arguments;
    setup.objects = objects.objects;
    setup.record_order = settings.record_order;
    setup.group_memory = settings.group_memory;
    change_calls(setup);
    recorder_ = std::make_unique<Recorder>(setup, sink_);
  }

  CaptureReport capture() {
    CaptureReport report;
    report.found = found_.size();
    if (found_.empty() || recorder_->work_groups_expected() != 0) run(report);
    const Clock::time_point ran = Clock::now();
    report.totals = recorder_->totals();
    if (writer_) {
      writer_->finish(notes_);
      std::error_code no_file;  // standard output, a pipe, a device
      report.file_bytes = std::filesystem::file_size(settings_.output, no_file);
      if (no_file) report.file_bytes = writer_->bytes_written();
    }
    report.run_seconds += seconds(Clock::now() - ran);
    return report;
  }

 private:
  void run(CaptureReport& report) {
    const SignalGuard signals;
    std::function<void()> on_main_thread = [this] { faulted(); };
    report_fault = &on_main_thread;
    device::set_stop_handler(&note_stop);
    auto threads = threads_of_process();
    std::erase(threads, ::getpid());
    give_alternate_stacks(threads);
    ensure_alternate_stack();
    const Clock::time_point enqueued = Clock::now();
    {
      const FaultHandlers handlers(stop_thread);
      compiling_.emplace(std::chrono::seconds(2), [name = info_.kernel->name] {
        return fmt::format("trace-kernel: compiling {} …\n", name);
      });
      run_.enqueue();
      wait();
      run_.finish();
    }
    recorder_->check();
    report.start_seconds = seconds(recorder_->first_begin() - enqueued);
    report.run_seconds = seconds(Clock::now() - recorder_->first_begin());
  }

  void change_calls(const RecorderSetup& setup) {
    GroupCallsSetup calls{setup.launch, setup.groups, std::nullopt, settings_.order};
    if (settings_.skip_others) calls.selection = setup.selection;
    if (settings_.skip_others || settings_.order.kind != GroupOrder::Kind::Ascending) calls_.emplace(calls);
  }

  void open_writer(const LaunchObjects& objects) {
    CaptureWriter::Options options;
    options.options_text = settings_.options_text;
    options.size_limit = settings_.size_limit;
    options.goes_on = settings_.resume;
    writer_ = std::make_unique<CaptureWriter>(settings_.output, options);
    for (const BufferInfo& buffer : objects.buffers) writer_->add_buffer(buffer);
    writer_->add_launch(info_);
    found_ = writer_->found();
  }

  void wait() {
    const std::uint64_t groups = recorder_->work_groups_expected();
    Progress progress(info_.kernel->name, groups, "work-groups", how_to_take_less(groups));
    while (!recorder_->wait(std::chrono::milliseconds(50))) {
      if (recorder_->first_begin() != Clock::time_point()) {
        compiling_.reset();
        progress.update(recorder_->work_groups_done());
      }
      look_around();
      if (run_.has_ended()) return;
    }
    compiling_.reset();
    stop_on_failure();
    // Work-groups that are not recorded may still run, and long.
    auto pause = std::chrono::microseconds(50);
    while (!run_.has_ended()) {
      look_around();
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, std::chrono::microseconds(20'000));
    }
  }

  /// For a launch of which `groups` work-groups are to be recorded; "" where they were chosen.
  [[nodiscard]] std::string how_to_take_less(std::uint64_t groups) const {
    if (found_.size() + groups != info_.groups().count()) return "";
    const std::string start =
        "trace-kernel: this takes a while; --work-groups waves:3 or random-cores:10 with --gpu records a "
        "part";
    return settings_.output == "-" || settings_.count_only
               ? start
               : start + "; after Ctrl-C, --resume goes on from there";
  }

  void stop_on_failure() {
    if (recorder_->is_complete()) return;
    try {
      recorder_->check();
    } catch (const std::exception& error) {
      close_part();
      leave_running_kernel(error.what(), kExitBadInput);
    }
  }

  void look_around() {
    if (has_fault.load(std::memory_order_acquire) || is_stopped.load(std::memory_order_acquire)) faulted();
    if (SignalGuard::received() != 0) interrupted();
  }

  void close_part() {
    recorder_->abandon();
    writer_.reset();
  }

  /// After close_part().
  [[nodiscard]] std::string part_note() const {
    const std::string part = settings_.output + ".part";
    std::error_code error;
    if (settings_.count_only || settings_.output == "-" || !std::filesystem::exists(part, error)) return {};
    return fmt::format("; what is recorded is in {0} (trace-view --partial {0})", part);
  }

  [[noreturn]] void interrupted() {
    const int signal = SignalGuard::received();
    close_part();
    const std::string part = part_note();
    leave_running_kernel(fmt::format("interrupted after {} of {} work-groups{}{}",
                                     found_.size() + recorder_->work_groups_done(), info_.groups().count(),
                                     part, part.empty() ? "" : "; --resume goes on from there"),
                         128 + signal);
  }

  [[noreturn]] void faulted() {
    close_part();
    leave_running_kernel(
        fmt::format("{}; {} of {} work-groups were complete{}",
                    is_stopped.load() ? fmt::format("kernel '{}' was stopped", info_.kernel->name)
                                      : describe(seen_fault, info_.kernel),
                    recorder_->work_groups_done(), recorder_->work_groups_expected(), part_note()),
        kExitNotTraceable);
  }

  KernelRun& run_;
  const LaunchInfo& info_;
  const CaptureSettings& settings_;
  std::unique_ptr<CaptureWriter> writer_;
  nlohmann::json notes_;
  std::vector<WorkGroupId> found_;  ///< recorded by a run before this one
  CaptureSink sink_{nullptr};
  std::optional<GroupCalls> calls_;
  std::unique_ptr<Recorder> recorder_;
  std::optional<PatienceNote> compiling_;
};

}  // namespace

/// PoCL offers no way to stop a running kernel, and its threads still use the recorder: nothing may be
/// destroyed.
void leave_running_kernel(const std::string& message, int status) {
  const char* const clear = ::isatty(STDERR_FILENO) == 0 ? "" : "\r\033[K";  // of its progress
  std::fputs(fmt::format("{}trace-kernel: {}\n", clear, message).c_str(), stderr);
  std::fflush(stderr);
  device::remove_private_kernel_cache();
  std::_Exit(status);
}

LaunchObjects number_objects(const ResolvedLaunch& launch, const KernelInfo& kernel) {
  LaunchObjects result;
  const auto number = [&](const std::string& name, AddressSpace space, std::uint64_t size) {
    const BufferId id(static_cast<std::uint32_t>(result.buffers.size() + 1));
    result.buffers.push_back(
        {id, name, space, size, space == AddressSpace::Constant ? "read_only" : "read_write"});
    return TracedObject{id, size, space};
  };
  for (std::size_t index = 0; index < launch.arguments.size(); ++index) {
    const ResolvedArgument& argument = launch.arguments[index];
    const bool is_memory = argument.parameter.kind != ParameterSignature::Kind::Value && !argument.is_null;
    result.arguments.push_back(
        is_memory ? number(argument.parameter.name, kernel.arguments[index].space, argument.size)
                  : TracedObject{});
    if (is_memory && argument.fill == Fill::Kind::None)
      result.unwritten.parts.push_back({result.arguments.back().id, 0, argument.size});
  }
  for (const ObjectInfo& object : kernel.objects)
    result.objects.push_back(number(object.name, object.space, object.size));
  return result;
}

nlohmann::json notes_of(const LaunchInfo& info, const LaunchObjects& objects) {
  if (objects.unwritten.parts.empty()) return {};
  return {{kUnwrittenList, nlohmann::json::array({unwritten_json(info.id, objects.unwritten)})}};
}

LaunchInfo describe_launch(const ResolvedLaunch& launch, const KernelInfo& kernel,
                           const LaunchObjects& objects) {
  LaunchInfo info;
  info.kernel = kernel;
  info.dimensions = launch.dimensions;
  info.global = launch.global;
  info.local = launch.local;
  info.offset = launch.offset;
  for (std::size_t index = 0; index < launch.arguments.size(); ++index) {
    const ResolvedArgument& argument = launch.arguments[index];
    ArgumentValue value;
    if (argument.parameter.kind == ParameterSignature::Kind::Buffer)
      value.buffer = objects.arguments[index].id;
    else
      value.value = argument.text;
    if (argument.parameter.kind == ParameterSignature::Kind::Local) info.dynamic_local_bytes += argument.size;
    info.arguments.push_back(value);
  }
  for (const TracedObject& object : objects.objects) info.objects.push_back(object.id);
  return info;
}

CaptureReport capture_launch(KernelRun& run, const LaunchInfo& info, const LaunchObjects& objects,
                             const CaptureSettings& settings) {
  return Session(run, info, objects, settings).capture();
}

}  // namespace warpscope
