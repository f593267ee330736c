#include "wrapper/machine/machine_capture.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "traces/capture/writer.h"
#include "wrapper/machine/machine_recorder.h"
#include "wrapper/run/capture_sink.h"

namespace warpscope {

MachinePart part_of(const LaunchInfo& info, const CaptureSettings& settings) {
  const GroupSelection selection = GroupSelection::parse(info.sampling);
  MachinePart found;
  if (!selection.is_all())
    found.part.has = [selection, launch = info.id](std::uint64_t group) {
      return selection.contains(launch, WorkGroupId(static_cast<std::uint32_t>(group)));
    };
  found.part.runs_others = !settings.skip_others;
  found.part.order = settings.order;
  found.groups = selection.count(info.id, info.groups().count());
  return found;
}

CaptureReport capture_machine_launch(MachineRun& run, const MachineKernel& kernel, const LaunchInfo& info,
                                     const LaunchObjects& objects, const CaptureSettings& settings) {
  std::unique_ptr<CaptureWriter> writer;
  if (!settings.count_only) {
    CaptureWriter::Options options;
    options.options_text = settings.options_text;
    options.size_limit = settings.size_limit;
    options.has_walks = true;
    writer = std::make_unique<CaptureWriter>(settings.output, options);
    for (const BufferInfo& buffer : objects.buffers) writer->add_buffer(buffer);
    writer->add_launch(info);
  }
  CaptureSink sink(writer.get());
  RecorderSetup setup;
  setup.kernel = &*info.kernel;
  setup.launch = info.id;
  setup.groups = info.groups();
  setup.local = info.local;
  setup.selection = GroupSelection::parse(info.sampling);
  setup.arguments = objects.arguments;
  setup.objects = objects.objects;
  setup.record_order = settings.record_order;
  setup.group_memory = settings.group_memory;
  CaptureReport report;
  const auto start = Recorder::Clock::now();
  {
    Recorder recorder(setup, sink);
    const MachinePart part = part_of(info, settings);
    const auto others = static_cast<unsigned>(std::min<std::uint64_t>(settings.threads, part.groups));
    {
      MachineRecorder observer(run, kernel, part.groups, others == 0 ? 0 : others - 1);
      run.run(&observer, part.part);
    }
    recorder.check();
    report.totals = recorder.totals();
  }
  const MachineCode code = code_with_order(run, kernel);
  report.order_dependent = order_dependence(code);
  if (writer) {
    writer->add_machine_code(info.id, code, totals_of(run));
    writer->finish(notes_of(info, objects));
    std::error_code no_file;  // standard output, a pipe, a device
    report.file_bytes = std::filesystem::file_size(settings.output, no_file);
    if (no_file) report.file_bytes = writer->bytes_written();
  }
  report.run_seconds = std::chrono::duration<double>(Recorder::Clock::now() - start).count();
  return report;
}

}  // namespace warpscope
