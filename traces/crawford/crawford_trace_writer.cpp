#include <fmt/format.h>

#include <algorithm>

#include "traces/base/error.h"
#include "traces/capture/walk.h"
#include "traces/crawford/crawford_trace.h"
#include "traces/crawford/crawford_trace_bits.h"
#include "traces/files/output_file.h"

namespace warpscope {
namespace {

using Kind = CrawfordTraceRecord::Kind;

void require(bool good, const char* what, std::uint64_t value, const char* expected) {
  if (!good)
    throw InputError(
        fmt::format("{} {} does not fit the format of Crawford 2014, expected {}", what, value, expected));
}

std::uint64_t name_number(SiteId site) {
  std::uint64_t number = kCrawfordNameLetter;
  for (const char digit : fmt::format("{}", site.value()))
    number = number * 36 + static_cast<std::uint64_t>(digit - '0');
  require(number >> kCrawfordNameBits == 0, "site", site.value(), "at most 9999");
  return number;
}

std::uint64_t access_word(const CrawfordTraceRecord& record) {
  if (record.kind == Kind::LocalBarrier) return 1;
  if (record.kind == Kind::GlobalBarrier) return 2;
  const std::uint64_t address = record.address.value();
  require(address >> 32 == 0, "address", address,
          "less than 2^32; choose a lower --buffer-base or smaller buffers");
  const std::uint64_t mark = record.kind == Kind::Read ? kCrawfordReadMark : kCrawfordWriteMark;
  return address << kCrawfordAddressShift | mark << kCrawfordMarkShift | name_number(record.site);
}

std::uint64_t id_word(const CrawfordTraceRecord& record) {
  for (const std::uint64_t id : {record.item.x, record.item.y, record.item.z}) {
    require(id < kCrawfordIdLimit, "global id", id, "less than 2^20");
  }
  return record.item.x | record.item.y << kCrawfordIdBits | record.item.z << (2 * kCrawfordIdBits);
}

std::uint64_t loop_word(const CrawfordTraceRecord& record) {
  std::uint64_t word = 0;
  for (std::uint32_t depth = 0; depth < record.loop_count; ++depth) {
    const auto& [label, iteration] = record.loops[depth];
    require(label < kCrawfordLabelLimit, "loop label", label, "at most 15");
    require(iteration >> kCrawfordIterationBits == 0, "loop iteration", iteration, "at most 65535");
    const std::uint64_t segment = std::uint64_t{label} << kCrawfordIterationBits | iteration;
    word |= segment << ((2 - depth) * kCrawfordLoopBits);
  }
  return word;
}

/// Loop counters of one work-item as Crawford 2014 keeps them.
class LoopCounters {
 public:
  explicit LoopCounters(const KernelInfo& kernel)
      : kernel_(kernel), label_(kernel.loops.size(), kNone), iteration_(kernel.loops.size(), 0) {
    for (std::uint32_t loop = 0; loop < label_.size(); ++loop) assign_label(loop);
  }

  void reset() { iteration_.assign(iteration_.size(), 0); }

  /// A header starts its loop's next iteration; loops that `block` is not in start again.
  void enter(BlockId block) {
    around_.clear();
    for (auto loop = kernel_.blocks[block.value()].loop; loop; loop = kernel_.loops[*loop].parent) {
      around_.push_back(*loop);
    }
    for (std::uint32_t loop = 0; loop < iteration_.size(); ++loop) {
      if (std::find(around_.begin(), around_.end(), loop) == around_.end()) iteration_[loop] = 0;
      if (kernel_.loops[loop].header == block) ++iteration_[loop];
    }
  }

