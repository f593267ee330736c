// The functions that instrumented kernels call. They run once per access: each is a few instructions in its
// common case.
#include "wrapper/recording/runtime.h"

#include <array>
#include <utility>

#include "passes/RuntimeABI.h"

namespace warpscope {
namespace {

// Initial-exec: the address is one instruction away, without a call into the dynamic loader.
constinit thread_local Recorder::Thread* t_thread __attribute__((tls_model("initial-exec"))) = nullptr;
// Null while a work-group runs that is not recorded.
constinit thread_local Recording* t_recording __attribute__((tls_model("initial-exec"))) = nullptr;
constinit thread_local std::uint64_t t_generation __attribute__((tls_model("initial-exec"))) = 0;

/// This thread's part of the active recorder, if there is one.
void attach() {
  const std::uint64_t generation = recorder_generation.load(std::memory_order_acquire);
  if (t_generation != generation) [[unlikely]] {
    t_thread = attach_thread();
    t_generation = generation;
  }
}

void begin(std::uint32_t /*item*/, std::uint64_t group_x, std::uint64_t group_y, std::uint64_t group_z) {
  attach();
  if (t_thread == nullptr) {
    t_recording = nullptr;
    return;
  }
  t_thread->begin_item(group_x, group_y, group_z);
  t_recording = t_thread->selected ? &t_thread->recording : nullptr;
}

void end(std::uint32_t item) {
  if (t_thread == nullptr) return;
  if (item == WARPSCOPE_ALL_ITEMS) [[unlikely]]
    t_thread->has_early_end = true;
  t_thread->end_item();
}

void access(std::uint64_t address, std::uint32_t site, std::uint32_t item) {
  if (t_recording != nullptr) t_recording->access(address, site, item);
}

void access_checked(std::uint64_t address, std::uint32_t site, std::uint32_t item) {
  if (t_recording == nullptr) return;
  if (!t_recording->room(site).holds(address)) [[unlikely]]
    t_thread->look_up(address, site, item);
  t_recording->access(address, site, item);
}

void access_in_order(std::uint64_t address, std::uint32_t site, std::uint32_t item) {
  if (t_recording == nullptr) return;
  t_recording->note_order(site, item);
  t_recording->access(address, site, item);
}

void branch(std::uint32_t outcome, std::uint32_t bits, std::uint32_t item) {
  if (t_recording != nullptr) t_recording->branch(outcome, bits, item);
}

void sync(std::uint32_t site, std::uint32_t item) {
  if (t_recording != nullptr) t_recording->sync(site, item);
}

void sync_in_order(std::uint32_t site, std::uint32_t item) {
  if (t_recording == nullptr) return;
  t_recording->note_order(site, item);
  t_recording->sync(site, item);
}

void object(std::uint32_t kind, std::uint32_t index, std::uint64_t address, std::uint32_t item) {
  if (t_recording != nullptr) t_thread->objects.place(kind, index, address, item);
}

// --- boxes: called by a work-group's first work-item only ---

template <bool AreOfGrid>
void begin_boxes(std::uint64_t group_x, std::uint64_t group_y, std::uint64_t group_z) {
  attach();
  if (t_thread != nullptr) t_thread->begin_boxes(group_x, group_y, group_z, AreOfGrid);
  t_recording = t_thread != nullptr && t_thread->selected ? &t_thread->recording : nullptr;
}

std::uint64_t next_box() {
  return t_thread != nullptr ? t_thread->next_box() : BoxRecording::kNoBox;
}

// What follows is called after a box only.

std::uint64_t box_reach() {
  return t_thread->box_reach();
}

void box_accesses(std::uint64_t base, std::int64_t stride_x, std::int64_t stride_y, std::int64_t stride_z,
                  const std::int64_t* sites, std::uint32_t count) {
  t_thread->predict_accesses(base, {stride_x, stride_y, stride_z}, {sites, std::size_t{2} * count});
}

void box_branch(std::uint32_t outcome, std::uint32_t bits) {
  t_thread->predict_branch(outcome, bits);
}

void box_sync(std::uint32_t site) {
  t_thread->predict_sync(site);
}

void end_box(std::uint32_t violated) {
  t_thread->end_box(violated);
}

void end_boxes() {
  if (t_thread != nullptr) t_thread->end_boxes();
}

void* leave() {
  if (t_generation != recorder_generation.load(std::memory_order_acquire)) return nullptr;
  t_generation = 0;  // the next work-group on this thread of the host gets a recording of its own
  t_recording = nullptr;
  return std::exchange(t_thread, nullptr);
}

void enter(void* group) {
  t_generation = recorder_generation.load(std::memory_order_acquire);
  t_thread = static_cast<Recorder::Thread*>(group);
  t_recording = t_thread != nullptr && t_thread->selected ? &t_thread->recording : nullptr;
}

void idle_begin(std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t) {}
void idle_end(std::uint32_t) {}
void idle_access(std::uint64_t, std::uint32_t, std::uint32_t) {}
void idle_branch(std::uint32_t, std::uint32_t, std::uint32_t) {}
void idle_sync(std::uint32_t, std::uint32_t) {}
void idle_object(std::uint32_t, std::uint32_t, std::uint64_t, std::uint32_t) {}

void idle_end_boxes() {}
void idle_begin_boxes(std::uint64_t, std::uint64_t, std::uint64_t) {}
std::uint64_t idle_next_box() {
  return BoxRecording::kNoBox;
}

void* idle_leave() {
  return nullptr;
}
void idle_enter(void*) {}

constexpr WarpscopeAbiV2 kIdle = {
    idle_begin,       idle_end,       idle_access,      idle_branch,  idle_sync,  idle_object,
    idle_begin_boxes, idle_next_box,  box_reach,        box_accesses, box_branch, box_sync,
    end_box,          idle_end_boxes, idle_begin_boxes, idle_leave,   idle_enter};

constexpr WarpscopeAbiV2 recording_table() {
  return {begin,     end,          access,     branch,   sync,    object,    begin_boxes<false>, next_box,
          box_reach, box_accesses, box_branch, box_sync, end_box, end_boxes, begin_boxes<true>,  leave,
          enter};
}

constexpr WarpscopeAbiV2 kRecord = recording_table();
constexpr WarpscopeAbiV2 kRecordOrder = [] {
  WarpscopeAbiV2 table = recording_table();
  table.access = access_in_order;
  table.sync = sync_in_order;
  return table;
}();
constexpr WarpscopeAbiV2 kRecordChecked = [] {
  WarpscopeAbiV2 table = recording_table();
  table.access = access_checked;
  return table;
}();

}  // namespace
}  // namespace warpscope

