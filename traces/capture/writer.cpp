#include "traces/capture/writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/base/version.h"
#include "traces/capture/capture_finish.h"
#include "traces/capture/capture_format.h"
#include "traces/capture/capture_index.h"
#include "traces/capture/code/known_code.h"
#include "traces/capture/runs/lane_runs.h"
#include "traces/files/file_io.h"
#include "traces/files/section_lanes.h"
#include "traces/program/kernel_info.h"

namespace warpscope {
namespace {

/// From so many bytes on a file is said to be large. Tests take less than a GiB.
std::uint64_t large_file() {
  static const std::uint64_t bytes = [] {
    const char* const text = std::getenv("WARPSCOPE_LARGE_FILE");
    return text == nullptr ? std::uint64_t{1} << 30 : std::strtoull(text, nullptr, 10);
  }();
  return bytes;
}

/// Threads that live at the same time have different ones, as long as there are enough.
std::uint32_t lane_of_this_thread() {
  static std::atomic<std::uint32_t> threads{0};
  thread_local const std::uint32_t mine = threads.fetch_add(1, std::memory_order_relaxed);
  return mine % SectionLanes::kLanes;
}

}  // namespace

struct CaptureWriter::State {
  State(const std::string& target, const Options& settings);
  ~State();
  void open();
  void begin();
  void take_part();
  void add_groups_of(const CaptureContents::Runs& runs);
  void add_first(std::uint32_t tag, LaunchId launch, std::uint64_t number, const nlohmann::json& content);
  void expect_same(std::uint32_t tag, std::span<const std::uint8_t> section);
  [[nodiscard]] std::uint32_t lane_number() const;
  std::uint64_t add_section(std::uint32_t lane, std::uint32_t tag, LaunchId launch, std::uint64_t number,
                            std::span<const std::uint8_t> payload);
  std::uint64_t add_section(std::uint32_t tag, LaunchId launch, std::uint64_t number,
                            std::span<const std::uint8_t> payload);
  void add_part(LaunchId launch, WorkGroupId group, std::uint32_t number,
                std::span<const std::uint8_t> bytes);
  void end_parts(LaunchId launch, WorkGroupId group);
  void expect_repeats(const LaunchInfo& launch);
  void add_code(LaunchId launch, const MachineCode& code);
  void add_group(LaunchId launch, WorkGroupId group, std::span<const std::uint8_t> payload);
  void keep_within_limit(std::size_t size);
  void look_at_size();
  std::uint64_t cut_back();

  /// What a thread needs to write a work-group; no other thread waits for it.
  struct alignas(64) Lane {
    std::mutex mutex;
    bool has_chunks = false;
    std::uint32_t sections = 0;  ///< number of them, modulo 2^32
    std::optional<SectionEncoder> encoder;
    std::optional<LaunchId> launch;  ///< of the last work-group
    bool has_runs = false;           ///< whether that launch may have some
    std::optional<LaneRuns> runs;
  };
  void begin(Lane& lane, std::uint32_t number, LaunchId launch);
  void close_runs(Lane& lane, std::uint32_t number);
  void flush();

  /// The launch whose work-groups may come in runs, if it has enough of them.
  struct Repeats {
    LaunchId launch;
    std::shared_ptr<const std::vector<bool>> carries_address;
  };

  std::string target;  ///< name as given
  std::string part;    ///< name while it grows; empty: an unnamed file, copied to the target at the end
  Options options;
  Descriptor file;
  SectionLanes sections;
  std::array<Lane, SectionLanes::kLanes> lanes;
  static constexpr std::uint32_t kSectionsPerLook = 16;
  std::atomic<bool> said_large = false;
  std::mutex repeats_mutex;
  std::optional<Repeats> repeats;  ///< guarded by repeats_mutex
  std::mutex parts_mutex;
  /// Checksums of the parts of work-groups that are on their way; guarded by parts_mutex.
  std::map<std::pair<LaunchId, WorkGroupId>, std::vector<std::uint64_t>> parts;
  bool finished = false;
  std::size_t buffers = 0;  ///< added so far
  std::optional<LaunchId> last_launch;
  std::mutex code_mutex;
  KnownCode known_code;            ///< guarded by code_mutex
  CaptureContents contents;        ///< contents of the file that is continued
  std::vector<WorkGroupId> found;  ///< work-groups in that file
  bool is_found = false;           ///< whether that file has what precedes the work-groups
};

CaptureWriter::State::State(const std::string& path, const Options& settings)
    : target(path), options(settings), sections(settings.journal) {
  open();
  std::uint64_t size = 0;
  if (options.goes_on && !part.empty()) {
    take_part();
    size = file_size(file.get(), target);
  }
  sections.open(file.get(), target, size);
  try {
    begin();
  } catch (const InputError&) {
    if (!is_found && !part.empty()) ::unlink(part.c_str());
    throw;
  }
}

void CaptureWriter::State::begin() {
  if (!is_found) sections.append(bytes_of(kCaptureMagic));
  const std::uint64_t format = options.has_walks ? kVersionOfParts : kVersionOfRecords;
  nlohmann::json header{{"version", format},
                        {"tool", std::string("warpscope ") + version()},
                        {"options", options.options_text}};
  if (!options.device_like.empty()) header["device_like"] = options.device_like;
  add_first(kFileTag, LaunchId(0), format, header);
}

void CaptureWriter::State::open() {
  const bool special = target != "-" && is_special_file(target);
  if (special && ::access(target.c_str(), W_OK) != 0) throw InputError(io_message(target, "write", errno));
  if (special || target == "-") {
    file = open_spool();
    return;
  }
  const std::string name = target + ".part";
  file.reset(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.valid()) throw InputError(io_message(target, "write", errno));
  if (!options.journal.empty()) file = out_of_reach(std::move(file));  // inside of a program
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    throw InputError(target + ": another program is writing it; choose another name");
  }
  part = name;
  if (!options.goes_on && ::ftruncate(file.get(), 0) != 0)
    throw InputError(io_message(target, "write", errno));
}

