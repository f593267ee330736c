#include "wrapper/layer/machine_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "traces/base/error.h"
#include "wrapper/machine/machine_recorder.h"
#include "wrapper/recording/spill/held_groups.h"
#include "wrapper/session/argument_text.h"

namespace warpscope::layer {

struct MachineLaunches::Launch {
  std::string key;  ///< equal for launches of one kernel
  std::shared_ptr<const MachineKernel> kernel;
  LaunchInfo info;
  RecorderSetup setup;
};

namespace {

double seconds_since(Recorder::Clock::time_point start) {
  return std::chrono::duration<double>(Recorder::Clock::now() - start).count();
}

/// Launches whose code is described in the same way.
std::string key_of(const MachineTask& task) {
  const machine::LaunchSettings& settings = task.run->launch().settings();
  const Dim3 cluster = task.run->launch().clusters().size;
  return fmt::format("machine code/{}/{}/{}/{}x{}x{}/{}", static_cast<const void*>(&task.run->code()),
                     task.kernel->arguments.size(), settings.stack_bytes, cluster.x, cluster.y, cluster.z,
                     settings.textures.size());
}

/// The work-groups that are recorded; the others run, too.
machine::LaunchPart part_of(const GroupSelection& selection, LaunchId launch) {
  machine::LaunchPart part;
  if (!selection.is_all())
    part.has = [selection, launch](std::uint64_t group) {
      return selection.contains(launch, WorkGroupId(static_cast<std::uint32_t>(group)));
    };
  return part;
}

}  // namespace

std::shared_ptr<const MachineKernel> MachineLaunches::describe(const MachineTask& task) {
  const bool has_textures = !task.run->launch().settings().textures.empty();
  if (has_textures)  // which of them an instruction reads is another matter in each launch
    return std::make_shared<MachineKernel>(describe_machine_kernel(*task.run, *task.kernel, task.from));
  std::shared_ptr<const MachineKernel>& known = kernels_[key_of(task)];
  if (!known)
    known = std::make_shared<MachineKernel>(describe_machine_kernel(*task.run, *task.kernel, task.from));
  return known;
}

void MachineLaunches::add_argument(const MachineTask& task, std::size_t index, Launch& launch) {
  const ArgumentInfo& parameter = task.kernel->arguments[index];
  const std::uint64_t dynamic = task.run->dynamic_shared()[index], address = task.run->addresses()[index];
  ArgumentValue value;
  TracedObject object;
  if (dynamic != 0) {
    value.value = std::to_string(dynamic);
    launch.info.dynamic_local_bytes += dynamic;
    const BufferId id =
        session_.add_buffer({BufferId(0), parameter.name, AddressSpace::Local, dynamic, "read_write", false});
    object = {id, dynamic, AddressSpace::Local, 0};
  } else if (address != 0) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the same on both sides
    const auto* const pointer = reinterpret_cast<const void*>(address);
    const BufferPart part = memory_.find_svm(pointer, parameter.name, parameter.space);
    value.buffer = part.buffer;
    value.offset = part.offset;
    object = {part.buffer, part.size, parameter.space, part.offset};
  } else if (!parameter.is_pointer) {
    value.value = text_of_argument(parameter.type, task.values[index]);
  }
  launch.info.arguments.push_back(value);
  launch.setup.arguments.push_back(object);
}

void MachineLaunches::describe_launch(cl_context context, const MachineTask& task, Launch& launch) {
  launch.key = key_of(task);
  launch.kernel = describe(task);
  const machine::LaunchSettings& settings = task.run->launch().settings();
  LaunchInfo& info = launch.info;
  info.id = session_.next_launch();
  const KernelInfo& kernel = launch.kernel->described.info;
  info.kernel = kernel;
  info.local = settings.local;
  info.global = {settings.groups.x * settings.local.x, settings.groups.y * settings.local.y,
                 settings.groups.z * settings.local.z};
  info.cluster = task.run->launch().clusters().size;
  info.dimensions = info.global.z > 1 ? 3 : info.global.y > 1 ? 2 : 1;
  for (std::size_t index = 0; index < kernel.arguments.size(); ++index) add_argument(task, index, launch);
  std::vector<BufferId>& ids = objects_[launch.key];
  for (std::size_t index = ids.size(); index < kernel.objects.size(); ++index) {
    const ObjectInfo& object = kernel.objects[index];
    ids.push_back(
        session_.add_buffer({BufferId(0), object.name, object.space, object.size, "read_write", false}));
  }
  for (std::size_t index = 0; index < kernel.objects.size(); ++index) {
    info.objects.push_back(ids[index]);
    launch.setup.objects.push_back({ids[index], kernel.objects[index].size, kernel.objects[index].space, 0});
  }
  info.optimize = session_.settings().optimize;
  info.sampling = session_.selection().text();
  info.source_name = task.source_name;
  info.source = task.source;
  info.name = Launches::take_name();
  launch.setup.kernel = &launch.kernel->described.info;
  launch.setup.launch = info.id;
  launch.setup.groups = info.groups();
  launch.setup.local = info.local;
  launch.setup.selection = session_.selection();
  launch.setup.group_memory = session_.settings().group_memory;
  launch.setup.others = memory_.all_placed(context);
  add_heap(task, launch);
}

