#include "wrapper/kernel/capture_job.h"

#include <fmt/format.h>

#include <filesystem>

#include "traces/base/error.h"
#include "wrapper/launch/build_options.h"
#include "wrapper/recording/summary.h"
#include "wrapper/run/available_memory.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

std::string output_path(const CaptureJob& job) {
  return job.request.output.empty() ? fs::path(job.file_name).stem().string() + ".wtrace"
                                    : job.request.output;
}

}  // namespace

LaunchInfo launch_info(const CaptureJob& job, const ResolvedLaunch& launch, const KernelInfo& kernel,
                       const LaunchObjects& objects) {
  LaunchInfo info = describe_launch(launch, kernel, objects);
  info.build_options = portable_options(job.compiler_options);
  info.optimize = name_of(job.request.optimize);
  info.source_name = job.source_name;
  info.source = job.source;
  info.sampling = job.request.work_groups.of(info);
  return info;
}

CaptureSettings capture_settings(const CaptureJob& job, const LaunchInfo& info) {
  CaptureSettings settings;
  settings.output = output_path(job);
  settings.options_text = fmt::format("trace-kernel {} --optimize {}{}{}{}", job.file_name, *info.optimize,
                                      job.request.record_order ? " --record-order" : "",
                                      job.request.skip_others ? " --skip-others" : "",
                                      job.request.addresses_only ? " --addresses-only" : "");
  settings.size_limit = job.request.size_limit;
  settings.record_order = job.request.record_order;
  settings.group_memory = job.request.group_memory.value_or(default_group_memory());
  settings.count_only = job.request.count_only;
  settings.skip_others = job.request.skip_others;
  settings.order = job.request.group_order;
  settings.resume = job.request.resume;
  settings.threads = static_cast<unsigned>(pocl_threads());
  return settings;
}

std::string launch_line(const LaunchInfo& info) {
  return fmt::format("kernel {}, global {}x{}x{}, local {}x{}x{}, {} work-groups\n", info.kernel->name,
                     info.global.x, info.global.y, info.global.z, info.local.x, info.local.y, info.local.z,
                     info.groups().count());
}

std::string summary(const CaptureJob& job, const LaunchInfo& info, const CaptureReport& report,
                    double compile_seconds) {
  const auto accesses = static_cast<double>(access_count(info.kernel, report.totals));
  std::string text = fmt::format("{}: {}", job.file_name, launch_line(info));
  if (report.found != 0)
    text += fmt::format(
        "  {} work-groups were recorded before, and are in none of the numbers but the file's size\n",
        report.found);
  text += job.request.count_only ? site_table(info.kernel, report.totals)
                                 : access_table(info.kernel, report.totals);
  const std::string by_pocl = info.kernel->machine_code.empty()
                                  ? fmt::format(" + {:.3f} s by PoCL at the launch", report.start_seconds)
                                  : "";
  text += fmt::format("  compiled in {:.3f} s{}; ran and recorded in {:.3f} s, {:.1f} M accesses/s\n",
                      compile_seconds, by_pocl, report.run_seconds, accesses / report.run_seconds * 1e-6);
  const double per_access = accesses > 0 ? 1.0 / accesses : 0;
  if (job.request.count_only)
    return text + fmt::format(
                      "  nothing written; a capture holds {} bytes before compression ({:.4f} per access); "
                      "recording takes {:.1f} MiB of memory\n",
                      report.totals.encoded_bytes,
                      static_cast<double>(report.totals.encoded_bytes) * per_access,
                      static_cast<double>(report.totals.peak_memory_bytes) / 1048576.0);
  return text + fmt::format("  {}: {} bytes, {:.5f} per access\n", output_path(job), report.file_bytes,
                            static_cast<double>(report.file_bytes) * per_access);
}

int warn(const RecorderTotals& totals, const KernelInfo& kernel) {
  const std::string outside = out_of_bounds_report(kernel, totals);
  say(outside);
  const std::string left_out = left_out_report(totals);
  if (!left_out.empty()) say(fmt::format("trace-kernel: {}\n", left_out));
  if (kernel.untraceable.empty()) return left_out.empty() && outside.empty() ? kExitOk : kExitNotTraceable;
  for (const std::string& what : kernel.untraceable) say(fmt::format("trace-kernel: not traced: {}\n", what));
  return kExitNotTraceable;
}

std::string part_note(const CaptureJob& job) {
  const std::string part = output_path(job) + ".part";
  std::error_code error;
  if (job.request.output == "-" || !fs::exists(part, error)) return "";
  return fmt::format("; what is recorded is in {0} (trace-view --partial {0})", part);
}

void make_dump_directory(const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw InputError(fmt::format("--dump-buffers {}: {}", directory, error.message()));
}

}  // namespace warpscope
