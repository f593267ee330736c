#pragma once
// What trace-kernel tells the layer inside the traced program. They meet in a directory: settings.json, and a
// folder for every process that launches kernels.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "wrapper/session/device_like.h"

namespace warpscope::layer {

/// Environment variables: the directory, and the process that alone is traced (absent: every process).
inline constexpr const char* kDirectoryVariable = "WARPSCOPE_TRACE";
inline constexpr const char* kProcessVariable = "WARPSCOPE_TRACE_PROCESS";

struct TraceSettings {
  std::string output;                     ///< absolute path of the first process's capture
  std::string options_text;               ///< options for the capture's header
  std::string optimize = "gpu";           ///< a word for optimize_from()
  std::vector<std::string> pass_options;  ///< CompileRequest::pass_options
  /// As LaunchSelection takes them; empty = all.
  std::string launches, kernels;
  std::uint64_t max_launches = 0;                       ///< 0 = all
  std::string work_groups = "all";                      ///< a selection for GroupSelection::parse()
  std::uint64_t size_limit = 0;                         ///< bytes, 0 = none
  std::uint64_t group_memory = std::uint64_t{1} << 30;  ///< RecorderSetup::group_memory
  std::string cache_directory;                          ///< cache of compiled programs; empty = none
  DeviceLike device_like;                               ///< what the program is told about its device
  bool time_only = false;                               ///< record nothing, only time the launches
  bool finds_unwritten = false;  ///< record what memory nobody has written, and what is left
  std::string host_writes;       ///< HostWrites::HostWrites()
};

/// settings.json of a session directory. Both throw InputError.
void write_settings(const std::string& directory, const TraceSettings& settings);
TraceSettings read_settings(const std::string& directory);

/// The folder of the n-th process (from 1) that launches kernels, its capture's name, and files in the
/// folder.
std::string process_folder(const std::string& directory, unsigned process);
std::string capture_name(const std::string& output, unsigned process);
inline constexpr const char* kJournalFile = "/journal";
/// Two numbers of 64 bits that the process keeps up to date: its launches, and those beyond --max-launches.
inline constexpr const char* kCountsFile = "/launches";
inline constexpr const char* kEventsFile = "/events.jsonl";

}  // namespace warpscope::layer
