#include "wrapper/run/buffer_extents.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "passes/RuntimeABI.h"
#include "passes/driver/pipeline.h"
#include "traces/base/error.h"
#include "traces/files/mapped_spool.h"
#include "traces/program/shared_group.h"
#include "wrapper/device/kernel_stop.h"
#include "wrapper/recording/recorder.h"
#include "wrapper/recording/runtime.h"
#include "wrapper/run/capture_launch.h"
#include "wrapper/run/kernel_run.h"

// The recorder's table (wrapper/recording/runtime.cpp).
extern "C" WarpscopeAbiV2 WARPSCOPE_ABI_SYMBOL_ID;

namespace warpscope {
namespace {

/// Address space of an open buffer; nothing in it is accessed.
constexpr std::uint64_t kReserved = std::uint64_t{1} << 36;
constexpr std::uint64_t kPlaceholder = 256;  ///< bytes that PoCL is told of

/// Highest ends of accesses, as keys of BufferAddr; the buffer is that of the last byte.
using Ends = std::vector<std::uint64_t>;

void note_end(Ends& ends, std::uint64_t last_byte) {
  const BufferId buffer = BufferAddr(last_byte).buffer();
  for (std::uint64_t& known : ends)
    if (BufferAddr(known).buffer() == buffer) {
      known = std::max(known, last_byte);
      return;
    }
  ends.push_back(last_byte);
}

/// Distances from a work-item's first location to where its runs end: what lies between is between these.
std::vector<std::int64_t> turns_of(const ShapeView& shape) {
  std::int64_t at = 0, lowest = 0, highest = 0;
  for (const DeltaRun& run : shape) {
    at += run.delta * static_cast<std::int64_t>(run.repeat);
    lowest = std::min(lowest, at);
    highest = std::max(highest, at);
  }
  return {lowest, highest};
}

Ends ends_of(const SiteColumn& column, std::uint32_t width) {
  std::vector<std::vector<std::int64_t>> turns;
  turns.reserve(column.shapes.size());
  for (std::size_t shape = 0; shape < column.shapes.size(); ++shape)
    turns.push_back(turns_of(column.shapes[shape]));
  Ends ends;
  for (std::size_t item = 0; item < column.shape_of.size(); ++item) {
    if (column.shape_of[item] == SiteColumn::kNone) continue;
    for (const std::int64_t turn : turns[column.shape_of[item]])
      note_end(ends, column.first[item] + static_cast<std::uint64_t>(turn) + width - 1);
  }
  return ends;
}

/// Takes work-groups apart instead of storing them.
class ExtentSink : public WorkGroupSink {
 public:
  explicit ExtentSink(const KernelInfo& kernel) : kernel_(kernel) {
    for (const SiteInfo& site : kernel.sites) carries_address_.push_back(has_address(site.kind));
  }

  void add(LaunchId launch, WorkGroupId group, std::span<const std::uint8_t> payload) override {
    const std::lock_guard lock(mutex_);
    add(decode(payload, launch, group, carries_address_, memory_));
  }
  void add_part(LaunchId launch, WorkGroupId group, std::uint32_t /*part*/,
                std::span<const std::uint8_t> bytes) override {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<MappedSpool>& payload = payloads_[{launch, group}];
    if (payload == nullptr) payload = std::make_shared<MappedSpool>();
    payload->add(bytes);
  }
  void end_parts(LaunchId launch, WorkGroupId group) override {
    const std::lock_guard lock(mutex_);
    const auto payload = payloads_.extract({launch, group});
    payload.mapped()->map();
    add(SharedGroup(decode(payload.mapped()->bytes(), launch, group, carries_address_, payload.mapped())));
  }

 private:
  void add(const SharedGroup& decoded) {
    for (std::size_t site = 0; site < decoded.columns.size(); ++site)
      if (const SharedColumn& column = decoded.columns[site]; column.form) add(column, site);
  }

 public:
  /// Bytes of buffer `id`, from its start.
  [[nodiscard]] std::uint64_t end_of(BufferId id) const {
    for (const std::uint64_t last : ends_)
      if (BufferAddr(last).buffer() == id) return BufferAddr(last).offset() + 1;
    return 0;
  }

 private:
  void add(const SharedColumn& column, std::size_t site) {
    const std::uint32_t width = kernel_.sites[site].width;
    const std::uint64_t id = column.form->id;
    const auto known = id != 0 ? of_form_.find(id) : of_form_.end();
    const Ends own = known != of_form_.end() ? known->second : ends_of(column.form->column, width);
    if (id != 0 && known == of_form_.end()) of_form_.emplace(id, own);
    for (const std::uint64_t last : own) note_end(ends_, last + column.moved);
  }

