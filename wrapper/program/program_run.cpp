#include "wrapper/program/program_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "passes/driver/pipeline.h"
#include "passes/driver/work_directory.h"
#include "traces/base/error.h"
#include "traces/base/installation.h"
#include "traces/capture/capture_finish.h"
#include "traces/capture/reader.h"
#include "traces/files/file_io.h"
#include "wrapper/device/kernel_cache.h"
#include "wrapper/launch/missing_arguments.h"
#include "wrapper/program/cuda_program.h"
#include "wrapper/program/long_launch.h"
#include "wrapper/program/program_events.h"
#include "wrapper/recording/summary.h"
#include "wrapper/run/available_memory.h"
#include "wrapper/run/pass_options.h"
#include "wrapper/run/patience_note.h"
#include "wrapper/run/signal_guard.h"
#include "wrapper/session/losses.h"
#include "wrapper/session/settings.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using layer::TraceSettings;

/// So long people wait before they read what is to come.
constexpr std::chrono::seconds kPatience{20};

volatile std::sig_atomic_t program_id = 0;
volatile std::sig_atomic_t kept_signal = 0;

/// The terminal sends Ctrl-C to the program too; other signals are passed on to it. Without a program they are kept until
/// everything is tidy; a second one ends us.
void pass_on(int signal) {
  if (program_id != 0) {
    if (signal != SIGINT && signal != SIGQUIT) ::kill(program_id, signal);
    return;
  }
  if (kept_signal != 0) {
    std::signal(signal, SIG_DFL);
    ::raise(signal);
  }
  kept_signal = signal;
}

/// While it lives, signals go to the program, and we outlive it.
class SignalsToProgram {
 public:
  SignalsToProgram() {
    struct sigaction action {};
    action.sa_handler = pass_on;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], &action, &old_[i]);
      if (old_[i].sa_handler == SIG_IGN) sigaction(kSignals[i], &old_[i], nullptr);
    }
  }
  ~SignalsToProgram() { restore(); }
  SignalsToProgram(const SignalsToProgram&) = delete;
  SignalsToProgram& operator=(const SignalsToProgram&) = delete;
  /// In the child, before the program: everything as we found it.
  void restore() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &old_[i], nullptr);
  }
  /// From now on there is a program; it gets what came before.
  static void pass_to(pid_t program) {
    program_id = program;
    if (kept_signal != 0) ::kill(program, kept_signal);
    kept_signal = 0;
  }
  /// A signal that came when there was no program; 0 = none.
  static int kept() { return kept_signal; }

 private:
  static constexpr std::array<int, 6> kSignals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
  std::array<struct sigaction, kSignals.size()> old_{};
};

std::string layer_path() {
  std::string path = installed_path("lib/warpscope/libwarpscope-layer.so");
  if (::access(path.c_str(), R_OK) != 0)
    throw InputError(path +
                     ": not found, expected it next to the pass plug-in; build the target warpscope-layer");
  return path;
}

std::string output_path(const TraceRequest& request) {
  std::string output = request.output;
  if (output == "-")
    throw InputError("-o -: standard output belongs to the program; expected the name of a file");
  if (output.empty()) output = fs::path(request.program.front()).filename().string() + ".wtrace";
  return fs::absolute(output).string();
}

TraceSettings settings_for(const TraceRequest& request) {
  TraceSettings settings;
  settings.output = output_path(request);
  settings.optimize = name_of(request.optimize);
  const std::string& work_groups = request.work_groups.of_any();
  settings.options_text = fmt::format("trace-kernel --optimize {}{} -- {}", settings.optimize,
                                      work_groups == "all" ? "" : " --work-groups " + work_groups,
                                      fs::path(request.program.front()).filename().string());
  settings.pass_options = pass_options(request.address_spaces, request.boxes);
  settings.kernels = request.of_program.kernels;
  settings.launches = request.of_program.launches;
  settings.max_launches = request.of_program.max_launches;
  settings.work_groups = work_groups;
  settings.size_limit = request.size_limit;
  settings.device_like = request.of_program.device_like;
  settings.group_memory = request.group_memory.value_or(default_group_memory());
  settings.cache_directory = request.of_program.cache_directory;
  settings.finds_unwritten = request.of_program.finds_unwritten;
  if (const std::string& path = request.of_program.host_writes; !path.empty())
    settings.host_writes = fs::absolute(path).string();
  return settings;
}

/// What is loaded with the program: the layer, by OpenCL's loader; in front of the program's own libraries what LD_PRELOAD names; and what it
/// looks for itself in a folder.
struct Loaded {
  std::string layer, preload, library_folder;
};

