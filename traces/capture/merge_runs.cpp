#include "traces/capture/merge_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <queue>

#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/capture/capture_format.h"
#include "traces/capture/runs/known_records.h"
#include "traces/capture/runs/lane_runs.h"
#include "traces/capture/runs/run_builder.h"
#include "traces/capture/runs/run_table.h"
#include "traces/program/kernel_info.h"

namespace warpscope {

StoredSection FreshSections::add(std::span<const std::uint8_t> section) {
  if (!file_.valid()) file_ = open_spool();
  write_all(file_.get(), section, "temporary file");
  StoredSection stored;
  stored.extent = {size_, static_cast<std::uint32_t>(section.size())};
  stored.checksum = parse_section_header(section.first<kSectionHeaderBytes>()).checksum;
  stored.is_fresh = true;
  size_ += section.size();
  return stored;
}

std::vector<std::uint8_t> FreshSections::read(const StoredSection& section) const {
  std::vector<std::uint8_t> bytes(section.extent.size);
  if (read_some_at(file_.get(), section.extent.offset, bytes, "temporary file") != bytes.size())
    throw InputError("temporary file: became shorter while it was read");
  return bytes;
}

namespace {

using Carries = std::shared_ptr<const std::vector<bool>>;
using Chunks = std::span<const CaptureContents::Chunk>;
using RunSections = std::span<const CaptureContents::Runs>;

SectionHeader header_of(std::span<const std::uint8_t> section) {
  return parse_section_header(section.first<kSectionHeaderBytes>());
}

/// Which sites of a launch carry addresses.
class LaunchSites {
 public:
  LaunchSites(const SectionBytes& bytes, const std::vector<CaptureContents::Launch>& launches)
      : bytes_(bytes), launches_(launches) {}

  Carries of(const CaptureContents::Launch& launch) {
    Carries& known = known_[launch.id];
    if (known) return known;
    const nlohmann::json content =
        parse_json(text_of(decoder_.decode(bytes_(launch.section), "launch")), "launch");
    if (const auto shares = content.find("shares"); shares != content.end() && shares->is_number_unsigned()) {
      const LaunchId id(shares->get<std::uint32_t>());
      const auto other = std::ranges::lower_bound(launches_, id, {}, &CaptureContents::Launch::id);
      if (other == launches_.end() || other->id != id || id >= launch.id)
        throw InputError("launch: 'shares' is not the id of an earlier launch");
      return known = of(*other);
    }
    if (!content.contains("kernel")) throw InputError("launch: has no kernel");
    std::vector<bool> carries;
    for (const SiteInfo& site : kernel_info_from_json(content["kernel"]).sites)
      carries.push_back(has_address(site.kind));
    return known = std::make_shared<const std::vector<bool>>(std::move(carries));
  }

 private:
  const SectionBytes& bytes_;
  const std::vector<CaptureContents::Launch>& launches_;
  SectionDecoder decoder_;
  std::map<LaunchId, Carries> known_;
};

/// Makes the RUNS sections of a launch.
class RunWriter {
 public:
  RunWriter(LaunchId launch, FreshSections& fresh, std::vector<CaptureContents::Runs>& sections)
      : launch_(launch), fresh_(fresh), sections_(sections) {}

  /// `run` repeats `record`; runs come in ascending order.
  void add(WorkGroupId record, GroupRun run, std::span<const std::uint64_t> numbers,
           std::span<const std::uint64_t> by) {
    std::vector<std::uint64_t> moved(numbers.begin(), numbers.end());
    for (;;) {
      const std::uint32_t taken = tail_.take(record, run, moved, by);
      if (taken == run.count) return;
      if (taken == 0) {
        put_tail();
        tail_.begin(record, run, moved, by);
        return;
      }
      run.first += taken * run.step;
      run.count -= taken;
      for (std::size_t index = 0; index < moved.size(); ++index) moved[index] += taken * by[index];
    }
  }

