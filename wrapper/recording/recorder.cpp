#include "wrapper/recording/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <thread>

#include "traces/base/error.h"
#include "traces/program/work_group_trace.h"
#include "wrapper/recording/fault_handlers.h"
#include "wrapper/recording/runtime.h"
#include "wrapper/recording/spill/payload_parts.h"

namespace warpscope {

std::atomic<std::uint64_t> recorder_generation{0};

namespace {

std::mutex active_mutex;
Recorder* active = nullptr;  // guarded by active_mutex

}  // namespace

Recorder::Thread::Thread(Recorder& owner, std::uint32_t work_items)
    : recorder(owner),
      boxes(owner.setup_.local, static_cast<std::uint32_t>(owner.setup_.kernel->sites.size())),
      objects(owner.setup_.arguments, owner.setup_.objects, work_items, owner.setup_.others),
      builder(*owner.setup_.kernel, work_items, owner.setup_.record_order),
      box_builder(*owner.setup_.kernel, owner.setup_.local),
      group_boxes(*owner.setup_.kernel, owner.setup_.local),
      known(*owner.setup_.kernel, owner.setup_.groups, owner.setup_.local),
      items(work_items),
      ended(work_items) {
  recording.limit_memory(owner.setup_.group_memory);
  boxes.limit_memory(owner.setup_.group_memory);
  if (owner.setup_.guard != nullptr) recording.set_rooms(initial_rooms(*owner.setup_.kernel));
}

// Called from inside a kernel: nothing may be thrown.
void Recorder::Thread::look_up(std::uint64_t address, std::uint32_t site, std::uint32_t item) noexcept {
  const RecorderSetup& setup = recorder.setup_;
  SiteRoom& room = recording.room(site);
  const std::uint32_t width = setup.kernel->sites[site].width;
  const bool is_misaligned = (address & room.odd_bits) != 0;
  const auto take = [&](const AddressGuard::Range& range) {
    if (address - range.base >= range.size || range.size - (address - range.base) < width) return false;
    room.base = range.base;
    room.reach = range.size - width;
    return true;
  };
  if (!is_misaligned) {
    if (take(setup.guard->allocation_of(address))) return;
    // Variables of the program and of the block; a work-item's own are at another place for each.
    const PlacedObject shared = objects.find_shared(address, address + width);
    if (shared.id.value() != 0 && take({shared.base, shared.size})) return;
    if (objects.find(StaticObject{}, address, address + width, item).id.value() != 0) return;
  }
  const Dim3& local = setup.local;
  const Dim3& groups = setup.groups;
  const std::uint64_t number = group.value();
  setup.guard->judge({setup.kernel,
                      SiteId(site),
                      address,
                      is_misaligned,
                      {number % groups.x, number / groups.x % groups.y, number / groups.x / groups.y},
                      {item % local.x, item / local.x % local.y, item / local.x / local.y}});
}

/// A work-group begins; whether it is recorded.
bool Recorder::Thread::open(std::uint64_t group_x, std::uint64_t group_y, std::uint64_t group_z) {
  const Dim3& groups = recorder.setup_.groups;
  group = WorkGroupId(static_cast<std::uint32_t>(group_x + groups.x * (group_y + groups.y * group_z)));
  ended = 0;
  has_early_end = false;
  is_predicted = false;
  is_one_box = false;
  is_in_boxes = false;
  has_boxes_ = false;
  selected = recorder.setup_.selection.contains(recorder.setup_.launch, group);
  if (selected && recorder.first_begin_.load(std::memory_order_relaxed) == 0) {
    Clock::rep none = 0;
    recorder.first_begin_.compare_exchange_strong(none, Clock::now().time_since_epoch().count());
  }
  return selected;
}

void Recorder::Thread::begin_item(std::uint64_t group_x, std::uint64_t group_y, std::uint64_t group_z) {
  if (ended != items) return;  // a later work-item of the group that is open
  if (!open(group_x, group_y, group_z)) return;
  try {
    const KernelInfo& kernel = *recorder.setup_.kernel;
    const auto sites = static_cast<std::uint32_t>(kernel.sites.size());
    if (kernel.machine_code.empty())
      recording.reset(items, sites);
    else
      recording.reset_for_warps(items, sites);
  } catch (...) {
    recorder.fail(std::current_exception());
    selected = false;
  }
}

void Recorder::Thread::begin_boxes(std::uint64_t group_x, std::uint64_t group_y, std::uint64_t group_z,
                                   bool are_of_grid) {
  if (open(group_x, group_y, group_z)) {
    boxes.begin();
    group_boxes.begin();
    is_in_boxes = true;
    // Where addresses are checked, it is of each box.
    if (recorder.setup_.guard == nullptr) known.begin({group_x, group_y, group_z}, are_of_grid);
  }
  is_predicted = true;
}

void Recorder::Thread::end_recorded_box(std::uint32_t violated) {
  const bool holds = boxes.end(violated);
  known.end_noted(boxes.box(), holds);
  if (!holds) return;
  try {
    if (recorder.setup_.guard != nullptr) check_box();
    is_one_box = boxes.is_whole_group();
    if (is_one_box || (is_in_boxes && group_boxes.take(boxes))) return;
    add_taken_boxes();
    add_box();
  } catch (...) {
    recorder.fail(std::current_exception());
    selected = false;
  }
}

/// All of the box's accesses of a checked site are in one piece of memory, aligned as they have to be.
bool Recorder::Thread::has_room(std::uint32_t site, const BoxExtent& extent) {
  SiteRoom& room = recording.room(site);
  if (room.odd_bits == 0 && room.reach == ~std::uint64_t{0}) return true;
  const std::uint64_t first = boxes.origin().slot(0, site).first;
  const std::uint64_t begin = first + static_cast<std::uint64_t>(extent.lowest);
  const std::uint64_t last = first + static_cast<std::uint64_t>(extent.highest);
  const std::uint32_t width = recorder.setup_.kernel->sites[site].width;
  if (!extent.fits || ((first | extent.odd_bits) & room.odd_bits) != 0 || last < begin) return false;
  const auto holds = [&] { return room.holds(begin) && room.holds(last); };
  if (holds()) return true;
  if (const AddressGuard::Range range = recorder.setup_.guard->allocation_of(begin); range.size >= width) {
    room.base = range.base;
    room.reach = range.size - width;
    if (holds()) return true;
  }
  // Variables of the program and of the block; a box's private memory is at the same place for all.
  return objects.find(StaticObject{}, begin, last + width, 0).id.value() != 0;
}

/// Before the box runs. What is not wholly inside of an allocation is looked at access by access.
void Recorder::Thread::check_box() {
  const std::vector<BoxExtent> extents = boxes.extents();
  bool inside = true;
  for (std::uint32_t site = 0; site < extents.size(); ++site)
    if (boxes.origin().slot(0, site).delta != Slot::kUnused) inside &= has_room(site, extents[site]);
  if (inside) return;
  boxes.for_each_access([this](std::uint64_t address, std::uint32_t site, std::uint32_t item) {
    if (!recording.room(site).holds(address)) look_up(address, site, item);
  });
}

/// Records the work-items of boxes that were taken, if there are any, one by one.
void Recorder::Thread::add_taken_boxes() {
  if (!is_in_boxes) return;
  is_in_boxes = false;
  has_boxes_ = true;
  recording.reset(items, static_cast<std::uint32_t>(recorder.setup_.kernel->sites.size()));
  group_boxes.record(recording);
}

/// Records the work-items of the box one by one.
void Recorder::Thread::add_box() {
  if (!has_boxes_) recording.reset(items, static_cast<std::uint32_t>(recorder.setup_.kernel->sites.size()));
  has_boxes_ = true;
  recording.add_box(boxes.origin(), boxes.box(), boxes.strides(), recorder.setup_.local);
}

std::optional<RecordedAccess> Recorder::Thread::find(std::uint64_t address) const {
  if (is_in_boxes && known.is_following()) return known.find(address);
  if (is_in_boxes && !is_one_box) return group_boxes.find(address);
  if (!is_one_box && !has_boxes_) return {};
  const std::vector<SiteInfo>& sites = recorder.setup_.kernel->sites;
  const Recording& records = is_one_box ? boxes.origin() : recording;
  for (std::uint32_t item = 0; item < items; ++item)
    for (std::uint32_t site = 0; site < sites.size(); ++site) {
      if (sites[site].space == AddressSpace::Private) continue;  // not at their places in this process
      const std::uint64_t way = is_one_box ? boxes.way_to(item, site) : 0;
      if (const auto at = records.find(is_one_box ? 0 : item, site, address, way, sites[site]))
        return RecordedAccess{site, item, *at};
    }
  return {};
}

namespace {

void refuse_overflow(const Recording& recording) {
  if (!recording.has_overflowed()) return;
  if (recording.why_overflowed().empty()) throw std::bad_alloc();
  throw UnrecordableGroup(recording.why_overflowed());
}

}  // namespace

std::optional<std::span<const std::uint8_t>> Recorder::Thread::encode_group() {
  if (is_in_boxes && known.is_following()) return known.put();
  const LaunchId launch = recorder.setup_.launch;
  auto outcome = BoxBuilder::Outcome::NotInOneObject;
  if (is_one_box) {
    refuse_overflow(boxes.origin());
    if (boxes.origin().file() == nullptr) outcome = box_builder.build(boxes, objects, launch, group);
    if (outcome == BoxBuilder::Outcome::NotInOneObject)
      add_box();
    else if (known.can_learn(boxes.has_learned()))
      known.learn(box_builder.encoded(boxes), objects);
    if (outcome == BoxBuilder::Outcome::EncodedAsBefore) return box_builder.payload();
  }
  const bool are_taken = is_in_boxes && !is_one_box;
  if (are_taken) {
    if (const auto encoded = group_boxes.put(objects); !encoded.empty()) {
      if (known.can_learn(boxes.has_learned())) known.learn(group_boxes.encoded(), objects);
      return encoded;
    }
    add_taken_boxes();
  }
  if (outcome == BoxBuilder::Outcome::NotInOneObject) {
    refuse_overflow(recording);
    if (recording.file() != nullptr) return {};
    const WorkGroupTrace& trace = builder.build(recording, objects, launch, group);
    payload = encode(trace);
    if (are_taken && group_boxes.keep(recording, trace, objects) && known.can_learn(boxes.has_learned()))
      known.learn(group_boxes.encoded(), objects);
  }
  peak_bytes = std::max(peak_bytes, memory_bytes() + payload.capacity());
  return outcome == BoxBuilder::Outcome::Encoded ? box_builder.payload() : payload;
}

void Recorder::Thread::put_group(WorkGroupSink& sink) {
  if (const auto encoded = encode_group()) {
    encoded_bytes += encoded->size();
    sink.add(recorder.setup_.launch, group, *encoded);
  } else {
    put_filed_group(sink);
  }
}

void Recorder::Thread::put_filed_group(WorkGroupSink& sink) {
  peak_bytes = std::max(peak_bytes, memory_bytes());
  if (!recording.complete_file()) refuse_overflow(recording);
  // A part is as large as a few of the records that are in memory at once.
  const std::uint64_t part = std::clamp<std::uint64_t>(recorder.setup_.group_memory / 64, 4096, kLargestPart);
  PayloadParts parts(sink, recorder.setup_.launch, group, part);
  try {
    put_spilled_group(*recorder.setup_.kernel, recording, objects, recorder.setup_.launch, group, builder,
                      parts);
  } catch (const InputError& error) {
    if (parts.has_failed_sink()) throw;
    throw UnrecordableGroup(advice_for_file(error.what()));
  }
  parts.end();
  encoded_bytes += parts.bytes();
  recording.release();
}

std::size_t Recorder::Thread::memory_bytes() const {
  return recording.memory_bytes() + builder.memory_bytes() + boxes.memory_bytes() +
         box_builder.memory_bytes() + group_boxes.memory_bytes() + known.memory_bytes();
}

// Called from inside a kernel: nothing may be thrown.
Recorder::Thread* attach_thread() noexcept {
  const std::lock_guard lock(active_mutex);
  if (active == nullptr) return nullptr;
  try {
    auto thread =
        std::make_unique<Recorder::Thread>(*active, static_cast<std::uint32_t>(active->setup_.local.count()));
    const std::lock_guard list_lock(active->mutex_);
    active->threads_.push_back(std::move(thread));
    ensure_alternate_stack();
    return active->threads_.back().get();
  } catch (...) {
    active->fail(std::current_exception());
    return nullptr;
  }
}

void Recorder::fail(std::exception_ptr failure) noexcept {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
  abandoned_ = true;
}

Recorder::Recorder(const RecorderSetup& setup, WorkGroupSink& sink)
    : setup_(setup), sink_(sink), expected_(setup.selection.count(setup.launch, setup.groups.count())) {
  const std::lock_guard lock(active_mutex);
  if (active != nullptr) throw std::logic_error("a recorder is active already");
  active = this;
  recorder_generation.fetch_add(1, std::memory_order_release);
  set_table(setup.record_order       ? TableMode::RecordOrder
            : setup.guard != nullptr ? TableMode::RecordChecked
                                     : TableMode::Record);
}

Recorder::~Recorder() {
  const std::lock_guard lock(active_mutex);
  set_table(TableMode::Idle);
  active = nullptr;
  recorder_generation.fetch_add(1, std::memory_order_release);
}

// Called from inside a kernel: nothing may be thrown through the code that PoCL compiled. Small work-groups end every
// few hundred nanoseconds, so where all goes well a thread writes to nothing that another one reads or writes often.
void Recorder::finish_work_group(Thread& thread) noexcept {
  thread.is_in_sink = true;  // before the look at abandoned_: abandon() waits for who was not abandoned
  if (!abandoned_ && thread.has_early_end) {
    note_left_out(thread, "an assertion failed in it");
  } else if (!abandoned_) {
    std::exception_ptr failure;
    try {
      thread.put_group(sink_);
      thread.done.store(thread.done.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    } catch (const UnrecordableGroup& error) {
      leave_out(thread, error.what());
    } catch (const std::bad_alloc&) {
      leave_out(thread, {});
    } catch (...) {
      failure = std::current_exception();
    }
    if (failure) fail(failure);
  }
  thread.is_in_sink.store(false, std::memory_order_release);
}

void Recorder::leave_out(Thread& thread, const std::string& why) {
  if (!thread.recording.has_overflowed()) thread.builder.forget();
  note_left_out(thread, why);
}

void Recorder::note_left_out(const Thread& thread, const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (left_out_++ != 0 && first_left_out_ < thread.group) return;
  first_left_out_ = thread.group;
  why_left_out_ = why;
}

namespace {

/// Looks again and again, ever more seldom, until `holds()` or `timeout` is over; whether it holds.
template <class Condition>
bool wait_until(std::chrono::milliseconds timeout, Condition holds) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  std::chrono::nanoseconds pause = std::chrono::microseconds(20);
  while (!holds()) {
    const auto left = end - std::chrono::steady_clock::now();
    if (left <= left.zero()) return false;
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(pause, left));
    pause = std::min<std::chrono::nanoseconds>(2 * pause, std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace

bool Recorder::wait(std::chrono::milliseconds timeout) {
  return wait_until(timeout, [this] { return is_complete() || (has_failed() && !is_in_sink()); });
}

bool Recorder::is_complete() const {
  return work_groups_done() + left_out_ == expected_;
}

std::uint64_t Recorder::work_groups_done() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& thread : threads_) sum += thread->done.load(std::memory_order_acquire);
  return sum;
}

bool Recorder::has_failed() const {
  const std::lock_guard lock(mutex_);
  return failure_ != nullptr;
}

bool Recorder::is_in_sink() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(threads_.begin(), threads_.end(),
                     [](const auto& thread) { return thread->is_in_sink.load(); });
}

void Recorder::abandon() {
  abandoned_ = true;
  wait_until(std::chrono::seconds(5), [this] { return !is_in_sink(); });
}

void Recorder::check() const {
  if (has_failed()) std::rethrow_exception(failure_);
  const std::uint64_t done = work_groups_done();
  if (done + left_out_ != expected_)
    throw std::logic_error(fmt::format("{} of {} work-groups reported their end", done, expected_));
}

RecorderTotals Recorder::totals() const {
  RecorderTotals totals;
  totals.work_groups = work_groups_done();
  const std::lock_guard lock(mutex_);
  totals.sites.resize(setup_.kernel->sites.size());
  totals.left_out = left_out_;
  totals.first_left_out = first_left_out_;
  totals.why_left_out = why_left_out_;
  if (left_out_ != 0 && why_left_out_.empty())
    totals.why_left_out = fmt::format(
        "there is not enough memory; --limit-memory below {:.0f}M takes less at once, --work-groups leaves "
        "it out",
        std::ceil(static_cast<double>(setup_.group_memory) / 1048576.0));
  for (const auto& thread : threads_) {
    const std::vector<std::uint64_t> known = thread->known.executions();
    totals.peak_memory_bytes += thread->peak_bytes;
    totals.encoded_bytes += thread->encoded_bytes;
    for (std::size_t site = 0; site < totals.sites.size(); ++site) {
      totals.sites[site].executions +=
          thread->box_builder.executions()[site] + thread->group_boxes.executions()[site] + known[site];
      totals.sites[site] += thread->builder.totals()[site];
    }
  }
  return totals;
}

std::vector<std::uint64_t> Recorder::argument_addresses() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> addresses(setup_.arguments.size(), 0);
  for (const auto& thread : threads_)
    for (std::size_t index = 0; index < addresses.size(); ++index)
      if (addresses[index] == 0) addresses[index] = thread->objects.argument_base(index);
  return addresses;
}

std::string left_out_report(const RecorderTotals& totals) {
  if (totals.left_out == 0) return {};
  const std::string first =
      fmt::format("work-group {} is not recorded: {}", totals.first_left_out.value(), totals.why_left_out);
  return totals.left_out == 1 ? first
                              : fmt::format("{} work-groups are not recorded; {}", totals.left_out, first);
}

Recorder::Clock::time_point Recorder::first_begin() const {
  return Clock::time_point(Clock::duration(first_begin_.load()));
}

}  // namespace warpscope
