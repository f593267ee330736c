#include "wrapper/kernel/trace_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "passes/driver/pipeline.h"
#include "passes/driver/work_directory.h"
#include "traces/base/error.h"
#include "traces/files/text_file.h"
#include "wrapper/kernel/architecture.h"
#include "wrapper/kernel/compiled_registers.h"
#include "wrapper/kernel/machine_trace.h"
#include "wrapper/kernel/open_sizes.h"
#include "wrapper/kernel/user_command.h"
#include "wrapper/machine/machine_program.h"
#include "wrapper/machine/program/device_file.h"
#include "wrapper/recording/summary.h"
#include "wrapper/run/available_memory.h"
#include "wrapper/run/capture_launch.h"
#include "wrapper/run/pass_options.h"
#include "wrapper/run/signal_guard.h"
#include "wrapper/run/verify.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

/// PoCL's file NAME.so has at most 255 characters.
constexpr std::size_t kLongestKernelName = 252;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

class TraceKernel {
 public:
  explicit TraceKernel(const TraceRequest& request)
      : request_(request),
        inputs_(find_inputs(request)),
        compiler_options_(compiler_options(inputs_.launch)),
        device_(request.run_only ? OpenClDevice::Choice::First : OpenClDevice::Choice::PoclCpu) {}

  int run() {
    check_options();
    compile();  // which gives the signatures, too
    if (is_code_only_) return trace_code(request_, inputs_, machine_, job().source, compile_seconds_);
    if (!resolve() || (is_cuda() && machine_.empty() && !can_run())) return kExitNotTraceable;
    if (request_.run_only) return run_plain(*request_.run_only);
    if (!machine_.empty())
      return record_machine(job(), machine_.front(), launch_, kernel_info(), compile_seconds_);
    if (!fits_device(launch_, kernel_info())) return kExitNotTraceable;
    KernelRun traced(device_, launch_, instrumented_, kBitcodeBuildOptions);
    const CaptureReport report = capture(traced);
    if (request_.dump_directory) dump_buffers(traced, launch_, *request_.dump_directory);
    int status = warn(report.totals, kernel_info());
    if (request_.verify && !verify(traced)) status = kExitNotTraceable;
    return status;
  }

 private:
  /// What is better known before the launch than after.
  void check_options() const {
    if (!request_.registers_for.empty()) (void)architecture_of(request_.registers_for, "--registers");
    if (request_.machine) (void)architecture_of(*request_.machine, "--machine");
    if (request_.dump_directory) make_dump_directory(*request_.dump_directory);
  }

  /// False if the kernel takes what cannot be traced.
  bool resolve() {
    const auto kernels = parse_signatures(program_.signatures);
    if (is_cuda()) find_cuda_kernel(inputs_.launch, kernels, inputs_.source_name);
    LaunchLimits limits;
    limits.local_items = std::min<std::uint64_t>(limits.local_items, device_.max_work_group_size());
    if (is_cuda()) limits.local_items = std::min(limits.local_items, kLargestCudaBlock);
    // The content and each run's copy; --verify makes a second run and reads the buffers of both.
    limits.memory_bytes = std::min(limits.memory_bytes, available_memory() / (request_.verify ? 5 : 2));
    KernelSignature kernel = choose_kernel(kernels, inputs_.launch, inputs_.source_name);
    if (request_.machine) settle_textures(kernel, inputs_.launch);
    if (request_.machine) settle_tensors(kernel, inputs_.launch);
    if (takes_untraceable_arguments(kernel)) return false;
    complete_cuda_launch(inputs_.launch, kernel, request_.cuda);
    const auto resolved = resolve_with_sizes(
        device_, inputs_.launch, kernel, limits,
        {[this](const ResolvedLaunch& launch) { return compile_addresses(launch); },
         [this](const ResolvedLaunch& launch, const KernelInfo& info) { return fits_device(launch, info); }},
        example());
    if (!resolved) return false;
    launch_ = *resolved;
    for (const std::string& note : launch_.notes) say(fmt::format("trace-kernel: inferred: {}\n", note));
    return true;
  }

  [[nodiscard]] LaunchExample example() const {
    return {dimensions_of(read_source(inputs_.source_path, "the kernel's source")), is_cuda(),
            user_command()};
  }

  /// Nothing but the addresses of the launch's kernel.
  [[nodiscard]] AddressCode compile_addresses(const ResolvedLaunch& launch) const {
    AddressCode result;
    interruptible([&] {
      const WorkDirectory directory("trace-kernel");
      const CompiledProgram program =
          compile_for_capture(compile_request(directory.path(), pass_options(std::nullopt, true, true)));
      result = {described(program, launch), read_bytes(program.instrumented_path)};
    });
    return result;
  }