/// `name` holds `more` after what it has held.
void append_to_environment(const char* name, const std::string& more) {
  const char* const others = std::getenv(name);
  ::setenv(name,
           others != nullptr && *others != '\0' ? fmt::format("{}:{}", others, more).c_str() : more.c_str(),
           1);
}

void put_in_front(const char* name, const std::string& first) {
  const char* const others = std::getenv(name);
  ::setenv(name,
           others != nullptr && *others != '\0' ? fmt::format("{}:{}", first, others).c_str() : first.c_str(),
           1);
}

void set_environment(const TraceRequest& request, const std::string& directory, const Loaded& loaded) {
  ::setenv(layer::kDirectoryVariable, directory.c_str(), 1);
  if (request.of_program.ignore_children)
    ::setenv(layer::kProcessVariable, std::to_string(::getpid()).c_str(), 1);
  else
    ::unsetenv(layer::kProcessVariable);
  append_to_environment("OPENCL_LAYERS", loaded.layer);
  // NVTX of NVIDIA's headers loads what this names; a tool of the user's comes first.
  const fs::path ranges = fs::path(loaded.layer).replace_filename("libwarpscope-nvtx.so");
  if (std::error_code none; fs::exists(ranges, none)) ::setenv("NVTX_INJECTION64_PATH", ranges.c_str(), 0);
  if (!loaded.preload.empty()) append_to_environment("LD_PRELOAD", loaded.preload);
  if (!loaded.library_folder.empty()) put_in_front("LD_LIBRARY_PATH", loaded.library_folder);
  if (request.threads) ::setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(*request.threads).c_str(), 1);
  // A program from PyOpenCL's cache of binaries has no source that could be traced.
  ::setenv("PYOPENCL_NO_CACHE", "1", 0);
}

[[noreturn]] void become(const std::vector<std::string>& program, int report) {
  std::vector<char*> argv;
  argv.reserve(program.size() + 1);
  for (const std::string& argument : program) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  const int error = errno;
  [[maybe_unused]] const auto written = ::write(report, &error, sizeof(error));
  ::_exit(127);
}

/// Runs the program to its end; its wait status.
int run(const TraceRequest& request, const std::string& directory, const Loaded& loaded,
        SignalsToProgram& signals) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw InputError("cannot create a pipe");
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw InputError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) {
    signals.restore();
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);       // also where nobody passes a signal on: SIGKILL
    if (::getppid() != parent) ::_exit(127);  // who ended before that line sends no signal
    std::signal(SIGPIPE, SIG_DFL);
    std::signal(SIGXFSZ, SIG_DFL);
    set_environment(request, directory, loaded);
    become(request.program, ends[1]);
  }
  SignalsToProgram::pass_to(child);
  ::close(ends[1]);
  int error = 0;
  ssize_t count = 0;
  while ((count = ::read(ends[0], &error, sizeof(error))) < 0 && errno == EINTR) {
  }
  ::close(ends[0]);
  std::optional<PatienceNote> note;
  std::optional<LongLaunchNote> long_launch;
  if (!loaded.layer.empty()) {
    note.emplace(kPatience, [directory] { return how_to_take_less(launch_count(directory), kPatience); });
    long_launch.emplace(directory, request.threads.value_or(pocl_threads()), std::chrono::minutes(1));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  program_id = 0;
  if (count == sizeof(error))
    throw InputError(fmt::format("{}: cannot be started: {}", request.program.front(), std::strerror(error)));
  return status;
}

/// What happened in all processes; finishes their captures.
class Aftermath {
 public:
  Aftermath(const TraceSettings& settings, std::string directory, std::vector<LaunchRow> untraced)
      : settings_(settings), directory_(std::move(directory)), untraced_(std::move(untraced)) {}

  void finish() {
    for (unsigned process = 1; fs::exists(layer::process_folder(directory_, process)); ++process)
      finish(process);
    report_losses();
    if (launches_ == 0) say(fmt::format("trace-kernel: no kernel was recorded: {}\n", why_nothing()));
  }

  [[nodiscard]] bool is_complete() const { return complete_; }

  [[nodiscard]] std::string why_nothing() const {
    if (runs_untraced_) return "every launch ran untraced, for the reason above";
    if (passed_over_.empty())
      return "the program launched no kernel, or no launch succeeded (cuBLAS and other libraries make none "
             "here), or it does not use OpenCL's loader";
    std::string kernels;
    for (const std::string& kernel : passed_over_) kernels += (kernels.empty() ? "" : ", ") + kernel;
    return fmt::format("none of the program's {} launches, of {}, is asked for", with_commas(all_launches_),
                       kernels);
  }