  /// A record follows: no run has work-groups on both sides of one.
  void interrupt() { put_tail(); }
  void finish() {
    put_tail();
    close();
  }

 private:
  static constexpr std::size_t kMostCoded = 1u << 17;  ///< bytes of a section's runs

  void put_tail() {
    if (tail_.run.count == 0) return;
    std::uint32_t form = table_.form_of(tail_.record, tail_.first.size());
    if (form == RunTable::kMostForms || encoder_->bytes() > kMostCoded) {
      close();
      form = table_.form_of(tail_.record, tail_.first.size());
    }
    if (groups_ == 0) lowest_ = tail_.run.first;
    groups_ += tail_.run.count;
    tail_.run.form = form;
    encoder_->add(tail_.run, tail_.first, tail_.deltas);
    tail_.run.count = 0;
  }

  void close() {
    if (groups_ == 0) return;
    const std::vector<std::uint8_t> payload = encoder_->payload(table_.forms);
    const StoredSection section = fresh_.add(sections_encoder_.encode(kRunsTag, launch_, lowest_, payload));
    sections_.push_back({launch_, WorkGroupId(lowest_), section, groups_});
    encoder_.emplace();
    table_.forms.clear();
    groups_ = 0;
  }

  LaunchId launch_;
  FreshSections& fresh_;
  std::vector<CaptureContents::Runs>& sections_;
  SectionEncoder sections_encoder_;
  RunBuilder tail_;
  std::optional<RunEncoder> encoder_ = std::optional<RunEncoder>(std::in_place);
  RunTable table_;  ///< its forms alone
  std::uint32_t lowest_ = 0;
  std::uint64_t groups_ = 0;
};

/// The runs that threads recorded, in ascending order of their work-groups.
class RecordedRuns {
 public:
  /// What comes next: work-groups of one run.
  struct Piece {
    GroupRun run;
    WorkGroupId record;
    std::vector<std::uint64_t> numbers, by;
  };

  RecordedRuns(const SectionBytes& bytes, RunSections sections) : bytes_(bytes), sections_(sections) {}

  /// Number of the next work-group; 2^32 if there is none.
  std::uint64_t next() {
    while (!sections_.empty() && (heap_.empty() || sections_.front().lowest.value() <= heap_.top()->first))
      open();
    return heap_.empty() ? kNone : heap_.top()->first;
  }
  /// The work-groups below `stop` that follow each other in one run. next() is one of them.
  Piece take(std::uint64_t stop) {
    const std::shared_ptr<Cursor> cursor = heap_.top();
    heap_.pop();
    if (!heap_.empty()) stop = std::min(stop, heap_.top()->first);
    if (!sections_.empty()) stop = std::min<std::uint64_t>(stop, sections_.front().lowest.value());
    GroupRun run = cursor->table->runs[cursor->run];
    const auto by = cursor->table->deltas_of(cursor->run);
    const std::uint64_t below = stop <= cursor->first ? 1 : (stop - cursor->first + run.step - 1) / run.step;
    run.first = static_cast<std::uint32_t>(cursor->first);
    run.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(below, cursor->left));
    Piece piece{run, cursor->table->forms[run.form].record, cursor->numbers, {by.begin(), by.end()}};
    cursor->first += std::uint64_t{run.count} * run.step;
    cursor->left -= run.count;
    for (std::size_t index = 0; index < by.size(); ++index) cursor->numbers[index] += run.count * by[index];
    if (cursor->left != 0) heap_.push(cursor);
    return piece;
  }
  static constexpr std::uint64_t kNone = std::uint64_t{1} << 32;

 private:
  struct Cursor {
    std::shared_ptr<const RunTable> table;
    std::size_t run = 0;
    std::uint64_t first = 0;
    std::uint32_t left = 0;
    std::vector<std::uint64_t> numbers;
  };
  struct Later {
    bool operator()(const std::shared_ptr<Cursor>& a, const std::shared_ptr<Cursor>& b) const {
      return a->first > b->first;
    }
  };

