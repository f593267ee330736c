// The way into a capture that has no index: one that is not finished, or cut short.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "traces/base/error.h"
#include "traces/capture/capture_finish.h"
#include "traces/capture/capture_format.h"
#include "traces/capture/reader_state.h"
#include "traces/capture/runs/run_table.h"

namespace warpscope {

// Reads and checks every section from the start: the way into a file that has no index.
void CaptureReader::State::read_partial(bool allow_partial) {
  partial = true;
  ::lseek(file.get(), kMagicBytes, SEEK_SET);
  SectionScanner scanner(file.get(), path, kMagicBytes);
  SectionDecoder decoder;
  SectionScanner::Status status{};
  std::string place = "between two sections";
  while ((status = scanner.next()) == SectionScanner::Status::Section) {
    const auto payload = decoder.decode(scanner.section(), at(scanner.offset()));
    if (scanner.header().tag == kIndexTag) {
      place = "behind its index";
      break;
    }
    take_scanned(scanner.header(), payload, scanner.offset());
  }
  if (status == SectionScanner::Status::Cut) place = "inside a section";
  if (!allow_partial || header.is_null()) refuse_cut(size, place);
  if (scanned_runs != 0) return read_finished_copy();
  sort_scanned();
}

/// In a file that is not finished, runs of several threads are mixed, and those of one work-group after the other.
void CaptureReader::State::read_finished_copy() {
  try {
    file = finished_copy(file.get(), path);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  size = file_size(file.get(), path);
  header = nullptr;
  buffers.clear();
  launches = {};
  chunks.clear();
  read_whole();
}

void CaptureReader::State::take_scanned(const SectionHeader& found, std::span<const std::uint8_t> payload,
                                        std::uint64_t offset) {
  const std::string where = at(offset);
  if (header.is_null() != (found.tag == kFileTag)) {
    throw InputError(where + ": expected one FILE section, at the start; capture it again");
  }
  if (found.tag == kFileTag) return add_file_header(found, payload);
  if (found.tag == kBufferTag) {
    add_buffer(payload, where);
    buffer_checksums.push_back(found.checksum);
  }
  if (found.tag == kLaunchTag) {
    add_launch(payload, where);
    launch_checksums.push_back(found.checksum);
  }
  if (found.tag == kPartTag) return add_part(found, offset);
  if (found.tag == kRunsTag) scanned_runs += groups_in_runs(payload);
  if (found.tag != kChunkTag && found.tag != kSplitTag) return;
  const std::size_t position = position_of(found.launch);
  LaunchChunks& entry = chunks[position];
  entry.records.emplace_back(static_cast<std::uint32_t>(found.number));
  entry.offsets.push_back(offset);
  entry.stored_sizes.push_back(found.stored_size);
  scanned_checksums.resize(chunks.size());
  scanned_checksums[position].push_back(found.checksum);
}

// Chunks are in order of completion; after this they are as if read from an index.
void CaptureReader::State::sort_scanned() {
  for (const std::uint64_t checksum : buffer_checksums) identity = chain_checksum(identity, checksum);
  for (const std::uint64_t checksum : launch_checksums) identity = chain_checksum(identity, checksum);
  scanned_checksums.resize(chunks.size());
  for (std::size_t launch = 0; launch < chunks.size(); ++launch) {
    LaunchChunks& entry = chunks[launch];
    const std::vector<WorkGroupId>& groups = entry.records;
    std::vector<std::size_t> order(groups.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return groups[a] < groups[b]; });
    LaunchChunks sorted;
    sorted.carries_address = std::move(entry.carries_address);
    sorted.split = std::move(entry.split);
    for (const std::size_t position : order) {
      if (!sorted.records.empty() && sorted.records.back() == groups[position]) {
        throw InputError(fmt::format("{}: work-group {} is there twice; capture it again",
                                     at(entry.offsets[position]), groups[position].value()));
      }
      sorted.records.push_back(groups[position]);
      sorted.offsets.push_back(entry.offsets[position]);
      sorted.stored_sizes.push_back(entry.stored_sizes[position]);
      identity = chain_checksum(identity, scanned_checksums[launch][position]);
    }
    entry = std::move(sorted);
  }
}

void CaptureReader::State::refuse_cut(std::uint64_t end, const std::string& why) const {
  std::uint64_t intact = scanned_runs;
  std::uint64_t expected = 0;
  for (const LaunchChunks& entry : chunks) intact += entry.offsets.size();
  for (const LaunchInfo& launch : launches) expected += launch.groups().count();
  const std::string rest = intact == 0 ? "nothing in it is usable, capture it again"
                                       : "use --partial to work with them, or capture it again";
  throw InputError(fmt::format("{}: byte {}: is cut short {}, {} of {} work-groups are intact; {}", path, end,
                               why, intact, expected, rest));
}

}  // namespace warpscope
