#include "wrapper/kernel/machine_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "machine/cubin/kernel_source.h"
#include "machine/execute/base/fault.h"
#include "passes/driver/work_directory.h"
#include "traces/base/error.h"
#include "wrapper/counting/machine_counters.h"
#include "wrapper/kernel/architecture.h"
#include "wrapper/kernel/user_command.h"
#include "wrapper/launch/triton/metadata.h"
#include "wrapper/machine/code_signatures.h"
#include "wrapper/machine/machine_capture.h"
#include "wrapper/machine/program/device_file.h"
#include "wrapper/recording/summary.h"
#include "wrapper/run/available_memory.h"

namespace warpscope {
namespace {

/// The kernel that is launched, and its program.
struct ChosenKernel {
  const MachineProgram* program = nullptr;
  KernelSignature kernel;
};

class CodeTrace {
 public:
  CodeTrace(const TraceRequest& request, const Inputs& inputs, const std::vector<MachineProgram>& programs,
            const std::string& source)
      : request_(request), inputs_(inputs), launch_(inputs.launch), programs_(programs) {
    for (const MachineProgram& program : programs) {
      sources_.push_back({inputs.source_name, source});
      if (source.empty())
        sources_.back() = machine::source_of(program.cubin, inputs.source_path, launch_.kernel.value_or(""));
      if (sources_.back().name.empty()) sources_.back().name = inputs.source_name;
    }
  }

  int run(double compile_seconds) {
    std::optional<TritonMetadata> metadata;
    if (!request_.metadata.empty()) metadata = read_triton_metadata(request_.metadata);
    ChosenKernel chosen = choose();
    if (metadata) apply_to_kernel(*metadata, chosen.kernel, launch_);
    add_dynamic(chosen.kernel);
    settle_textures(chosen.kernel, launch_);
    settle_tensors(chosen.kernel, launch_);
    settle_kinds(chosen.kernel, launch_);
    complete_cuda_launch(launch_, chosen.kernel, request_.cuda);
    const ResolvedLaunch launch = resolve(chosen.kernel);
    for (const std::string& note : launch.notes) say(fmt::format("trace-kernel: inferred: {}\n", note));
    const CaptureJob job{request_, inputs_.source_name, source_.name, source_.text, {}};
    return record_machine(job, *chosen.program, launch, described_by(launch.kernel), compile_seconds);
  }

 private:
  ChosenKernel choose() {
    std::vector<KernelSignature> all;
    std::vector<std::size_t> numbers;  // of their programs
    for (std::size_t number = 0; number < programs_.size(); ++number)
      for (KernelSignature& kernel :
           code_signatures(programs_[number].cubin, programs_[number].ptx, sources_[number].text)) {
        all.push_back(std::move(kernel));
        numbers.push_back(number);
      }
    if (all.empty())
      throw InputError(
          fmt::format("{}: no kernel in this file, expected one in its machine code", inputs_.source_name));
    for (const KernelSignature& kernel : all)
      if (launch_.kernel == kernel.symbol) launch_.kernel = kernel.name;
    find_cuda_kernel(launch_, all, inputs_.source_name);
    const KernelSignature& kernel = choose_kernel(all, launch_, inputs_.source_name);
    const std::size_t number = numbers[static_cast<std::size_t>(&kernel - all.data())];
    source_ = sources_[number];
    return {&programs_[number], kernel};
  }

  /// extern __shared__ memory of code that does not say whether it has any.
  void add_dynamic(KernelSignature& kernel) const {
    const bool has_one = std::any_of(
        kernel.parameters.begin(), kernel.parameters.end(),
        [](const ParameterSignature& one) { return one.kind == ParameterSignature::Kind::Local; });
    if (has_one || !request_.cuda.dynamic_shared) return;
    ParameterSignature dynamic;
    dynamic.kind = ParameterSignature::Kind::Local;
    dynamic.name = "dynamic_shared";
    dynamic.type = "extern __shared__";
    kernel.parameters.push_back(std::move(dynamic));
  }

  [[nodiscard]] ResolvedLaunch resolve(const KernelSignature& kernel) const {
    LaunchLimits limits;
    limits.local_items = kLargestCudaBlock;
    limits.memory_bytes = std::min(limits.memory_bytes, available_memory() / 2);
    const LaunchExample example{dimensions_of(source_.text), true, user_command()};
    std::optional<ResolvedLaunch> resolved;
    try {
      resolved = resolve_launch(launch_, kernel, limits);
    } catch (const MissingArguments&) {  // all of them at once
    }
    const std::string missing = missing_arguments(
        launch_, kernel, true, resolved ? std::optional(resolved->global) : std::nullopt, example);
    if (!missing.empty()) throw InputError(missing);
    return *resolved;
  }