  void open() {
    const auto table = std::make_shared<const RunTable>(
        decode_runs(decoder_.decode(bytes_(sections_.front().section), "runs")));
    sections_ = sections_.subspan(1);
    for (std::size_t run = 0; run < table->runs.size(); ++run) {
      const auto first = table->first_of(run);
      heap_.push(std::make_shared<Cursor>(
          Cursor{table, run, table->runs[run].first, table->runs[run].count, {first.begin(), first.end()}}));
    }
  }

  const SectionBytes& bytes_;
  RunSections sections_;  ///< those that are not open yet, ascending
  SectionDecoder decoder_;
  std::priority_queue<std::shared_ptr<Cursor>, std::vector<std::shared_ptr<Cursor>>, Later> heap_;
};

/// One launch.
class LaunchMerge {
 public:
  LaunchMerge(const SectionBytes& bytes, Carries carries, Chunks chunks, FreshSections& fresh)
      : bytes_(bytes),
        carries_(std::move(carries)),
        chunks_(chunks),
        fresh_(fresh),
        known_(carries_, [this](WorkGroupId group) { return payload_of(group); }) {}

  void run(const std::string& path, const CaptureContents::Launch& launch, RunSections sections,
           CaptureContents& merged) {
    launch_ = launch.id;
    RunWriter runs(launch.id, fresh_, merged.runs);
    RecordedRuns recorded(bytes_, sections);
    auto chunk = chunks_.begin();
    for (std::uint64_t before = 0, group = 0;; before = group + 1) {
      const std::uint64_t next = recorded.next();
      const std::uint64_t in_chunk = chunk == chunks_.end() ? RecordedRuns::kNone : chunk->group.value();
      group = std::min(next, in_chunk);
      if (group == RecordedRuns::kNone) break;
      if (group < before || next == in_chunk)
        throw InputError(
            fmt::format("{}: work-group {} of launch {} was recorded twice", path, group, launch.id.value()));
      if (group >= launch.groups)
        throw InputError(fmt::format("{}: work-group {} of launch {} is outside its {} work-groups", path,
                                     group, launch.id.value(), launch.groups));
      if (in_chunk < next)
        add(*chunk++, runs, merged);
      else
        group = add(recorded.take(in_chunk), runs, merged);
    }
    runs.finish();
  }

 private:
  std::vector<std::uint8_t> payload_of(WorkGroupId group) {
    const auto found = std::ranges::lower_bound(chunks_, group, {}, &CaptureContents::Chunk::group);
    if (found == chunks_.end() || found->group != group) return {};
    const auto payload = decoder_.decode(bytes_(found->section), "work-group");
    return {payload.begin(), payload.end()};
  }

  /// A work-group that was recorded by itself.
  void add(const CaptureContents::Chunk& chunk, RunWriter& runs, CaptureContents& merged) {
    const std::size_t size = header_of(bytes_(chunk.section)).raw_size;
    std::optional<KnownRecords::Match> match;
    std::vector<std::uint8_t> payload;
    if (!chunk.is_split) {
      match = known_.find(size, [&] {
        if (payload.empty()) payload = payload_of(chunk.group);
        return std::span<const std::uint8_t>(payload);
      });
    }
    if (match) return runs.add(match->record, {0, chunk.group.value(), 1, 1}, match->numbers, match->numbers);
    runs.interrupt();
    merged.chunks.push_back(chunk);
    if (!chunk.is_split) known_.add(chunk.group, size, payload);
  }

