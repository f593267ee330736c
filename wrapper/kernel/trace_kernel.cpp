#include "wrapper/kernel/trace_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "machine/execute/fault.h"
#include "passes/driver/pipeline.h"
#include "passes/driver/subprocess.h"
#include "passes/driver/work_directory.h"
#include "traces/base/error.h"
#include "traces/base/printable.h"
#include "traces/files/output_file.h"
#include "traces/files/text_file.h"
#include "wrapper/kernel/architecture.h"
#include "wrapper/kernel/compiled_registers.h"
#include "wrapper/kernel/open_sizes.h"
#include "wrapper/launch/build_options.h"
#include "wrapper/machine/machine_capture.h"
#include "wrapper/machine/machine_program.h"
#include "wrapper/recording/summary.h"
#include "wrapper/run/available_memory.h"
#include "wrapper/run/capture_launch.h"
#include "wrapper/run/pass_options.h"
#include "wrapper/run/signal_guard.h"
#include "wrapper/run/verify.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// What the user typed, if that is not trace-kernel: warpscope sets it for the example of what asks for arguments.
constexpr const char* kCommandVariable = "WARPSCOPE_COMMAND";
/// PoCL's file NAME.so has at most 255 characters.
constexpr std::size_t kLongestKernelName = 252;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string read_source(const std::string& path, const char* what) {
  if (std::error_code error; fs::is_fifo(path, error))
    throw InputError(fmt::format("{}: is a pipe, expected a file: it is read more than once", path));
  std::string text = read_text_file(path, what);
  if (text.find('\0') != std::string::npos)
    throw InputError(fmt::format("{}: not a text file, expected {}", path, what));
  return text;
}

/// Which files describe the job: the kernel's source and the launch.
struct Inputs {
  std::string source_path;
  std::string source_name;  ///< without directories
  LaunchDescription launch;
};

Inputs find_inputs(const TraceRequest& request) {
  Inputs inputs;
  inputs.source_path = request.file;
  inputs.launch = request.launch;
  if (looks_like_sim(
          read_source(request.file, is_cuda_file(request.file) ? "a CUDA file" : "an OpenCL C file"))) {
    inputs.launch = merge(inputs.launch, read_launch_file(request.file, request.size));
    inputs.source_path = inputs.launch.program.value_or("");
    read_source(inputs.source_path, "the program that the .sim file names");
  } else if (request.launch_file) {
    inputs.launch = merge(inputs.launch, read_launch_file(*request.launch_file, request.size));
  } else {
    bool found = false;
    for (const char* extension : {".launch", ".sim"}) {
      const fs::path sibling = fs::path(request.file).replace_extension(extension);
      // A pipe of that name has not been named by anyone, and nobody may ever write to it.
      if (std::error_code too_long; !fs::is_regular_file(sibling, too_long)) continue;
      inputs.launch = merge(inputs.launch, read_launch_file(sibling.string(), request.size));
      found = true;
      break;
    }
    if (!found && !request.size.empty())
      throw InputError(fmt::format("--size {}: there is no launch file next to {}, expected {}", request.size,
                                   request.file,
                                   fs::path(request.file).filename().replace_extension(".launch").string()));
  }
  inputs.source_name = printable(fs::path(inputs.source_path).filename().string());  // of one line
  return inputs;
}

/// NAME or NAME(parameters).
bool is_macro_name(const std::string& text) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const auto end = std::find_if_not(text.begin(), text.end(), is_letter);
  return end != text.begin() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         (end == text.end() || *end == '(');
}

std::vector<std::string> compiler_options(const LaunchDescription& launch) {
  std::vector<std::string> options = split_build_options(launch.build_options);
  for (const auto& [name, value] : launch.defines) {
    if (!is_macro_name(name))
      throw InputError(
          fmt::format("define '{}': not a macro's name, expected -D NAME or -D NAME=VALUE", name));
    options.push_back(fmt::format("-D{}={}", name, value));
  }
  return options;
}

void make_dump_directory(const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw InputError(fmt::format("--dump-buffers {}: {}", directory, error.message()));
}