  const KernelInfo& kernel_;
  std::vector<bool> carries_address_;
  std::mutex mutex_;
  FormMemory memory_;
  std::map<std::pair<LaunchId, WorkGroupId>, std::shared_ptr<MappedSpool>> payloads_;  ///< in parts
  std::unordered_map<std::uint64_t, Ends> of_form_;
  Ends ends_;
};

/// The launch with placeholders for its buffers' content.
ResolvedLaunch without_content(const ResolvedLaunch& launch) {
  ResolvedLaunch result = launch;
  for (ResolvedArgument& argument : result.arguments) {
    if (argument.parameter.kind != ParameterSignature::Kind::Buffer || argument.is_null) continue;
    argument.size = kPlaceholder;
    argument.bytes.assign(kPlaceholder, 0);
  }
  return result;
}

/// What the kernel's first call of the recorder says of its addresses.
enum class Addresses : std::uint8_t { Recorded, Unknown, Known };
std::atomic<Addresses> stopped_with = Addresses::Recorded;

/// Instead of a function of the recorder's table.
template <Addresses found>
void stop(std::uint64_t, std::uint64_t, std::uint64_t) {
  stopped_with = found;
  if (::syscall(SYS_gettid) != ::getpid()) device::stay();
  // PoCL's device without threads: nobody else can say it.
  leave_running_kernel("the sizes of all buffers, and all values, have to be given", kExitBadInput);
}

decltype(WarpscopeAbiV2::begin) recorders_begin = nullptr;

void begin_if_known(std::uint32_t item, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  if (item == WARPSCOPE_ALL_ITEMS) stop<Addresses::Unknown>(x, y, z);
  recorders_begin(item, x, y, z);
}

void stop_in_any_case(std::uint32_t item, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  if (item == WARPSCOPE_ALL_ITEMS) stop<Addresses::Unknown>(x, y, z);
  stop<Addresses::Known>(x, y, z);
}

/// One launch whose work-groups are taken apart. Not destroyed while a kernel is in it.
class Measurement {
 public:
  Measurement(OpenClDevice& device, const ResolvedLaunch& launch, const KernelInfo& kernel,
              std::span<const std::uint8_t> bitcode)
      : empty_(without_content(launch)),
        objects_(number_objects(launch, kernel)),
        run_(device, empty_, bitcode, kBitcodeBuildOptions, kReserved),
        sink_(kernel) {
    for (std::size_t index = 0; index < launch.arguments.size(); ++index)
      if (launch.arguments[index].parameter.kind == ParameterSignature::Kind::Buffer &&
          launch.arguments[index].size == 0)
        objects_.arguments[index].size = kReserved;
    RecorderSetup setup;
    setup.kernel = &kernel;
    setup.groups = {launch.global.x / launch.local.x, launch.global.y / launch.local.y,
                    launch.global.z / launch.local.z};
    setup.local = launch.local;
    setup.selection = GroupSelection::parse("all");
    setup.arguments = objects_.arguments;
    setup.objects = objects_.objects;
    recorder_.emplace(setup, sink_);
  }

  /// Records the launch if its addresses are known, or only asks whether they are.
  Addresses run(bool only_asks) {
    WarpscopeAbiV2& table = WARPSCOPE_ABI_SYMBOL_ID;  // the recorder puts it back
    recorders_begin = table.begin;
    table.begin = only_asks ? &stop_in_any_case : &begin_if_known;
    if (only_asks) table.begin_boxes = table.begin_grid_boxes = &stop<Addresses::Known>;
    run_.enqueue();
    while (!recorder_->wait(std::chrono::milliseconds(5)) && stopped_with.load() == Addresses::Recorded)
      if (run_.has_ended()) break;
    if (stopped_with.load() != Addresses::Recorded) return stopped_with.load();
    run_.finish();
    recorder_->check();
    return Addresses::Recorded;
  }

  [[nodiscard]] BufferSizes sizes() const {
    BufferSizes sizes;
    for (std::size_t index = 0; index < empty_.arguments.size(); ++index)
      if (const ParameterSignature& parameter = empty_.arguments[index].parameter;
          parameter.kind == ParameterSignature::Kind::Buffer)
        sizes[parameter.name] = sink_.end_of(objects_.arguments[index].id);
    return sizes;
  }

 private:
  ResolvedLaunch empty_;
  LaunchObjects objects_;
  KernelRun run_;
  ExtentSink sink_;
  std::optional<Recorder> recorder_;
};

}  // namespace

std::optional<BufferSizes> measure_buffers(OpenClDevice& device, const ResolvedLaunch& launch,
                                           const KernelInfo& kernel, std::span<const std::uint8_t> bitcode) {
  auto measurement = std::make_unique<Measurement>(device, launch, kernel, bitcode);
  if (measurement->run(false) == Addresses::Recorded) return measurement->sizes();
  (void)measurement.release();  // PoCL's threads stay in it
  return std::nullopt;
}

bool can_measure_buffers(OpenClDevice& device, const ResolvedLaunch& launch, const KernelInfo& kernel,
                         std::span<const std::uint8_t> bitcode) {
  auto measurement = std::make_unique<Measurement>(device, launch, kernel, bitcode);
  const Addresses addresses = measurement->run(true);
  (void)measurement.release();
  return addresses == Addresses::Known;
}

}  // namespace warpscope