/// What a run before this one left.
void CaptureWriter::State::take_part() {
  std::uint64_t size = scan_part(file.get(), part, contents);
  if (contents.launches.size() > 1)
    throw InputError(fmt::format("{}: holds {} launches, expected one of trace-kernel KERNEL", part,
                                 contents.launches.size()));
  is_found = !contents.launches.empty();
  if (!is_found) {
    contents = {};
    size = 0;
  }
  for (const auto& chunk : contents.chunks) found.push_back(chunk.group);
  for (const auto& some : contents.runs) add_groups_of(some);
  std::sort(found.begin(), found.end());
  if (::ftruncate(file.get(), static_cast<off_t>(size)) != 0 ||
      ::lseek(file.get(), static_cast<off_t>(size), SEEK_SET) < 0)
    throw InputError(io_message(target, "write", errno));
}

void CaptureWriter::State::add_groups_of(const CaptureContents::Runs& runs) {
  std::vector<std::uint8_t> section(runs.section.extent.size);
  read_some_at(file.get(), runs.section.extent.offset, section, part);
  const RunTable table = decode_runs(SectionDecoder().decode(section, part));
  for (const GroupRun& run : table.runs)
    for (std::uint32_t index = 0; index < run.count; ++index)
      found.emplace_back(run.first + index * run.step);
}

/// `section`, which would be written at the beginning, is what the file has there.
void CaptureWriter::State::expect_same(std::uint32_t tag, std::span<const std::uint8_t> section) {
  const StoredSection* known = &contents.file;
  if (tag == kBufferTag) known = buffers < contents.buffers.size() ? &contents.buffers[buffers] : nullptr;
  if (tag == kLaunchTag)
    known = buffers == contents.buffers.size() ? &contents.launches.front().section : nullptr;
  if (known != nullptr &&
      known->checksum == parse_section_header(section.first<kSectionHeaderBytes>()).checksum)
    return;
  throw InputError(fmt::format(
      "{}: is of another launch, other options or another version of this program, expected what this "
      "command records; leave out --resume to begin again",
      part));
}

CaptureWriter::State::~State() {
  if (finished || part.empty()) return;
  bool has_chunks = !found.empty();
  for (const Lane& lane : lanes) has_chunks = has_chunks || lane.has_chunks;
  try {
    flush();
  } catch (const InputError&) {
    has_chunks = cut_back() != 0;
  }
  if (!has_chunks || !options.keeps_part) ::unlink(part.c_str());
}

/// Written at once: in the file, launches and buffers come before the chunks that are theirs.
void CaptureWriter::State::add_first(std::uint32_t tag, LaunchId launch, std::uint64_t number,
                                     const nlohmann::json& content) {
  SectionEncoder encoder(options.compression_level);
  const auto section = encoder.encode(tag, launch, number, bytes_of(dump(content)));
  if (is_found) return expect_same(tag, section);
  const std::lock_guard lock(lanes[0].mutex);  // keep_within_limit() flushes what others add to
  keep_within_limit(section.size());
  sections.append(section);
}

/// With a limit one thread at a time: the work-group that would exceed it is not written.
std::uint32_t CaptureWriter::State::lane_number() const {
  return options.size_limit != 0 ? 0 : lane_of_this_thread();
}