// PoCL loads a kernel with dlopen; the kernel's reference to this table is resolved against the executable,
// which has to export it (-rdynamic).
extern "C" {
__attribute__((visibility("default"), used)) WarpscopeAbiV2 WARPSCOPE_ABI_SYMBOL_ID = warpscope::kIdle;
}

namespace warpscope {

const Recorder::Thread* running_thread() noexcept {
  if (t_thread == nullptr || t_generation != recorder_generation.load(std::memory_order_acquire))
    return nullptr;
  return t_thread->ended != t_thread->items ? t_thread : nullptr;
}

void record_accesses(const std::uint64_t* addresses, std::uint32_t lanes, std::uint32_t site,
                     std::uint32_t warp) {
  if (t_recording != nullptr) t_recording->access_lanes(addresses, lanes, site, warp);
}

void record_branches(std::uint32_t taken, std::uint32_t lanes, std::uint32_t warp) {
  if (t_recording != nullptr) t_recording->branch_lanes(taken, lanes, warp);
}

void record_syncs(std::uint32_t lanes, std::uint32_t site, std::uint32_t warp) {
  if (t_recording != nullptr) t_recording->sync_lanes(lanes, site, warp);
}

void set_walks(GroupWalks walks) {
  if (t_recording != nullptr) t_recording->set_walks(std::move(walks));
}

void set_table(TableMode mode) {
  constexpr std::array kTables = {&kIdle, &kRecord, &kRecordOrder, &kRecordChecked};
  WARPSCOPE_ABI_SYMBOL_ID = *kTables[static_cast<std::size_t>(mode)];
}

}  // namespace warpscope