 private:
  void finish(unsigned process) {
    const std::string folder = layer::process_folder(directory_, process);
    ProcessEvents events = read_events(folder + layer::kEventsFile);
    const LaunchCounts counts = read_launch_counts(folder + layer::kCountsFile);
    all_launches_ += counts.launches;
    runs_untraced_ = runs_untraced_ || counts.untraced != 0;
    for (const std::string& kernel : events.passed_over) passed_over_.insert(kernel);
    const nlohmann::json notes = notes_of(counts, events);
    FinishedPart part;
    const std::string path = layer::capture_name(settings_.output, process);
    std::error_code no_such_name;  // too long, then there is no file
    if (events.has_capture && fs::exists(path + ".part", no_such_name)) {
      try {
        part = finish_part(path, folder + layer::kJournalFile, notes);
      } catch (const InputError& error) {
        events.untraced.emplace_back(error.what());
      }
    }
    compare(events.launches);
    const std::map<LaunchId, std::uint64_t> recorded(part.work_groups.begin(), part.work_groups.end());
    for (LaunchRow& row : events.launches)
      if (const auto found = recorded.find(row.launch); found != recorded.end()) row.recorded = found->second;
    report(events, part, path);
    if (counts.beyond_limit != 0)
      say(fmt::format("trace-kernel: not traced: {} launches beyond --max-launches {}\n",
                      with_commas(counts.beyond_limit), settings_.max_launches));
    for (const KernelFault& fault : events.faults) report_fault(fault, events.launches, part, path);
  }

  /// What the capture does not hold: launches beyond a limit, and those of kernels that ran untraced; and what the
  /// process said about its memory.
  [[nodiscard]] nlohmann::json notes_of(const LaunchCounts& counts, const ProcessEvents& events) const {
    nlohmann::json missing = nlohmann::json::array();
    if (counts.beyond_limit != 0)
      missing.push_back({{"launches", counts.beyond_limit},
                         {"why", fmt::format("beyond --max-launches {}", settings_.max_launches)}});
    static constexpr std::string_view kRuns = " runs untraced: ";
    std::string kernels;
    for (const std::string& text : events.untraced)
      if (const std::size_t at = text.find(kRuns); at != std::string::npos)
        kernels += (kernels.empty() ? "" : "; ") + text.substr(0, at) + ": " + text.substr(at + kRuns.size());
    if (counts.untraced != 0)
      missing.push_back({{"launches", counts.untraced}, {"why", "that ran untraced: " + kernels}});
    nlohmann::json notes = events.notes;
    if (!missing.empty()) notes["not_traced"] = missing;
    return notes;
  }

  /// A handler of the program's may have put it right, then the launch came to its end.
  void report_fault(const KernelFault& fault, const std::vector<LaunchRow>& launches,
                    const FinishedPart& part, const std::string& path) const {
    KernelInfo kernel;
    std::string kept;
    for (const LaunchRow& row : launches) {
      if (fault.has_group ? row.launch != fault.launch : row.has_ended) continue;
      if (row.has_ended && row.recorded == row.groups) return;
      kernel.name = row.kernel;
      if (part.file_bytes > 0)
        kept = fmt::format("; {} of {} work-groups of launch {} are in {}", row.recorded, row.groups,
                           row.launch.value(), fs::path(path).filename().string());
    }
    try {
      if (part.file_bytes > 0 && fault.has_group) {
        const CaptureReader capture(path, true);
        for (const LaunchInfo& launch : capture.launches())
          if (launch.id == fault.launch) kernel = *launch.kernel;
      }
    } catch (const InputError&) {  // then without the source line
    }
    say(fmt::format("trace-kernel: {}{}\n", describe(fault, kernel), kept));
  }

  void report_losses() {
    const layer::Losses losses = layer::read_losses(directory_);
    if (losses.records == 0) return;
    complete_ = false;
    say(
        fmt::format("trace-kernel: not traced: {} records of what the program launched could not be written "
                    "to {} ({}); {}\n",
                    losses.records, directory_, std::strerror(losses.error),
                    losses.error == EBADF ? "the program closed files that it had not opened"
                                          : "make room in $TMPDIR and trace again"));
  }

  void compare(std::vector<LaunchRow>& launches) const {
    std::map<LaunchId, const LaunchRow*> before;
    for (const LaunchRow& row : untraced_) before[row.launch] = &row;
    for (LaunchRow& row : launches) {
      const auto found = before.find(row.launch);
      if (found != before.end() && found->second->kernel == row.kernel)
        row.untraced_seconds = found->second->seconds;
    }
  }

