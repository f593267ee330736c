#include "wrapper/machine/machine_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "machine/cubin/source_name.h"
#include "machine/execute/base/device_memory.h"
#include "machine/execute/base/fault.h"
#include "machine/execute/group.h"
#include "passes/RuntimeABI.h"
#include "traces/base/progress.h"
#include "traces/capture/writer.h"
#include "wrapper/machine/group_finisher.h"
#include "wrapper/machine/shared_arrays.h"
#include "wrapper/machine/walk_recorder.h"
#include "wrapper/recording/runtime.h"
#include "wrapper/run/capture_sink.h"
#include "wrapper/run/signal_guard.h"

extern "C" WarpscopeAbiV2 WARPSCOPE_ABI_SYMBOL_ID;

namespace warpscope {
namespace {

using machine::Group;
using machine::LaneSet;
using machine::Operation;
using machine::Warp;

/// Tells the recorder what an instrumented kernel would: per work-item each access and the outcome of each branch.
class MachineRecorder : public machine::Observer {
 public:
  /// `groups`: how many will be recorded. `threads`: that finish them, besides the one that executes.
  MachineRecorder(const MachineRun& run, const MachineKernel& kernel, std::uint64_t groups, unsigned threads)
      : run_(run),
        kernel_(kernel),
        table_(WARPSCOPE_ABI_SYMBOL_ID),
        groups_(groups),
        progress_(kernel.described.info.name, groups, "work-groups", ""),
        finisher_(threads, static_cast<std::uint32_t>(run.launch().settings().local.count())) {}

  void begin(Group& group) override {
    leave();
    finisher_.begin();
    const Dim3 position = group.position();
    const auto items = static_cast<std::uint32_t>(run_.launch().settings().local.count());
    for (std::uint32_t item = 0; item < items; ++item) table_.begin(item, position.x, position.y, position.z);
    current_ = &group;
    current_walks_ = &walks_.try_emplace(&group, kernel_.flow, group.warps().size()).first->second;
    place_objects(items);
  }

  void end(Group& group) override {
    enter(group);
    set_walks(current_walks_->take(group));
    walks_.erase(&group);
    finisher_.end();
    current_ = nullptr;
    progress_.update(++done_);
    check_signal();
  }

  void access(const Warp& warp, const Operation&, LaneSet lanes,
              const machine::LaneAddresses& addresses) override {
    record(warp, kernel_.described.site_of[warp.place()], lanes, addresses);
  }

  void copied(const Warp& warp, const Operation&, LaneSet lanes,
              const machine::LaneAddresses& addresses) override {
    record(warp, kernel_.described.site_of[warp.place()] + 1, lanes, addresses);
  }

  void came(const Warp& warp) override {
    if (++events_ % kEventsPerCheck == 0) check_signal();
    enter(warp.group());
    current_walks_->came(warp);
  }

  void guarded(const Warp& warp, const Operation&, LaneSet active, LaneSet lanes) override {
    enter(warp.group());
    current_walks_->guarded(warp, lanes);
    for_items(warp, active, [&](unsigned lane, std::uint32_t item) {
      table_.branch((lanes >> lane & 1) != 0 ? 0 : 1, 1, item);
    });
  }

  void barrier(const Warp& warp, const Operation&, LaneSet lanes) override {
    enter(warp.group());
    const std::uint32_t site = kernel_.described.site_of[warp.place()];
    for_items(warp, lanes, [&](unsigned, std::uint32_t item) { table_.sync(site, item); });
  }

  void branch(const Warp& warp, const Operation&, LaneSet active, LaneSet taken) override {
    const std::uint32_t place = warp.place();
    const auto& successors = kernel_.flow.blocks()[kernel_.flow.block_of(place)].successors;
    if (successors.size() < 2) return;
    enter(warp.group());
    for_items(warp, active,
              [&](unsigned lane, std::uint32_t item) { table_.branch(taken >> lane & 1, 1, item); });
  }

  void jump(const Warp& warp, const Operation&, LaneSet lanes, std::uint32_t target) override {
    const std::uint32_t place = warp.place();
    const auto& successors = kernel_.flow.blocks()[kernel_.flow.block_of(place)].successors;
    const auto outcome = kernel_.flow.outcome_to(place, target);
    if (!outcome)
      throw machine::ExecutionFault(
          fmt::format("jumps to 0x{:x}, which is not among the places that the code names",
                      target * machine::kInstructionBytes));
    const std::uint32_t bits = outcome_bits(successors.size());
    if (bits == 0) return;
    enter(warp.group());
    for_items(warp, lanes, [&](unsigned, std::uint32_t item) { table_.branch(*outcome, bits, item); });
  }