  [[nodiscard]] CaptureJob job() const {
    return {request_, inputs_.source_name, inputs_.source_name,
            read_text_file(inputs_.source_path, "the kernel's source"), compiler_options_};
  }

  [[nodiscard]] bool is_cuda() const { return is_cuda_file(inputs_.source_name); }

  /// What cannot be traced of a CUDA kernel cannot be executed here either: warp functions, inline PTX.
  [[nodiscard]] bool can_run() const {
    for (const std::string& what : kernel_info().untraceable)
      say(fmt::format("trace-kernel: kernel '{}' cannot run here: {}\n", launch_.kernel.name, what));
    return kernel_info().untraceable.empty();
  }

  /// PoCL does not refuse these, it ends the process.
  [[nodiscard]] bool fits_device(const ResolvedLaunch& launch, const KernelInfo& kernel) const {
    const std::size_t name = launch.kernel.symbol.size();
    if (name > kLongestKernelName) {
      say(fmt::format(
          "trace-kernel: {}: the name of kernel '{}…' has {} characters, expected at most {} (PoCL names "
          "files after it)\n",
          inputs_.source_name, launch.kernel.symbol.substr(0, 40), name, kLongestKernelName));
      return false;
    }
    const auto aligned = [](std::uint64_t bytes) {
      return (bytes + 127) / 128 * 128;
    };  // as PoCL places them
    const std::uint64_t most = device_.local_memory();
    std::uint64_t own = 0;
    std::uint64_t given = 0;
    for (const ObjectInfo& object : kernel.objects)
      if (object.space == AddressSpace::Local) own += aligned(object.size);
    for (const ResolvedArgument& argument : launch.arguments)
      if (argument.parameter.kind == ParameterSignature::Kind::Local) given += aligned(argument.size);
    if (own > most) {
      say(fmt::format(
          "trace-kernel: {}: kernel '{}' has {} bytes of local memory, expected at most {} (PoCL's "
          "CPU device)\n",
          inputs_.source_name, launch.kernel.name, own, most));
      return false;
    }
    if (own + given > most)
      throw InputError(
          fmt::format("kernel '{}': {} bytes of local memory in its arguments and {} of its own, expected "
                      "at most {} together (PoCL's CPU device)",
                      launch.kernel.name, given, own, most));
    return true;
  }

  [[nodiscard]] bool takes_untraceable_arguments(const KernelSignature& kernel) const {
    bool found = false;
    for (const ParameterSignature& parameter : kernel.parameters) {
      if (parameter.kind != ParameterSignature::Kind::Unsupported) continue;
      say(fmt::format(
          "trace-kernel: {}:{}: kernel '{}': argument '{}' is of type {}, which cannot be traced; "
          "expected buffers, local memory and values\n",
          inputs_.source_name, kernel.line, kernel.name, parameter.name, parameter.type));
      found = true;
    }
    return found;
  }

  int run_plain(const std::string& bitcode) {
    KernelRun plain(device_, launch_, read_bytes(bitcode), kBitcodeBuildOptions);
    plain.enqueue();
    plain.finish();
    if (request_.dump_directory) dump_buffers(plain, launch_, *request_.dump_directory);
    say(fmt::format("trace-kernel: ran '{}' on {}\n", launch_.kernel.name, device_.name()));
    return kExitOk;
  }

  void compile() {
    interruptible([this] { compile_in_directory(); });
  }

  void compile_in_directory() {
    const Clock::time_point start = Clock::now();
    // Gone before the launch: Ctrl-C may end the process there without another chance to tidy up.
    const WorkDirectory directory("trace-kernel", request_.keep_directory);
    const CompileRequest request = compile_request(
        directory.path(), pass_options(request_.address_spaces, request_.boxes && !request_.record_order,
                                       request_.addresses_only, request_.group_order.lanes_descend));
    if (request_.run_only && !is_cuda()) {
      program_.signatures = kernel_signatures(request);
      return;
    }
    if (request_.machine)
      machine_.push_back(compile_for_execution(request, *request_.machine, request_.nvcc_options));
    try {
      program_ = compile_for_capture(request);
    } catch (const InputError& error) {
      // Newer headers and language: names and types are then those of the machine code.
      if (!request_.machine || !is_cuda() || SignalGuard::received() != 0) throw;
      say(
          fmt::format("trace-kernel: Warpscope's clang does not compile {} ({}); its arguments are those of "
                      "nvcc's code\n",
                      inputs_.source_name, first_line(error.what())));
      is_code_only_ = true;
      compile_seconds_ = seconds_since(start);
      return;
    }
    if (!request_.registers_for.empty()) count_registers(request);
    instrumented_ = read_bytes(program_.instrumented_path);
    optimised_ = read_bytes(program_.runnable_path);
    if (!program_.log.empty()) say(program_.log + "\n");
    compile_seconds_ = seconds_since(start);
  }