  void store(CrawfordTraceRecord& record) const {
    require(around_.size() <= record.loops.size(), "loop nesting of depth", around_.size(), "at most 3");
    record.loop_count = static_cast<std::uint32_t>(around_.size());
    for (std::size_t depth = 0; depth < around_.size(); ++depth) {
      const std::uint32_t loop = around_[around_.size() - 1 - depth];
      record.loops[depth] = {label_[loop], iteration_[loop]};
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Outer loops get smaller labels than the loops in them.
  void assign_label(std::uint32_t loop) {
    if (label_[loop] != kNone) return;
    if (kernel_.loops[loop].parent) assign_label(*kernel_.loops[loop].parent);
    label_[loop] = next_label_++;
  }

  const KernelInfo& kernel_;
  std::vector<std::uint32_t> label_;
  std::vector<std::uint32_t> iteration_;
  std::vector<std::uint32_t> around_;  ///< loops around the current block, innermost first
  std::uint32_t next_label_ = 0;
};

class CrawfordTraceWriter {
 public:
  CrawfordTraceWriter(const CaptureReader& capture, const LaunchInfo& launch, const LayoutOptions& layout,
                      OutputFile& out)
      : capture_(capture),
        launch_(launch),
        layout_(capture.buffers(), layout),
        loops_(*launch.kernel),
        out_(out) {}

  void run() {
    const Dim3 local = launch_.local;
    out_.write(fmt::format("local size:{} {} {}\n", local.x, local.y, local.z));
    for (const WorkGroupId group : capture_.groups(launch_.id)) {
      const WorkGroupTrace trace = capture_.read(launch_.id, group);
      for (std::uint32_t item = 0; item < trace.work_items; ++item) write_item(trace, WorkItemId(item));
    }
    CrawfordTraceRecord end;
    end.kind = Kind::End;
    write(end);
  }

 private:
  void write_item(const WorkGroupTrace& trace, WorkItemId item) {
    CrawfordTraceRecord record;
    record.item = global_id(trace.group, item);
    loops_.reset();
    walk_work_item(
        *launch_.kernel, trace, item, [&](const WalkStep& step) { write_step(step, record); },
        [&](BlockId block) { loops_.enter(block); });
  }

  void write_step(const WalkStep& step, CrawfordTraceRecord& record) {
    const SiteInfo& site = launch_.kernel->sites[step.site.value()];
    record.site = step.site;
    if (!has_address(site.kind)) {
      const bool is_local = site.operation.find("local") != std::string::npos;
      record.kind = is_local ? Kind::LocalBarrier : Kind::GlobalBarrier;
      record.loop_count = 0;
      return write(record);
    }
    const std::uint32_t buffer = step.where.buffer().value();
    const AddressSpace space = buffer == 0 ? site.space : capture_.buffers()[buffer - 1].space;
    if (space != AddressSpace::Global && space != AddressSpace::Generic) return;
    record.address = layout_.address(step.where);
    loops_.store(record);
    if (site.kind != AccessKind::Store) write(record, Kind::Read);
    if (site.kind != AccessKind::Load) write(record, Kind::Write);
  }

  void write(CrawfordTraceRecord& record, Kind kind) {
    record.kind = kind;
    write(record);
  }
  void write(const CrawfordTraceRecord& record) { out_.write(crawford_trace_line(record) + "\n"); }

  [[nodiscard]] Dim3 global_id(WorkGroupId group, WorkItemId item) const {
    const Dim3 groups = launch_.groups();
    const Dim3 local = launch_.local;
    const auto id = [](std::uint64_t number, std::uint64_t size, std::uint64_t inner, std::uint64_t offset) {
      return offset + number * size + inner;
    };
    const std::uint64_t g = group.value();
    const std::uint64_t i = item.value();
    return {id(g % groups.x, local.x, i % local.x, launch_.offset.x),
            id(g / groups.x % groups.y, local.y, i / local.x % local.y, launch_.offset.y),
            id(g / groups.x / groups.y, local.z, i / local.x / local.y, launch_.offset.z)};
  }

  const CaptureReader& capture_;
  const LaunchInfo& launch_;
  Layout layout_;
  LoopCounters loops_;
  OutputFile& out_;
};

}  // namespace

std::string crawford_trace_line(const CrawfordTraceRecord& record) {
  if (record.kind == Kind::End) return "--";
  return fmt::format("0x{:X}|0x{:X}|0x{:X}", access_word(record), id_word(record), loop_word(record));
}

void write_crawford_trace(const CaptureReader& capture, LaunchId launch, const LayoutOptions& layout,
                          const std::string& path) {
  const auto found = std::find_if(capture.launches().begin(), capture.launches().end(),
                                  [&](const LaunchInfo& info) { return info.id == launch; });
  if (found == capture.launches().end()) {
    throw InputError(fmt::format("the capture has no launch {}, expected one of its {}", launch.value(),
                                 capture.launches().size()));
  }
  OutputFile out(path);
  CrawfordTraceWriter(capture, *found, layout, out).run();
  out.commit();
}

}  // namespace warpscope