 private:
  static constexpr std::uint64_t kEventsPerCheck = 4096;  ///< blocks of warps; a work-group may take long

  void check_signal() const {
    if (SignalGuard::received() != 0)
      throw machine::ExecutionFault(fmt::format("interrupted after {} of {} work-groups", done_, groups_));
  }

  void record(const Warp& warp, std::uint32_t site, LaneSet lanes, const machine::LaneAddresses& addresses) {
    if (site == machine::kNoSite) return;
    enter(warp.group());
    const AddressSpace space = kernel_.described.info.sites[site].space;
    const std::uint64_t base = space == AddressSpace::Local     ? machine::kSharedWindow
                               : space == AddressSpace::Private ? machine::kLocalWindow
                                                                : 0;
    const std::uint32_t first = warp.number() * machine::kLanes;
    const bool may_be_own = space == AddressSpace::Private || space == AddressSpace::Generic;
    machine::for_each_lane(lanes, [&](unsigned lane) {
      std::uint64_t address = base + addresses.lane[lane];
      if (may_be_own && address - machine::kLocalWindow < machine::kWindowBytes)
        address += std::uint64_t{first + lane} * run_.launch().local_bytes();
      table_.access(address, site, first + lane);
    });
  }

  template <class F>
  static void for_items(const Warp& warp, LaneSet lanes, F f) {
    machine::for_each_lane(lanes, [&](unsigned lane) { f(lane, warp.number() * machine::kLanes + lane); });
  }

  /// The recorder has one work-group per thread of the host: the others wait apart.
  void leave() {
    if (current_ != nullptr) apart_[current_] = table_.leave();
    current_ = nullptr;
  }
  void enter(Group& group) {
    if (current_ == &group) return;
    leave();
    const auto found = apart_.find(&group);
    table_.enter(found->second);
    apart_.erase(found);
    current_ = &group;
    current_walks_ = &walks_.at(&group);
  }

  void place_objects(std::uint32_t items) const {
    for (std::uint32_t index = 0; index < run_.addresses().size(); ++index)
      if (run_.addresses()[index] != 0) table_.object(0, index, run_.addresses()[index], WARPSCOPE_ALL_ITEMS);
    for (std::uint32_t index = 0; index < run_.dynamic_shared().size(); ++index)
      if (run_.dynamic_shared()[index] != 0)
        table_.object(0, index, machine::kSharedWindow + run_.dynamic_places()[index], WARPSCOPE_ALL_ITEMS);
    for (std::uint32_t index = 0; index < kernel_.described.info.objects.size(); ++index) {
      if (kernel_.described.info.objects[index].space == AddressSpace::Local) {
        table_.object(1, index, machine::kSharedWindow + kernel_.places[index], WARPSCOPE_ALL_ITEMS);
        continue;
      }
      if (kernel_.described.info.objects[index].space == AddressSpace::Global) {
        table_.object(1, index, kernel_.places[index], WARPSCOPE_ALL_ITEMS);
        continue;
      }
      for (std::uint32_t item = 0; item < items; ++item)
        table_.object(1, index, machine::kLocalWindow + std::uint64_t{item} * run_.launch().local_bytes(),
                      item);
    }
  }