  [[nodiscard]] CompileRequest compile_request(const std::string& directory,
                                               std::vector<std::string> options) const {
    CompileRequest request;
    request.source_path = inputs_.source_path;
    request.source_name = inputs_.source_name;
    request.work_directory = directory;
    request.options = compiler_options_;
    request.extensions = device_.extensions();
    request.optimize = request_.optimize;
    request.pass_options = std::move(options);
    return request;
  }

  void count_registers(const CompileRequest& request) {
    CompilerAnswer answer;
    try {
      answer = ask_compiler(request, architecture_of(request_.registers_for, "--registers"));
    } catch (const InputError& error) {
      if (!is_auto(request_.registers_for)) throw;
      say(fmt::format("trace-kernel: --registers auto: {}; live values are counted instead\n", error.what()));
      return;
    }
    for (const CompiledRegisters& counted : answer.kernels) {
      for (KernelInfo& kernel : program_.kernels) {
        if (kernel.name != counted.kernel) continue;
        kernel.registers_estimate = counted.registers;
        kernel.registers_from = origin_of(answer, counted);
        say(fmt::format("trace-kernel: kernel '{}' takes {} registers ({}), {}\n", kernel.name,
                        kernel.registers_estimate, kernel.registers_from,
                        counted.knows_spills ? fmt::format("{} bytes are spilled", counted.spill_bytes)
                                             : "spills are not known for this architecture"));
      }
    }
    for (const std::string& name : answer.unresolved)
      say(fmt::format("trace-kernel: --registers: code of {} is not known, counted as a call\n", name));
  }

  [[nodiscard]] const KernelInfo& kernel_info() const { return described(program_, launch_); }

  [[nodiscard]] const KernelInfo& described(const CompiledProgram& program,
                                            const ResolvedLaunch& launch) const {
    for (const KernelInfo& kernel : program.kernels)
      if (kernel.name == launch.kernel.name) return kernel;
    throw std::logic_error(fmt::format("kernel '{}' was compiled but not described", launch.kernel.name));
  }

  CaptureReport capture(KernelRun& traced) {
    const LaunchObjects objects = number_objects(launch_, kernel_info());
    const LaunchInfo info = launch_info(job(), launch_, kernel_info(), objects);
    CaptureReport report = capture_launch(traced, info, objects, capture_settings(job(), info));
    say(summary(job(), info, report, compile_seconds_));
    return report;
  }

  bool verify(KernelRun& traced) {
    KernelRun plain(device_, launch_, optimised_, kBitcodeBuildOptions);
    plain.enqueue();
    plain.finish();
    const auto differences = compare_buffers(traced, plain, launch_);
    if (differences.empty()) {
      say("  verified: all buffers equal those of a run without instrumentation\n");
      return true;
    }
    for (const std::string& difference : differences)
      say(fmt::format("trace-kernel: --verify: {}\n", difference));
    for (const SiteInfo& site : kernel_info().sites) {
      if (site.kind != AccessKind::Atomic) continue;
      say("trace-kernel: the kernel uses atomics: what they return depends on the order of work-items, and "
          "so do sums "
          "of floating-point numbers; two runs without instrumentation may differ in the same way\n");
      break;
    }
    return false;
  }

  const TraceRequest& request_;
  Inputs inputs_;
  std::vector<std::string> compiler_options_;
  OpenClDevice device_;
  ResolvedLaunch launch_;
  CompiledProgram program_;
  std::vector<MachineProgram> machine_;  ///< one with --machine
  bool is_code_only_ = false;            ///< there is nothing but that
  std::vector<std::uint8_t> instrumented_, optimised_;
  double compile_seconds_ = 0;
};

}  // namespace

int trace_kernel(const TraceRequest& request) {
  if (request.threads) setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(*request.threads).c_str(), 1);
  return is_device_file(request.file) ? trace_device_file(request) : TraceKernel(request).run();
}

}  // namespace warpscope
