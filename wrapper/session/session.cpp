#include "wrapper/session/session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/files/file_io.h"
#include "wrapper/recording/summary.h"

namespace warpscope::layer {
namespace {

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

nlohmann::json range_of(const LaunchInfo& launch) {
  return {{"launch", launch.id.value()},
          {"kernel", launch.kernel->name},
          {"global", {launch.global.x, launch.global.y, launch.global.z}},
          {"local", {launch.local.x, launch.local.y, launch.local.z}}};
}

}  // namespace

Session::Session(const std::string& directory)
    : directory_(directory),
      settings_(read_settings(directory)),
      selection_(GroupSelection::parse(settings_.work_groups)),
      launches_(given(settings_.launches), given(settings_.kernels)),
      losses_(directory) {}

LaunchId Session::next_launch() const {
  const std::lock_guard lock(mutex_);
  return LaunchId(next_launch_);
}

bool Session::wants(const std::string& kernel) const {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  if (settings_.max_launches != 0 && recorded_ >= settings_.max_launches) return false;
  return launches_.contains(LaunchId(next_launch_), kernel);
}

void Session::count_launch() {
  const std::lock_guard lock(mutex_);
  ++next_launch_;
  if (counts_ != nullptr) counts_->launches = next_launch_;
}

void Session::pass_over_launch(const std::string& kernel, bool is_untraced) {
  const std::lock_guard lock(mutex_);
  const bool is_chosen = launches_.contains(LaunchId(next_launch_), kernel);
  if (!is_chosen && passed_over_.insert(kernel).second) {
    claim();
    append_event({{"event", "passed over"}, {"kernel", kernel}});
  }
  if (is_chosen && settings_.max_launches != 0 && recorded_ >= settings_.max_launches && counts_ != nullptr)
    ++counts_->beyond_limit;
  if (is_untraced && counts_ != nullptr) ++counts_->untraced;
  count_launch();
}

void Session::open_counts() {
  const Descriptor file(::open((folder_ + kCountsFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  // Not ftruncate(): a page of a file with a hole ends the process that first touches it on a full disk.
  const int error = file.valid() ? ::posix_fallocate(file.get(), 0, sizeof(Counts)) : errno;
  if (error != 0) return losses_.add(error);
  void* mapping = ::mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapping != MAP_FAILED) counts_ = static_cast<Counts*>(mapping);
}

// The first free number; a folder is made by one process only.
void Session::claim() {
  if (!folder_.empty() || closed_) return;
  unsigned process = 1;
  while (::mkdir(process_folder(directory_, process).c_str(), 0700) != 0) {
    if (errno != EEXIST) {
      losses_.add(errno);
      closed_ = true;  // the program runs on, untraced
      return;
    }
    ++process;
  }
  folder_ = process_folder(directory_, process);
  events_ = out_of_reach(Descriptor(::open((folder_ + kEventsFile).c_str(),
                                           O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)))
                .release();
  if (events_ < 0) losses_.add(errno);
  open_counts();
  if (settings_.time_only) return;
  CaptureWriter::Options options;
  options.options_text = settings_.options_text;
  options.device_like = settings_.device_like.name;
  options.size_limit = settings_.size_limit;
  options.has_walks = has_machine_code_;
  options.journal = folder_ + kJournalFile;
  try {
    writer_ = std::make_unique<CaptureWriter>(capture_name(settings_.output, process), options);
  } catch (const InputError& error) {
    closed_ = true;  // the program runs on, untraced
    report_untraced(fmt::format("{}; no launch is recorded", error.what()));
    return;
  }
  append_event({{"event", "capture"}});
}

template <class Work>
void Session::write(const Work& work) {
  if (closed_) throw InputError("the capture is closed");
  try {
    work();
  } catch (const InputError& error) {
    closed_ = true;
    report_untraced(fmt::format("{}; launches from here on are not recorded", error.what()));
    throw;
  }
}

BufferId Session::add_buffer(BufferInfo buffer) {
  const std::lock_guard lock(mutex_);
  claim();
  buffer.id = BufferId(++buffers_);
  if (closed_) return buffer.id;
  write([&] {
    if (writer_) writer_->add_buffer(buffer);
  });
  return buffer.id;
}

void Session::begin_launch(const LaunchInfo& launch, const std::string& key) {
  const std::lock_guard lock(mutex_);
  claim();
  if (closed_) return;
  ++recorded_;
  nlohmann::json event = range_of(launch);
  event["event"] = "begin";
  event["groups"] = selection_.count(launch.id, launch.groups().count());
  append_event(event);
  if (!writer_) return;
  const auto first = first_with_key_.emplace(key, launch.id);
  const std::optional<LaunchId> shares =
      first.second ? std::optional<LaunchId>() : std::optional<LaunchId>(first.first->second);
  write([&] { writer_->add_launch(launch, shares); });
}

void Session::add(LaunchId launch, WorkGroupId group, std::span<const std::uint8_t> payload) {
  write([&] { writer_->add_work_group(launch, group, payload); });
}

void Session::add_part(LaunchId launch, WorkGroupId group, std::uint32_t part,
                       std::span<const std::uint8_t> bytes) {
  write([&] { writer_->add_part(launch, group, part, bytes); });
}

void Session::end_parts(LaunchId launch, WorkGroupId group) {
  write([&] { writer_->end_parts(launch, group); });
}

void Session::expect_machine_code() {
  const std::lock_guard lock(mutex_);
  has_machine_code_ = true;
}

void Session::add_machine_code(LaunchId launch, const MachineCode& code,
                               std::span<const InstructionTotals> totals) {
  const std::lock_guard lock(mutex_);
  write([&] {
    if (writer_) writer_->add_machine_code(launch, code, totals);
  });
}

void Session::end_launch(LaunchId launch, const KernelInfo& kernel, const LaunchEnd& end) {
  nlohmann::json event = {
      {"event", "end"}, {"launch", launch.value()}, {"seconds", end.seconds}, {"has_run", end.has_run}};
  if (end.totals != nullptr) {
    const RecorderTotals* const totals = end.totals;
    event["bytes"] = totals->encoded_bytes;
    nlohmann::json& counts = event["counts"] = nlohmann::json::object();
    for (const auto& [what, count] : counts_by_kind(kernel, *totals)) counts[what] = count;
    event["recorded"] = totals->work_groups;
    const std::string outside = out_of_bounds_report(kernel, *totals);
    if (!outside.empty()) event["outside"] = outside;
    for (const std::string& what : kernel.untraceable) report_untraced(what);
  }
  if (!end.failure.empty()) event["failure"] = end.failure;
  if (end.is_of_program) event["is_of_program"] = true;
  const std::lock_guard lock(mutex_);
  append_event(event);
}

// Launches in a row mostly find the same.
void Session::note_unwritten(LaunchId launch, const UnwrittenOfLaunch& found) {
  if (found.parts.empty() && !found.in_part) return;
  const std::lock_guard lock(mutex_);
  const bool is_same = last_unwritten_ && last_parts_ == found.parts;
  nlohmann::json event = unwritten_json(launch, found, is_same ? last_unwritten_ : std::nullopt);
  event["event"] = kUnwrittenList;
  append_event(event);
  if (is_same) return;
  last_unwritten_ = launch;
  last_parts_ = found.parts;
}

void Session::note_left(const std::vector<LeftAllocation>& left) {
  const std::lock_guard lock(mutex_);
  for (const LeftAllocation& one : left) {
    nlohmann::json event = to_json(one);
    event["event"] = kLeftList;
    append_event(event);
  }
}

// One write per event: a process that is killed leaves whole lines.
void Session::append_event(const nlohmann::json& event) {
  const std::string line = dump(event) + "\n";
  if (events_ < 0) return;
  const ssize_t written = ::write(events_, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return;
  losses_.add(written < 0 ? errno : ENOSPC);
  ::close(events_);
  events_ = -1;
}

void Session::note(const char* kind, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (!notes_.insert(text).second) return;
  claim();
  append_event({{"event", kind}, {"text", text}});
}

int Session::events() const {
  const std::lock_guard lock(mutex_);
  return events_;
}

// Only what is safe after a fork: another thread may have held the mutex.
void Session::leave_to_parent() {
  if (events_ >= 0) ::close(events_);
  if (writer_) writer_->leave_to_parent();
}

}  // namespace warpscope::layer