  /// Returns the last work-group.
  std::uint64_t add(RecordedRuns::Piece piece, RunWriter& runs, CaptureContents& merged) {
    const std::uint64_t last = piece.run.last();
    const GroupForm* const form = form_of(piece.record);
    if (form == nullptr || form->places.size() != piece.numbers.size()) return last;  // its record is lost
    std::optional<WorkGroupId> record = known_as(piece.record, *form);
    if (!record) {
      runs.interrupt();
      add_record(WorkGroupId(piece.run.first), *form, piece.numbers, merged);
      record = WorkGroupId(piece.run.first);
      same_as_[piece.record] = *record;
      piece.run.first += piece.run.step;
      if (--piece.run.count == 0) return last;
      for (std::size_t index = 0; index < piece.by.size(); ++index) piece.numbers[index] += piece.by[index];
    }
    runs.add(*record, piece.run, piece.numbers, piece.by);
    return last;
  }

  /// The record of the finished file that has the form of a record of the file as it is.
  std::optional<WorkGroupId> known_as(WorkGroupId record, const GroupForm& form) {
    if (const auto known = same_as_.find(record); known != same_as_.end() && known_.use(known->second))
      return known->second;
    const std::optional<WorkGroupId> found = known_.find(form);
    if (found) same_as_[record] = *found;
    return found;
  }

  void add_record(WorkGroupId group, const GroupForm& form, std::span<const std::uint64_t> numbers,
                  CaptureContents& merged) {
    std::vector<std::uint8_t> payload;
    if (!form.write(numbers, payload))
      throw InputError(fmt::format("work-group {} is damaged", group.value()));
    const StoredSection section = fresh_.add(encoder_.encode(kChunkTag, launch_, group.value(), payload));
    merged.chunks.push_back({launch_, group, section, false});
    known_.add(group, payload.size(), payload);
  }

  const GroupForm* form_of(WorkGroupId record) {
    if (const auto known = forms_.find(record); known != forms_.end()) return known->second.get();
    if (forms_.size() == kMostForms) forms_.clear();
    std::unique_ptr<GroupForm>& form = forms_[record];
    std::vector<std::uint8_t> payload = payload_of(record);
    if (!payload.empty()) form = std::make_unique<GroupForm>(GroupForm::of(std::move(payload), *carries_));
    return form.get();
  }

  static constexpr std::size_t kMostForms = 256;

  const SectionBytes& bytes_;
  Carries carries_;
  Chunks chunks_;
  FreshSections& fresh_;
  KnownRecords known_;
  LaunchId launch_;
  SectionDecoder decoder_;
  SectionEncoder encoder_;
  std::map<WorkGroupId, std::unique_ptr<GroupForm>> forms_;  ///< of records of the file as it is
  std::map<WorkGroupId, WorkGroupId> same_as_;               ///< to those that the finished file has
};

}  // namespace

void merge_runs(const std::string& path, const SectionBytes& bytes, CaptureContents& contents,
                FreshSections& fresh) {
  if (!are_runs_wanted() && contents.runs.empty()) return;
  CaptureContents merged;
  LaunchSites sites(bytes, contents.launches);
  auto chunk = contents.chunks.begin();
  auto runs = contents.runs.begin();
  for (const CaptureContents::Launch& launch : contents.launches) {
    const auto chunks_end =
        std::find_if(chunk, contents.chunks.end(), [&](const auto& one) { return one.launch != launch.id; });
    const auto runs_end =
        std::find_if(runs, contents.runs.end(), [&](const auto& one) { return one.launch != launch.id; });
    const Chunks chunks(chunk, chunks_end);
    if (may_have_runs(launch.groups) && (!chunks.empty() || runs != runs_end))
      LaunchMerge(bytes, sites.of(launch), chunks, fresh).run(path, launch, {runs, runs_end}, merged);
    else
      merged.chunks.insert(merged.chunks.end(), chunks.begin(), chunks.end());
    chunk = chunks_end;
    runs = runs_end;
  }
  contents.chunks = std::move(merged.chunks);
  contents.runs = std::move(merged.runs);
}

}  // namespace warpscope
