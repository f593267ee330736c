#pragma once
// The last step of a capture: sections in order, index, final name.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "traces/capture/capture_index.h"
#include "traces/files/file_io.h"

namespace warpscope {

/// Sorts `contents`, the sections that are in `file`, and writes them with their index to `target`. `part`:
/// name of that file, which is renamed if its sections are in order already and removed otherwise; empty: a
/// file without name. Throws InputError (full disk) and then leaves `part` as it was and nothing under the
/// final name.
/// `notes`: what the file says about what is not in it (CaptureReader::notes()); null: nothing.
void finish_capture(int file, const std::string& part, const std::string& target, CaptureContents& contents,
                    const nlohmann::json& notes = {});

/// Looks through `file`, which is named `part`, up to its end or the first incomplete section, and returns where that is.
/// Throws InputError when it is damaged before. An empty file has nothing: 0.
std::uint64_t scan_part(int file, const std::string& part, CaptureContents& contents);

/// A finished capture, in an unnamed file, of the sections of `file` up to its end or the first incomplete one.
Descriptor finished_copy(int file, const std::string& path);

struct FinishedPart {
  std::uint64_t file_bytes = 0;  ///< 0: there was no launch, and no capture is left
  /// Work-groups that were recorded, for every launch of the file.
  std::vector<std::pair<LaunchId, std::uint64_t>> work_groups;
};

/// Finishes `path`.part of a process that has ended, however it did: takes home what its journal still holds
/// (CaptureWriter::Options::journal), drops an incomplete section at the end, and makes `path`. Waits while
/// another process still writes it. Throws InputError when there is no such file, it is damaged before its
/// end, or the disk is full.
FinishedPart finish_part(const std::string& path, const std::string& journal,
                         const nlohmann::json& notes = {});

}  // namespace warpscope