/// A section of a work-group; returns its checksum. The lane is locked.
std::uint64_t CaptureWriter::State::add_section(std::uint32_t lane_number, std::uint32_t tag, LaunchId launch,
                                                std::uint64_t number, std::span<const std::uint8_t> payload) {
  Lane& lane = lanes[lane_number];
  const auto add = [&](std::span<const std::uint8_t> section) {
    keep_within_limit(section.size());
    sections.add(lane_number, section);
    lane.has_chunks = true;
    if (++lane.sections % kSectionsPerLook == 0) look_at_size();
    return parse_section_header(section.first<kSectionHeaderBytes>()).checksum;
  };
  if (payload.size() < kLeastPackedBytes) return add(ShortSection(tag, launch, number, payload).bytes());
  if (!lane.encoder) lane.encoder.emplace(options.compression_level);
  return add(lane.encoder->encode(tag, launch, number, payload));
}

/// Nobody expects a file of gigabytes: it is said once how to take less.
void CaptureWriter::State::look_at_size() {
  if (sections.bytes() < large_file() || said_large.exchange(true)) return;
  std::fputs(
      fmt::format("warpscope: {}: has {} MiB and grows; trace-kernel takes less with --work-groups waves:3 "
                  "--gpu GPU, with a program also with --launch 0-9, and ends at a size with --limit-size\n",
                  target, sections.bytes() >> 20)
          .c_str(),
      stderr);
}

std::uint64_t CaptureWriter::State::add_section(std::uint32_t tag, LaunchId launch, std::uint64_t number,
                                                std::span<const std::uint8_t> payload) {
  const std::uint32_t lane = lane_number();
  const std::lock_guard lock(lanes[lane].mutex);
  return add_section(lane, tag, launch, number, payload);
}

/// Work-groups of `launch` follow in a lane.
void CaptureWriter::State::begin(Lane& lane, std::uint32_t number, LaunchId launch) {
  close_runs(lane, number);
  lane.launch = launch;
  const std::lock_guard lock(repeats_mutex);
  lane.has_runs = repeats && repeats->launch == launch;
  if (!lane.has_runs) return;
  if (!lane.runs) lane.runs.emplace(sections, number);
  lane.runs->begin(launch, repeats->carries_address);
}

/// The lane is locked, or no thread is adding.
void CaptureWriter::State::close_runs(Lane& lane, std::uint32_t number) {
  if (!lane.runs) return;
  const std::vector<std::uint8_t> section = lane.runs->close();
  if (section.empty()) return;
  sections.close_log(number, section);
  // Many work-groups are in a few bytes, which nothing else would soon bring into the file.
  if (options.journal.empty()) sections.flush(number);
}

void CaptureWriter::State::add_group(LaunchId launch, WorkGroupId group,
                                     std::span<const std::uint8_t> payload) {
  const std::uint32_t number = lane_number();
  Lane& lane = lanes[number];
  const std::lock_guard lock(lane.mutex);
  if (lane.launch != launch) begin(lane, number, launch);
  if (lane.has_runs) {
    using Added = LaneRuns::Added;
    keep_within_limit(lane.runs->most_bytes());
    Added added = lane.runs->add(group, payload);
    if (added == Added::LogIsFull) {
      close_runs(lane, number);
      added = lane.runs->add(group, payload);
    }
    if (added == Added::InRun) {
      lane.has_chunks = true;
      return;
    }
  }
  add_section(number, kChunkTag, launch, group.value(), payload);
  if (lane.has_runs) lane.runs->add_record(group, payload);
}

/// No thread is adding.
void CaptureWriter::State::flush() {
  for (std::uint32_t number = 0; number < lanes.size(); ++number) close_runs(lanes[number], number);
  sections.flush();
}

void CaptureWriter::State::add_part(LaunchId launch, WorkGroupId group, std::uint32_t number,
                                    std::span<const std::uint8_t> bytes) {
  const std::uint64_t checksum = add_section(kPartTag, launch, part_number(group, number), bytes);
  const std::lock_guard lock(parts_mutex);
  std::vector<std::uint64_t>& checksums = parts[{launch, group}];
  checksums.resize(number);  // what an attempt that failed has left
  checksums.push_back(checksum);
}

void CaptureWriter::State::end_parts(LaunchId launch, WorkGroupId group) {
  std::vector<std::uint8_t> list;
  {
    const std::lock_guard lock(parts_mutex);
    const auto ended = parts.extract({launch, group});
    assert(!ended.empty());
    list.resize(sizeof(std::uint64_t) * ended.mapped().size());
    for (std::size_t at = 0; at < ended.mapped().size(); ++at)
      store_le(&list[sizeof(std::uint64_t) * at], ended.mapped()[at]);
  }
  add_section(kSplitTag, launch, group.value(), list);
}

void CaptureWriter::State::keep_within_limit(std::size_t size) {
  if (options.size_limit == 0 || sections.bytes() + size <= options.size_limit || sections.failure()) return;
  close_runs(lanes[0], 0);  // what is within the limit stays
  sections.flush();
  sections.fail(
      fmt::format("{}: would exceed its limit of {} bytes; raise the limit or record fewer work-groups",
                  target, options.size_limit));
}