void MachineLaunches::add_heap(const MachineTask& task, Launch& launch) {
  const std::vector<std::string>& calls = task.run->code().image().system_functions();
  const std::uint64_t bytes = task.run->launch().memory().heap_bytes();
  if (heap_.value() == 0 && std::ranges::count(calls, "malloc") != 0)
    heap_ =
        session_.add_buffer({BufferId(0), "malloc_heap", AddressSpace::Global, bytes, "read_write", true});
  if (heap_.value() != 0) launch.setup.others.push_back({machine::kFirstInHeap, bytes, heap_});
}

void MachineLaunches::time(MachineTask& task) {
  LaunchInfo info;
  info.id = session_.next_launch();
  info.kernel.edit().name = task.kernel->name;
  const machine::LaunchSettings& settings = task.run->launch().settings();
  info.local = settings.local;
  info.global = {settings.groups.x * settings.local.x, settings.groups.y * settings.local.y,
                 settings.groups.z * settings.local.z};
  session_.begin_launch(info, "");
  session_.count_launch();
  LaunchEnd end;
  const auto start = Recorder::Clock::now();
  task.execute();
  end.seconds = seconds_since(start);
  end.failure = task.fault;
  session_.end_launch(info.id, *info.kernel, end);
}

/// A launch while it is recorded, of which what several threads saw is written only when it is known to stay.
class MachineLaunches::Recording {
 public:
  Recording(Session& session, const MachineTask& task, const Launch& launch)
      : session_(session),
        task_(task),
        launch_(launch),
        groups_(session.selection().count(launch.info.id, launch.info.groups().count())) {}

  /// MachineTask::MakeObservers: what was seen before is forgotten.
  std::vector<machine::Observer*> begin(unsigned threads) {
    observers_.clear();
    recorder_.reset();
    held_.reset();
    if (threads > 1) held_.emplace();
    recorder_.emplace(launch_.setup, held_ ? static_cast<WorkGroupSink&>(*held_) : session_);
    std::vector<machine::Observer*> all;
    const unsigned finishers = threads > 1 ? 0 : finishers_for(task_, groups_);
    for (unsigned number = 0; number < threads; ++number) {
      observers_.push_back(
          std::make_unique<MachineRecorder>(*task_.run, *launch_.kernel, progress_, finishers));
      all.push_back(observers_.back().get());
    }
    return all;
  }
  /// After the execution. Throws what went wrong, unless `has_fault`.
  void end(bool has_fault) {
    observers_.clear();
    if (!has_fault) recorder_->check();
    if (held_) held_->hand_on(session_);
  }
  [[nodiscard]] RecorderTotals totals() const { return recorder_->totals(); }

 private:
  Session& session_;
  const MachineTask& task_;
  const Launch& launch_;
  std::uint64_t groups_;
  GroupProgress progress_{"", groups_};
  std::optional<HeldGroups> held_;
  std::optional<Recorder> recorder_;
  std::vector<std::unique_ptr<MachineRecorder>> observers_;
};

void MachineLaunches::record(MachineTask& task, Launch& launch) {
  const KernelInfo& kernel = launch.kernel->described.info;
  LaunchEnd end;
  RecorderTotals totals;
  const auto start = Recorder::Clock::now();
  {
    Recording recording(session_, task, launch);
    session_.note_unwritten(launch.info.id, allocations_.unwritten(launch.setup.buffers()));
    allocations_.begin_launch(launch.info.id);
    task.execute([&](unsigned threads) { return recording.begin(threads); },
                 part_of(session_.selection(), launch.info.id));
    allocations_.end_launch();
    end.seconds = seconds_since(start);
    end.failure = task.fault;
    try {
      recording.end(!task.fault.empty());
      session_.add_machine_code(launch.info.id, code_with_order(*task.run, *launch.kernel),
                                totals_of(*task.run));
    } catch (const std::exception& error) {
      end.failure = error.what();
    }
    totals = recording.totals();
  }
  end.totals = &totals;
  if (end.failure.empty()) end.failure = left_out_report(totals);
  session_.end_launch(launch.info.id, kernel, end);
}

void MachineLaunches::run(cl_context context, MachineTask& task) noexcept {
  bool has_run = false;
  try {
    const std::lock_guard lock(launches_.mutex());
    session_.expect_machine_code();
    if (!session_.wants(task.kernel->name)) {
      has_run = true;
      task.execute();
      return session_.pass_over_launch(task.kernel->name, false);
    }
    if (session_.settings().time_only) {
      has_run = true;
      return time(task);
    }
    Launch launch;
    describe_launch(context, task, launch);
    session_.begin_launch(launch.info, launch.key);
    session_.count_launch();
    has_run = true;
    record(task, launch);
  } catch (const std::exception& error) {
    try {
      session_.report_untraced(fmt::format("{} runs untraced: {}", task.kernel->name, error.what()));
      if (!has_run) {
        task.execute();
        session_.pass_over_launch(task.kernel->name, true);
      }
    } catch (const std::exception&) {  // not even the session's folder can be written: the parent sees that
    }
  }
}

}  // namespace warpscope::layer
