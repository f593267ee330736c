#include "traces/capture/capture_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "traces/base/error.h"
#include "traces/base/varint.h"
#include "traces/capture/capture_format.h"
#include "traces/files/section.h"

namespace warpscope {
namespace {

std::pair<LaunchId, WorkGroupId> key_of(const CaptureContents::Chunk& chunk) {
  return {chunk.launch, chunk.group};
}

/// By launch and work-group, then first to last.
std::tuple<LaunchId, std::uint32_t, std::uint64_t> place_of(const CaptureContents::Part& part) {
  return {part.launch, static_cast<std::uint32_t>(part.number), part.number};
}

bool comes_before(const CaptureContents::Chunk& a, const CaptureContents::Chunk& b) {
  return key_of(a) < key_of(b);
}

}  // namespace

void CaptureContents::sort(const std::string& path) {
  if (!std::is_sorted(chunks.begin(), chunks.end(), comes_before)) {
    std::sort(chunks.begin(), chunks.end(), comes_before);
  }
  for (std::size_t i = 1; i < chunks.size(); ++i) {
    if (key_of(chunks[i - 1]) == key_of(chunks[i])) {
      throw InputError(fmt::format("{}: work-group {} of launch {} was recorded twice", path,
                                   chunks[i].group.value(), chunks[i].launch.value()));
    }
  }
  std::ranges::stable_sort(runs, {}, [](const Runs& some) { return std::pair(some.launch, some.lowest); });
  std::ranges::stable_sort(parts, {}, place_of);
  std::ranges::stable_sort(machine_code, {},
                           [](const Code& code) { return std::pair(code.launch, code.is_totals); });
}

std::uint64_t CaptureContents::version() const {
  if (std::ranges::any_of(machine_code, &Code::is_reference)) return kCaptureVersion;
  return parts.empty() && runs.empty() ? kVersionOfRecords : kVersionOfParts;
}

bool CaptureContents::is_in_order() const {
  std::uint64_t end = kMagicBytes;
  bool in_order = true;
  for_each_in_order([&](const StoredSection& section) {
    in_order = in_order && section.extent.offset == end;
    end = section.extent.end();
  });
  return in_order;
}

std::uint64_t CaptureContents::identity() const {
  std::uint64_t identity = 0;
  for (const StoredSection& buffer : buffers) identity = chain_checksum(identity, buffer.checksum);
  for (const Launch& launch : launches) identity = chain_checksum(identity, launch.section.checksum);
  for (const Chunk& chunk : chunks) identity = chain_checksum(identity, chunk.section.checksum);
  for (const Runs& some : runs) identity = chain_checksum(identity, some.section.checksum);
  return identity;
}

std::vector<std::uint8_t> CaptureContents::index() const {
  std::vector<std::uint8_t> buffer_part;
  std::vector<std::uint8_t> launch_part;
  std::uint64_t offset = kMagicBytes + file.extent.size;
  std::size_t buffer = 0;
  const auto place_buffers = [&](std::size_t stop) {
    for (; buffer < stop; offset += buffers[buffer++].extent.size) put_varint(buffer_part, offset);
  };
  put_varint(buffer_part, buffers.size());
  put_varint(launch_part, launches.size());
  auto chunk = chunks.begin();
  for (const Launch& launch : launches) {
    place_buffers(launch.buffers_before);
    put_varint(launch_part, offset);
    offset += launch.section.extent.size;
    const auto stop =
        std::find_if(chunk, chunks.end(), [&](const Chunk& c) { return c.launch != launch.id; });
    put_varint(launch_part, static_cast<std::uint64_t>(stop - chunk));
    for (std::uint64_t expected = 0; chunk != stop; ++chunk) {
      put_varint(launch_part, chunk->group.value() - expected);
      put_varint(launch_part, chunk->section.extent.size - kSectionHeaderBytes);
      expected = std::uint64_t{chunk->group.value()} + 1;
      offset += chunk->section.extent.size;
    }
  }
  place_buffers(buffers.size());
  buffer_part.insert(buffer_part.end(), launch_part.begin(), launch_part.end());
  return buffer_part;
}

CaptureIndex parse_index(std::span<const std::uint8_t> payload) {
  ByteReader in(payload);
  CaptureIndex index;
  index.buffers.resize(in.count("number of buffers"));
  for (std::uint64_t& offset : index.buffers) offset = in.varint("offset of a buffer");
  index.launches.resize(in.count("number of launches", 2));
  for (CaptureIndex::Launch& launch : index.launches) {
    launch.offset = in.varint("offset of a launch");
    const std::uint64_t chunks = in.count("number of work-groups", 2);
    launch.groups.reserve(chunks);
    launch.stored_sizes.reserve(chunks);
    std::uint64_t expected = 0;
    for (std::uint64_t i = 0; i < chunks; ++i) {
      const std::uint64_t skipped = in.varint("work-group");
      const std::uint64_t size = in.varint("size of a work-group");
      constexpr std::uint64_t kLimit = std::numeric_limits<std::uint32_t>::max();
      if (expected > kLimit || skipped > kLimit - expected || size > kLimit)
        in.fail("work-group", "is out of range");
      launch.groups.emplace_back(static_cast<std::uint32_t>(expected + skipped));
      launch.stored_sizes.push_back(static_cast<std::uint32_t>(size));
      expected += skipped + 1;
    }
  }
  if (in.remaining() != 0) in.fail("end of the index", "is followed by more bytes");
  return index;
}

}  // namespace warpscope