/// After a failed write: keeps the sections that are complete in the file, so that the .part file is a valid
/// partial capture. Returns how many of them are chunks.
std::uint64_t CaptureWriter::State::cut_back() {
  CaptureContents complete;
  try {
    const std::uint64_t size = scan_part(file.get(), part, complete);
    if (::ftruncate(file.get(), static_cast<off_t>(size)) == 0) return complete.chunks.size();
  } catch (const InputError&) {  // what is there cannot be read back: nothing to keep
  }
  return 0;
}

CaptureWriter::CaptureWriter(const std::string& path, const Options& options)
    : state_(std::make_unique<State>(path, options)) {}

CaptureWriter::~CaptureWriter() = default;

void CaptureWriter::add_buffer(const BufferInfo& buffer) {
  State& state = *state_;
  // The index of readers and the delta coding of locations rely on it.
  assert(buffer.id.value() == state.buffers + 1);
  state.add_first(kBufferTag, LaunchId(0), buffer.id.value(), to_json(buffer));
  ++state.buffers;
}

void CaptureWriter::add_launch(const LaunchInfo& launch, std::optional<LaunchId> shares) {
  State& state = *state_;
  assert(!state.last_launch || *state.last_launch < launch.id);
  state.add_first(kLaunchTag, launch.id, launch.groups().count(), to_json(launch, shares));
  state.last_launch = launch.id;
  state.expect_repeats(launch);
}

void CaptureWriter::State::expect_repeats(const LaunchInfo& launch) {
  if (!are_runs_wanted() || !may_have_runs(launch.groups().count())) return;
  std::vector<bool> carries;
  for (const SiteInfo& site : launch.kernel->sites) carries.push_back(has_address(site.kind));
  const std::lock_guard lock(repeats_mutex);
  repeats = Repeats{launch.id, std::make_shared<const std::vector<bool>>(std::move(carries))};
}

void CaptureWriter::add_work_group(LaunchId launch, WorkGroupId group,
                                   std::span<const std::uint8_t> payload) {
  if (payload.size() <= kLargestChunk) {
    state_->add_group(launch, group, payload);
    return;
  }
  for (std::uint32_t part = 0; !payload.empty(); ++part) {
    const std::size_t size = std::min(payload.size(), kLargestPart);
    add_part(launch, group, part, payload.first(size));
    payload = payload.subspan(size);
  }
  end_parts(launch, group);
}

void CaptureWriter::add_part(LaunchId launch, WorkGroupId group, std::uint32_t part,
                             std::span<const std::uint8_t> bytes) {
  state_->add_part(launch, group, part, bytes);
}

void CaptureWriter::end_parts(LaunchId launch, WorkGroupId group) {
  state_->end_parts(launch, group);
}

void CaptureWriter::add_machine_code(LaunchId launch, const MachineCode& code,
                                     std::span<const InstructionTotals> totals) {
  state_->add_code(launch, code);
  state_->add_section(kTotalsTag, launch, 0, encode_totals(totals));
}

/// A code is in the file before a section refers to it, however the run ends. No thread is adding.
void CaptureWriter::State::add_code(LaunchId launch, const MachineCode& code) {
  const std::lock_guard lock(code_mutex);
  const std::optional<LaunchId> owner = known_code.find(code);
  if (owner && *owner < launch && are_runs_wanted()) {
    add_section(kCodeTag, launch, code_number(owner), bytes_of(dump(order_dependent_json(code))));
    return;
  }
  SectionEncoder encoder(options.compression_level);
  const auto section = encoder.encode(kCodeTag, launch, code_number({}), bytes_of(dump(to_json(code))));
  flush();  // behind the work-groups, where it is in the finished file
  keep_within_limit(section.size());
  sections.append(section);
  if (!owner) known_code.add(launch, code);
}

void CaptureWriter::finish(const nlohmann::json& notes) {
  State& state = *state_;
  assert(!state.finished);
  state.flush();
  if (const auto failure = state.sections.failure()) throw InputError(*failure);
  CaptureContents contents;
  const std::string& name = state.part.empty() ? state.target : state.part;
  const std::uint64_t found = scan_part(state.file.get(), name, contents);
  if (found != state.sections.bytes())
    throw InputError(fmt::format(
        "{}: {} of the {} bytes written can be read back; another program changed it, or its disk is damaged",
        name, found, state.sections.bytes()));
  finish_capture(state.file.get(), state.part, state.target, contents, notes);
  state.finished = true;
}

void CaptureWriter::leave_to_parent() {
  state_->file.reset();
}

std::vector<WorkGroupId> CaptureWriter::found() const {
  return state_->found;
}

std::uint64_t CaptureWriter::bytes_written() const {
  return state_->sections.bytes();
}

}  // namespace warpscope