template <class Run>
void dump_buffers(Run& run, const ResolvedLaunch& launch, const std::string& directory) {
  for (std::size_t index = 0; index < launch.arguments.size(); ++index) {
    const ResolvedArgument& argument = launch.arguments[index];
    if (argument.parameter.kind != ParameterSignature::Kind::Buffer || argument.is_null) continue;
    OutputFile file((fs::path(directory) / (argument.parameter.name + ".bin")).string());
    file.write(run.read(index));
    file.commit();
  }
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
    if (!resolve() || (is_cuda() && !machine_ && !can_run())) return kExitNotTraceable;
    if (request_.run_only) return run_plain(*request_.run_only);
    if (machine_) return run_machine();
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
    const KernelSignature& kernel = choose_kernel(kernels, inputs_.launch, inputs_.source_name);
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
    const char* const command = std::getenv(kCommandVariable);
    return {dimensions_of(read_source(inputs_.source_path, "the kernel's source")), is_cuda(),
            command != nullptr ? command : ""};
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

  int run_machine() {
    try {
      return record_machine();
    } catch (const machine::ExecutionFault& fault) {
      say(fmt::format("trace-kernel: {}\n", fault.what()));
      return kExitNotTraceable;
    }
  }

  int record_machine() {
    MachineRun run(machine_->cubin, launch_);
    const MachineKernel kernel = describe_machine_kernel(run, kernel_info(), machine_->from);
    const LaunchObjects objects = number_objects(launch_, kernel.described.info);
    const LaunchInfo info = launch_info(kernel.described.info, objects);
    const CaptureReport report = capture_machine_launch(run, kernel, info, objects, capture_settings(info));
    if (request_.dump_directory) dump_buffers(run, launch_, *request_.dump_directory);
    say(summary(info, report));
    const auto instructions = static_cast<double>(run.launch().instructions());
    say(fmt::format("  machine code: {}; {:.0f} instructions of warps, {:.1f} M/s\n", machine_->from,
                    instructions, instructions / report.run_seconds * 1e-6));
    return warn(report.totals, kernel.described.info);
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

  /// A signal ends the compiler, and us after the directory is gone.
  template <class Work>
  static void interruptible(const Work& work) {
    const SignalGuard signals(end_running_process);
    try {
      work();
    } catch (const InputError&) {
      if (SignalGuard::received() == 0) throw;
    }
    if (SignalGuard::received() != 0) die_of(SignalGuard::received());
  }

  void compile_in_directory() {
    const Clock::time_point start = Clock::now();
    // Gone before the launch: Ctrl-C may end the process there without another chance to tidy up.
    const WorkDirectory directory("trace-kernel", request_.keep_directory);
    const CompileRequest request = compile_request(
        directory.path(), pass_options(request_.address_spaces, request_.boxes && !request_.record_order,
                                       request_.addresses_only));
    if (request_.run_only && !is_cuda()) {
      program_.signatures = kernel_signatures(request);
      return;
    }
    program_ = compile_for_capture(request);
    if (!request_.registers_for.empty()) count_registers(request);
    if (request_.machine) machine_ = compile_for_execution(request, *request_.machine);
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
    const LaunchInfo info = launch_info(kernel_info(), objects);
    CaptureReport report = capture_launch(traced, info, objects, capture_settings(info));
    say(summary(info, report));
    return report;
  }

  [[nodiscard]] LaunchInfo launch_info(const KernelInfo& kernel, const LaunchObjects& objects) const {
    LaunchInfo info = describe_launch(launch_, kernel, objects);
    info.build_options = portable_options(compiler_options_);
    info.optimize = name_of(request_.optimize);
    info.source_name = inputs_.source_name;
    info.source = read_text_file(inputs_.source_path, "the kernel's source");
    info.sampling = request_.work_groups.of(info);
    return info;
  }

  [[nodiscard]] CaptureSettings capture_settings(const LaunchInfo& info) const {
    CaptureSettings settings;
    settings.output = output_path();
    settings.options_text = fmt::format("trace-kernel {} --optimize {}{}{}{}", inputs_.source_name,
                                        *info.optimize, request_.record_order ? " --record-order" : "",
                                        request_.skip_others ? " --skip-others" : "",
                                        request_.addresses_only ? " --addresses-only" : "");
    settings.size_limit = request_.size_limit;
    settings.record_order = request_.record_order;
    settings.group_memory = request_.group_memory.value_or(default_group_memory());
    settings.count_only = request_.count_only;
    settings.skip_others = request_.skip_others;
    settings.resume = request_.resume;
    return settings;
  }

  [[nodiscard]] std::string output_path() const {
    return request_.output.empty() ? fs::path(inputs_.source_name).stem().string() + ".wtrace"
                                   : request_.output;
  }

  [[nodiscard]] std::string summary(const LaunchInfo& info, const CaptureReport& report) const {
    const auto accesses = static_cast<double>(access_count(info.kernel, report.totals));
    std::string text =
        fmt::format("{}: kernel {}, global {}x{}x{}, local {}x{}x{}, {} work-groups\n", inputs_.source_name,
                    info.kernel->name, info.global.x, info.global.y, info.global.z, info.local.x,
                    info.local.y, info.local.z, info.groups().count());
    if (report.found != 0)
      text += fmt::format(
          "  {} work-groups were recorded before, and are in none of the numbers but the file's size\n",
          report.found);
    text += request_.count_only ? site_table(info.kernel, report.totals)
                                : access_table(info.kernel, report.totals);
    text += fmt::format(
        "  compiled in {:.3f} s + {:.3f} s by PoCL at the launch; ran and recorded in {:.3f} s, {:.1f} M "
        "accesses/s\n",
        compile_seconds_, report.start_seconds, report.run_seconds, accesses / report.run_seconds * 1e-6);
    const double per_access = accesses > 0 ? 1.0 / accesses : 0;
    if (request_.count_only)
      return text + fmt::format(
                        "  nothing written; a capture holds {} bytes before compression ({:.4f} per access); "
                        "recording takes {:.1f} MiB of memory\n",
                        report.totals.encoded_bytes,
                        static_cast<double>(report.totals.encoded_bytes) * per_access,
                        static_cast<double>(report.totals.peak_memory_bytes) / 1048576.0);
    return text + fmt::format("  {}: {} bytes, {:.5f} per access\n", output_path(), report.file_bytes,
                              static_cast<double>(report.file_bytes) * per_access);
  }

  /// Reports what is missing from the capture or wrong in the kernel.
  int warn(const RecorderTotals& totals, const KernelInfo& kernel) {
    const std::string outside = out_of_bounds_report(kernel, totals);
    say(outside);
    const std::string left_out = left_out_report(totals);
    if (!left_out.empty()) say(fmt::format("trace-kernel: {}\n", left_out));
    if (kernel.untraceable.empty()) return left_out.empty() && outside.empty() ? kExitOk : kExitNotTraceable;
    for (const std::string& what : kernel.untraceable)
      say(fmt::format("trace-kernel: not traced: {}\n", what));
    return kExitNotTraceable;
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
  std::optional<MachineProgram> machine_;
  std::vector<std::uint8_t> instrumented_, optimised_;
  double compile_seconds_ = 0;
};

}  // namespace

int trace_kernel(const TraceRequest& request) {
  if (request.threads) setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(*request.threads).c_str(), 1);
  return TraceKernel(request).run();
}

}  // namespace warpscope