  void report(const ProcessEvents& events, const FinishedPart& part, const std::string& path) {
    launches_ += events.launches.size();
    if (!events.launches.empty()) say(launch_table(events.launches));
    for (const LaunchRow& row : events.launches) {
      if (row.recorded == row.groups && row.failure.empty()) continue;
      complete_ = complete_ && (!row.has_run || row.is_of_program);
      if (++incomplete_ <= kMostNotes)
        say(fmt::format("trace-kernel: launch {} ({}): {} of {} work-groups are recorded{}\n",
                        row.launch.value(), row.kernel, row.recorded, row.groups,
                        row.failure.empty() ? "; it did not come to its end" : ": " + row.failure));
    }
    if (incomplete_ > kMostNotes)
      say(fmt::format("trace-kernel: {} more launches are incomplete\n", incomplete_ - kMostNotes));
    complete_ = complete_ && events.outside.empty();
    for (const auto& [place, note] : events.outside)
      say(note.text +
          (note.launches > 1 ? fmt::format("; so do {} more launches\n", note.launches - 1) : "\n"));
    for (const std::string& text : events.warnings) say(fmt::format("trace-kernel: {}\n", text));
    for (const std::string& text : events.untraced) {
      complete_ = false;
      say(fmt::format("trace-kernel: not traced: {}\n", text));
    }
    if (part.file_bytes > 0)
      say(fmt::format("trace-kernel: {}: {} launches, {} bytes\n", fs::path(path).filename().string(),
                      part.work_groups.size(), part.file_bytes));
  }

  static constexpr std::size_t kMostNotes = 10;

  const TraceSettings& settings_;
  std::string directory_;
  std::vector<LaunchRow> untraced_;
  std::size_t launches_ = 0;
  std::uint64_t all_launches_ = 0;
  bool runs_untraced_ = false;         ///< whether a launch that was asked for did
  std::set<std::string> passed_over_;  ///< kernels that are not asked for
  std::size_t incomplete_ = 0;
  bool complete_ = true;
};

std::vector<LaunchRow> time_untraced(const TraceRequest& request, TraceSettings settings,
                                     const Loaded& loaded, SignalsToProgram& signals) {
  const WorkDirectory directory("trace-kernel");
  settings.time_only = true;
  layer::write_settings(directory.path(), settings);
  layer::write_losses(directory.path());
  run(request, directory.path(), loaded, signals);
  return read_events(layer::process_folder(directory.path(), 1) + layer::kEventsFile).launches;
}

/// A file under the name of a part would be taken for the capture of this run.
void remove_old_part(const std::string& output) {
  const std::string part = output + ".part";
  std::error_code error;
  const fs::path folder = fs::path(output).parent_path();
  if (!fs::is_directory(folder, error))
    throw InputError(fmt::format("{}: cannot write: {} is not a directory", output, folder.string()));
  if (fs::is_directory(output, error)) throw InputError(output + ": cannot write: is a directory");
  if (::access(folder.c_str(), W_OK) != 0)
    throw InputError(output + ": cannot write: " + std::strerror(errno));
  // Not what another run writes at this moment: the first launch then says that the name is taken.
  const Descriptor file(::open(part.c_str(), O_RDWR | O_CLOEXEC));
  if (file.valid() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) fs::remove(part, error);
}

}  // namespace

int run_program(const TraceRequest& request) {
  // The program's processes share it, and it is there as long as they are.
  if (const std::string wrong = device::ensure_kernel_cache(); !wrong.empty()) throw InputError(wrong);
  const CudaProgram cuda = look_at_program(request.program.front());
  if (const std::string line = describe(cuda, request.program.front()); !line.empty())
    say(fmt::format("trace-kernel: {}\n", line));
  if (cuda.has_static_runtime) return kExitNotTraceable;
  const Loaded loaded{layer_path(), preloaded(cuda), library_folder(cuda)};
  const TraceSettings settings = settings_for(request);
  int signal = 0;  // of which we end when everything is tidy
  int exit_status = kExitOk;
  {
    SignalsToProgram signals;
    remove_old_part(settings.output);
    std::vector<LaunchRow> untraced;
    if (request.of_program.slowdown) untraced = time_untraced(request, settings, loaded, signals);
    const WorkDirectory directory("trace-kernel");
    layer::write_settings(directory.path(), settings);
    layer::write_losses(directory.path());
    if (SignalsToProgram::kept() == 0) {
      const int status = run(request, directory.path(), loaded, signals);
      Aftermath aftermath(settings, directory.path(), std::move(untraced));
      aftermath.finish();
      if (WIFSIGNALED(status)) signal = WTERMSIG(status);  // the program has left a core file if it was to
      exit_status = WEXITSTATUS(status);
      if (exit_status == 0 && !aftermath.is_complete()) exit_status = kExitNotTraceable;
    }
    if (signal == 0) signal = SignalsToProgram::kept();
  }
  if (signal != 0) die_of(signal);
  return exit_status;
}

}  // namespace warpscope
