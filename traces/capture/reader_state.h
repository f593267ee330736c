#pragma once
// What a CaptureReader holds; for reader.cpp and reader_scan.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/base/object_pool.h"
#include "traces/capture/capture_format.h"
#include "traces/capture/code/stored_code.h"
#include "traces/capture/group_parts.h"
#include "traces/capture/reader.h"
#include "traces/capture/runs/launch_runs.h"
#include "traces/files/file_io.h"
#include "traces/files/section.h"

namespace warpscope {

struct ReadContext {
  SectionDecoder decoder;
  std::vector<std::uint8_t> section;
  std::vector<std::uint8_t> repeated;  ///< payload of a work-group in a run
};

/// What a section has to be.
struct SectionKind {
  std::uint32_t tag = 0;
  std::uint32_t or_tag = tag;
};
constexpr SectionKind kGroupKind = {kChunkTag, kSplitTag};

/// What only launches with work-groups in parts have.
struct LaunchParts {
  GroupParts parts;
  std::vector<std::uint32_t> stored_sizes;  ///< of the records, with their parts
};

/// What only launches with runs have.
struct LaunchRepeats {
  LaunchRuns runs;
  std::vector<WorkGroupId> groups;  ///< those in runs, too
  std::mutex mutex;
  std::vector<std::uint32_t> stored_sizes;  ///< of all; made when it is asked for, under the mutex
};

struct LaunchChunks {
  std::vector<WorkGroupId> records;    ///< work-groups that have a section, ascending
  std::vector<std::uint64_t> offsets;  ///< where their sections begin
  std::vector<std::uint32_t> stored_sizes;
  std::unique_ptr<LaunchParts> split;                        ///< mostly none: there may be a million launches
  std::unique_ptr<LaunchRepeats> repeats;                    ///< the same
  std::shared_ptr<const std::vector<bool>> carries_address;  ///< per site; launches of a kernel share it
  [[nodiscard]] const std::vector<WorkGroupId>& groups() const { return repeats ? repeats->groups : records; }
  [[nodiscard]] const std::vector<std::uint32_t>& record_sizes() const {
    return split ? split->stored_sizes : stored_sizes;
  }
  /// Index of the section of a work-group; records.size() if it has none.
  [[nodiscard]] std::size_t record_of(WorkGroupId group) const {
    const auto found = std::ranges::lower_bound(records, group);
    if (found != records.end() && *found != group) return records.size();
    return static_cast<std::size_t>(found - records.begin());
  }
};

struct CaptureReader::State {
  State(const std::string& given, bool allow_partial);
  [[nodiscard]] bool lacks_work_groups() const;
  void open(const std::string& given);
  void read_start();
  [[nodiscard]] bool has_footer() const;
  void read_whole();
  void read_behind_chunks(std::uint64_t offset, std::uint64_t end);
  void add_part(const SectionHeader& header, std::uint64_t offset);
  void add_runs(const SectionHeader& header, std::uint64_t offset, std::span<const std::uint8_t> payload);
  [[nodiscard]] std::span<const std::uint8_t> record_of(LaunchId launch, const LaunchChunks& entry,
                                                        std::size_t index, ReadContext& context) const;
  [[nodiscard]] std::shared_ptr<const LoadedRuns> load_runs(LaunchId launch, const LaunchChunks& entry,
                                                            const LaunchRuns::Section& section) const;
  [[nodiscard]] std::vector<std::uint32_t> sizes_of(LaunchId launch, const LaunchChunks& entry) const;
  [[nodiscard]] std::string place_of(std::uint64_t offset, LaunchId launch, WorkGroupId group) const {
    return fmt::format("{}: work-group {} of launch {}", at(offset), group.value(), launch.value());
  }
  [[nodiscard]] std::shared_ptr<const MappedSpool> unpack(const LaunchChunks& entry, WorkGroupId group,
                                                          std::span<const std::uint8_t> list) const;
  void read_partial(bool allow_partial);
  void read_finished_copy();
  void take_scanned(const SectionHeader& header, std::span<const std::uint8_t> payload, std::uint64_t offset);
  void sort_scanned();
  [[noreturn]] void refuse_cut(std::uint64_t end, const std::string& why) const;
  void add_file_header(const SectionHeader& header, std::span<const std::uint8_t> payload);
  void add_buffer(std::span<const std::uint8_t> payload, const std::string& where);
  void add_launch(std::span<const std::uint8_t> payload, const std::string& where);
  void check_buffer(BufferId id) const;
  [[nodiscard]] SectionHeader header_at(std::uint64_t offset) const;
  [[nodiscard]] std::span<const std::uint8_t> payload_at(std::uint64_t offset, std::uint64_t size,
                                                         const SectionKind& kind, ReadContext& context) const;
  [[nodiscard]] std::string at(std::uint64_t offset) const {
    return fmt::format("{}: byte {}", path, offset);
  }
  [[nodiscard]] std::size_t position_of(LaunchId launch) const;
  [[nodiscard]] StoredCode::Source source_of_code() const;
  template <class Decode>
  auto read_group(LaunchId launch, WorkGroupId group, Decode decode) const;

  std::string path;
  Descriptor file;
  std::uint64_t size = 0;
  bool partial = false;
  std::uint64_t identity = 0;
  std::vector<std::uint64_t> buffer_checksums,
      launch_checksums;  ///< only while a file without an index is scanned
  std::string hash;
  nlohmann::json header;
  nlohmann::json notes;
  StoredCode machine_code;
  SharedList<BufferInfo> buffers;
  LaunchList launches;
  std::vector<LaunchChunks> chunks;  ///< indexed like launches
  std::optional<LaunchInterner> interner = std::optional<LaunchInterner>(std::in_place);  ///< while reading
  std::map<const void*, std::shared_ptr<const std::vector<bool>>> carries_of_kernel;      ///< while reading
  std::vector<std::vector<std::uint64_t>> scanned_checksums;  ///< by launch, of a file without an index
  std::uint64_t scanned_runs = 0;  ///< number of work-groups in runs, of a file without an index
  mutable ObjectPool<ReadContext> contexts;
  mutable RunCache run_cache;
};

}  // namespace warpscope
