#include "wrapper/machine/machine_capture.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "traces/capture/writer.h"
#include "wrapper/machine/machine_recorder.h"
#include "wrapper/run/capture_sink.h"

namespace warpscope {

std::string run_on_threads(MachineRun& run, unsigned threads, const machine::MakeObservers& make_all,
                           const machine::MakeObservers& make_one, const GroupProgress& progress,
                           const machine::LaunchPart& part) {
  std::string why;
  if (threads > 1) {
    why = run.run_apart(make_all, part);
    if (why.empty()) return why;
    progress.check_signal();
  }
  run.run(make_one().front(), part);
  return why == machine::kFault ? "" : why;
}

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
  const std::uint64_t run = settings.skip_others ? found.groups : info.groups().count();
  found.threads =
      static_cast<unsigned>(std::max<std::uint64_t>(1, std::min<std::uint64_t>(run, settings.threads)));
  return found;
}

namespace {

/// A capture of a launch while it is made.
class OpenCapture {
 public:
  OpenCapture(const LaunchInfo& info, const LaunchObjects& objects, const CaptureSettings& settings)
      : writer_(writer_of(info, objects, settings)),
        sink_(writer_.get()),
        recorder_(setup_of(info, objects, settings), sink_) {}

  [[nodiscard]] const Recorder& recorder() const { return recorder_; }
  /// After the run. Returns the file's bytes.
  std::uint64_t finish(const LaunchInfo& info, const LaunchObjects& objects, const MachineCode& code,
                       const MachineRun& run, const std::string& path) {
    if (!writer_) return 0;
    writer_->add_machine_code(info.id, code, totals_of(run));
    writer_->finish(notes_of(info, objects));
    std::error_code no_file;  // standard output, a pipe, a device
    const std::uint64_t bytes = std::filesystem::file_size(path, no_file);
    return no_file ? writer_->bytes_written() : bytes;
  }

 private:
  static std::unique_ptr<CaptureWriter> writer_of(const LaunchInfo& info, const LaunchObjects& objects,
                                                  const CaptureSettings& settings) {
    if (settings.count_only) return nullptr;
    CaptureWriter::Options options;
    options.options_text = settings.options_text;
    options.size_limit = settings.size_limit;
    options.has_walks = true;
    auto writer = std::make_unique<CaptureWriter>(settings.output, options);
    for (const BufferInfo& buffer : objects.buffers) writer->add_buffer(buffer);
    writer->add_launch(info);
    return writer;
  }

  static RecorderSetup setup_of(const LaunchInfo& info, const LaunchObjects& objects,
                                const CaptureSettings& settings) {
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
    return setup;
  }

  std::unique_ptr<CaptureWriter> writer_;
  CaptureSink sink_;
  Recorder recorder_;
};

}  // namespace

CaptureReport capture_machine_launch(MachineRun& run, const MachineKernel& kernel, const LaunchInfo& info,
                                     const LaunchObjects& objects, const CaptureSettings& settings) {
  const MachinePart part = part_of(info, settings);
  const unsigned threads = part.threads;
  GroupProgress progress(kernel.described.info.name, part.groups);
  std::optional<OpenCapture> capture;
  std::vector<std::unique_ptr<MachineRecorder>> recorders;
  const auto begin = [&](unsigned observers, std::uint64_t finishers) {
    recorders.clear();
    capture.reset();
    capture.emplace(info, objects, settings);
    progress.restart();
    std::vector<machine::Observer*> all;
    for (unsigned number = 0; number < observers; ++number) {
      recorders.push_back(
          std::make_unique<MachineRecorder>(run, kernel, progress, static_cast<unsigned>(finishers)));
      all.push_back(recorders.back().get());
    }
    return all;
  };
  CaptureReport report;
  const auto start = Recorder::Clock::now();
  report.in_turns = run_on_threads(
      run, threads, [&] { return begin(threads, 0); },
      [&] { return begin(1, std::min<std::uint64_t>(threads, part.groups + 1) - 1); }, progress, part.part);
  recorders.clear();
  capture->recorder().check();
  report.totals = capture->recorder().totals();
  const MachineCode code = code_with_order(run, kernel);
  report.order_dependent = order_dependence(code);
  report.file_bytes = capture->finish(info, objects, code, run, settings.output);
  report.run_seconds = std::chrono::duration<double>(Recorder::Clock::now() - start).count();
  return report;
}

}  // namespace warpscope
