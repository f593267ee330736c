#pragma once
// What a capture of one kernel says apart from its accesses, and what the user is told about it.
#include <filesystem>
#include <string>
#include <vector>

#include "traces/files/output_file.h"
#include "wrapper/launch/launch_json.h"
#include "wrapper/program/trace_request.h"
#include "wrapper/run/capture_launch.h"

namespace warpscope {

struct CaptureJob {
  const TraceRequest& request;
  std::string file_name;    ///< in messages; the capture is called after it
  std::string source_name;  ///< the file that lines are in
  std::string source;       ///< its text; empty where it is not at hand
  std::vector<std::string> compiler_options;
};

LaunchInfo launch_info(const CaptureJob& job, const ResolvedLaunch& launch, const KernelInfo& kernel,
                       const LaunchObjects& objects);
CaptureSettings capture_settings(const CaptureJob& job, const LaunchInfo& info);

/// "kernel mm, global 256x256x1, local 16x16x1, 256 work-groups", with the end of the line.
std::string launch_line(const LaunchInfo& info);
/// What was recorded, for stderr.
std::string summary(const CaptureJob& job, const LaunchInfo& info, const CaptureReport& report,
                    double compile_seconds);
/// Where the recorded part of a launch is that did not come to its end: "; what is recorded is in …", or "".
std::string part_note(const CaptureJob& job);
/// Reports what is missing from the capture or wrong in the kernel; returns the exit status.
int warn(const RecorderTotals& totals, const KernelInfo& kernel);

/// For --dump-buffers. Throws InputError.
void make_dump_directory(const std::string& directory);

/// Writes every buffer to DIRECTORY/NAME.bin, and the launch to DIRECTORY/launch.json. `run`: a finished KernelRun or MachineRun.
template <class Run>
void dump_buffers(Run& run, const ResolvedLaunch& launch, const std::string& directory) {
  OutputFile description((std::filesystem::path(directory) / "launch.json").string());
  description.write(to_json(launch) + "\n");
  description.commit();
  for (std::size_t index = 0; index < launch.arguments.size(); ++index) {
    const ResolvedArgument& argument = launch.arguments[index];
    if (argument.parameter.kind != ParameterSignature::Kind::Buffer || argument.is_null) continue;
    OutputFile file((std::filesystem::path(directory) / (argument.parameter.name + ".bin")).string());
    file.write(run.read(index));
    file.commit();
  }
}

}  // namespace warpscope