  const MachineRun& run_;
  const MachineKernel& kernel_;
  const WarpscopeAbiV2& table_;
  Group* current_ = nullptr;
  std::uint64_t groups_;
  std::uint64_t done_ = 0, events_ = 0;
  Progress progress_;
  std::map<const Group*, void*> apart_;
  std::map<const Group*, WalkRecorder> walks_;
  WalkRecorder* current_walks_ = nullptr;  ///< of the group that is executed
  GroupFinisher finisher_;
};

std::vector<InstructionTotals> totals_of(const MachineRun& run) {
  std::vector<InstructionTotals> totals;
  for (const machine::Executions& one : run.launch().executions())
    totals.push_back({one.warps, one.lanes, one.guarded});
  return totals;
}

/// What depended on the order of warps; of atomics only those whose results are read.
std::vector<OrderedInstruction> order_of(const MachineRun& run, const machine::DescribedKernel& described) {
  static constexpr const char* kNames[] = {"clock", "core", "atomic", "others", "wait"};  // by OrderCause
  std::vector<OrderedInstruction> found;
  for (const machine::OrderDependence& one : run.launch().order().list()) {
    const std::uint32_t site = described.site_of[one.place];
    if (one.cause == machine::OrderCause::Atomic && site != machine::kNoSite &&
        described.info.sites[site].consumers.empty())
      continue;
    found.push_back({one.place, kNames[static_cast<std::size_t>(one.cause)]});
  }
  return found;
}

/// Sites whose address comes from one pointer argument access what it points to.
void add_objects(machine::DescribedKernel& described) {
  const std::vector<ArgumentInfo>& arguments = described.info.arguments;
  for (std::size_t site = 0; site < described.info.sites.size(); ++site) {
    std::optional<std::uint32_t> only;
    std::size_t pointers = 0;
    for (const std::uint32_t parameter : described.parameters_of[site]) {
      if (parameter >= arguments.size() || !arguments[parameter].is_pointer) continue;
      only = parameter;
      ++pointers;
    }
    SiteInfo& info = described.info.sites[site];
    if (pointers == 1 && info.space == AddressSpace::Global)
      info.object = {StaticObject::Kind::Argument, *only};
  }
}

/// Variables that are no arguments: those that the file initialises, texts, tables of virtual functions.
void add_variables(const MachineRun& run, KernelInfo& info, std::vector<std::uint64_t>& places) {
  const std::vector<std::uint64_t>& arguments = run.addresses();
  for (const machine::Variable& variable : run.code().image().variables()) {
    if (!variable.is_named || variable.bytes.empty() ||
        std::find(arguments.begin(), arguments.end(), variable.address) != arguments.end())
      continue;
    const std::string name = machine::source_name(variable.name);
    places.resize(info.objects.size());
    info.objects.push_back({name.substr(name.rfind(':') + 1), AddressSpace::Global, variable.bytes.size()});
    places.push_back(variable.address);
  }
}

}  // namespace

MachineKernel describe_machine_kernel(const MachineRun& run, const KernelInfo& source,
                                      const std::string& from) {
  machine::CodeFlow flow(run.code());
  machine::DescribedKernel described = machine::describe_kernel(run.code(), flow);
  KernelInfo& info = described.info;
  info.name = source.name;
  info.arguments = source.arguments;
  info.registers_from = info.machine_code = from;
  add_objects(described);
  std::vector<std::uint64_t> places;
  for (const SharedArray& array : shared_arrays(run.code().cubin(), run.code().kernel())) {
    info.objects.push_back({array.name, AddressSpace::Local, array.bytes});
    places.push_back(array.offset);
  }
  const std::uint64_t shared = run.code().kernel().shared_bytes;
  const std::uint64_t own = shared - std::min(shared, reserved_shared_bytes(run.code().cubin()));
  if (own != 0 && places.empty()) {
    info.objects.push_back(
        {own == shared ? "shared" : fmt::format("shared+0x{:x}", shared - own), AddressSpace::Local, own});
    places.push_back(shared - own);
  }
  places.resize(info.objects.size() + 1);
  const bool has_stack = std::any_of(info.sites.begin(), info.sites.end(), [](const SiteInfo& site) {
    return site.space == AddressSpace::Private || site.space == AddressSpace::Generic;
  });
  if (has_stack) info.objects.push_back({"stack", AddressSpace::Private, run.launch().local_bytes()});
  add_variables(run, info, places);
  MachineCode code = machine::describe_code(run.code(), flow);
  return {std::move(flow), std::move(described), std::move(code), std::move(places)};
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
    machine::LaunchPart part;
    if (!setup.selection.is_all())
      part.has = [&](std::uint64_t group) {
        return setup.selection.contains(info.id, WorkGroupId(static_cast<std::uint32_t>(group)));
      };
    part.runs_others = !settings.skip_others;
    const std::uint64_t groups = setup.selection.count(info.id, info.groups().count());
    const auto others = static_cast<unsigned>(std::min<std::uint64_t>(settings.threads, groups));
    {
      MachineRecorder observer(run, kernel, groups, others == 0 ? 0 : others - 1);
      run.run(&observer, part);
    }
    recorder.check();
    report.totals = recorder.totals();
  }
  MachineCode code = kernel.code;
  code.order_dependent = order_of(run, kernel.described);
  report.order_dependent = order_dependence(code);
  if (writer) {
    writer->add_machine_code(info.id, code, totals_of(run));
    writer->finish();
    std::error_code no_file;  // standard output, a pipe, a device
    report.file_bytes = std::filesystem::file_size(settings.output, no_file);
    if (no_file) report.file_bytes = writer->bytes_written();
  }
  report.run_seconds = std::chrono::duration<double>(Recorder::Clock::now() - start).count();
  return report;
}

}  // namespace warpscope