  const TraceRequest& request_;
  const Inputs& inputs_;
  LaunchDescription launch_;
  const std::vector<MachineProgram>& programs_;
  std::vector<machine::SourceFile> sources_;  ///< of each program
  machine::SourceFile source_;                ///< of the chosen kernel
};

}  // namespace

namespace {

/// Textures and tensors are values in the source, and buffers here.
KernelInfo with_textures(KernelInfo kernel, const ResolvedLaunch& launch) {
  for (std::size_t index = 0; index < launch.arguments.size(); ++index) {
    const ResolvedArgument& argument = launch.arguments[index];
    if (argument.parameter.kind != ParameterSignature::Kind::Buffer ||
        (!argument.texture && !argument.tensor))
      continue;
    kernel.arguments[index].is_pointer = true;
    kernel.arguments[index].space = AddressSpace::Global;
  }
  return kernel;
}

std::string execution_lines(const MachineRun& run, const std::string& from, double seconds,
                            const std::string& order_dependent, const std::string& in_turns) {
  const auto instructions = static_cast<double>(run.launch().instructions());
  return fmt::format(
      "  machine code: {}; {:.0f} instructions of warps, {:.1f} M/s\n{}{}", from, instructions,
      instructions / seconds * 1e-6,
      order_dependent.empty() ? "" : fmt::format("  order-dependent: {}\n", order_dependent),
      in_turns.empty() ? "" : fmt::format("  work-groups ran in turns on one thread: {}\n", in_turns));
}

/// --counters: returns the exit status.
int count_machine(const CaptureJob& job, MachineRun& run, const MachineKernel& kernel, const LaunchInfo& info,
                  const LaunchObjects& objects, double compile_seconds) {
  const CountersRequest& request = *job.request.counters;
  const MachineCounters found =
      count_machine_launch(run, kernel, info, objects, capture_settings(job, info), request.gpu);
  write_counters(found, info, request.gpu, run.launch().instructions(), request.path);
  say(fmt::format("{}: {}{}  compiled in {:.3f} s; ran and counted in {:.3f} s\n", job.file_name,
                  launch_line(info), access_table(info.kernel, found.totals), compile_seconds,
                  found.seconds));
  say(execution_lines(run, info.kernel->machine_code, found.seconds, found.order_dependent, found.in_turns));
  return warn(found.totals, kernel.described.info);
}

}  // namespace

int record_machine(const CaptureJob& job, const MachineProgram& program, const ResolvedLaunch& launch,
                   const KernelInfo& source, double compile_seconds) {
  try {
    const SignalGuard signals;
    MachineRun run(program.cubin, launch, job.request.instruction_limit, job.request.cuda.cluster);
    const MachineKernel kernel = describe_machine_kernel(run, with_textures(source, launch), program.from());
    const LaunchObjects objects = number_objects(launch, kernel.described.info);
    LaunchInfo info = launch_info(job, launch, kernel.described.info, objects);
    info.cluster = run.launch().clusters().size;
    if (job.request.counters) {
      const int status = count_machine(job, run, kernel, info, objects, compile_seconds);
      if (job.request.dump_directory) dump_buffers(run, launch, *job.request.dump_directory);
      return status;
    }
    const CaptureReport report =
        capture_machine_launch(run, kernel, info, objects, capture_settings(job, info));
    if (job.request.dump_directory) dump_buffers(run, launch, *job.request.dump_directory);
    say(summary(job, info, report, compile_seconds) +
        execution_lines(run, program.from(), report.run_seconds, report.order_dependent, report.in_turns));
    return warn(report.totals, kernel.described.info);
  } catch (const machine::ExecutionFault& fault) {
    const std::string_view what = fault.what();
    const bool may_lack_dynamic = !job.request.cuda.dynamic_shared && !job.file_name.ends_with(".cl") &&
                                  what.find("of shared memory, which has") != std::string_view::npos;
    say(fmt::format("trace-kernel: {}{}{}\n", what,
                    may_lack_dynamic ? "; extern __shared__ memory needs --dynamic-shared BYTES" : "",
                    part_note(job)));
    if (SignalGuard::received() != 0) die_of(SignalGuard::received());
    return kExitNotTraceable;
  }
}

int trace_code(const TraceRequest& request, const Inputs& inputs, const std::vector<MachineProgram>& programs,
               const std::string& source, double compile_seconds) {
  return CodeTrace(request, inputs, programs, source).run(compile_seconds);
}

int trace_device_file(const TraceRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  const Inputs inputs = find_inputs(request);
  if (request.dump_directory) make_dump_directory(*request.dump_directory);
  std::vector<MachineProgram> programs;
  interruptible([&] {
    const WorkDirectory directory("trace-kernel", request.keep_directory);
    DeviceFileRequest file{inputs.source_path, inputs.source_name, directory.path(),
                           std::nullopt,       std::nullopt,       {}};
    file.options = request.nvcc_options;
    if (request.machine && !request.machine->empty()) {
      file.gpu = request.machine;
      file.architecture = architecture_of(*request.machine, "--machine");
    }
    programs = load_device_file(file);
    if (const std::string note = assembled_note(programs, file.name, file.gpu); !note.empty())
      say(fmt::format("trace-kernel: {}\n", note));
  });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return trace_code(request, inputs, programs, "", seconds.count());
}

}  // namespace warpscope
