#include "traces/capture/capture_finish.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>

#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/capture/capture_format.h"
#include "traces/capture/merge_runs.h"
#include "traces/capture/runs/lane_runs.h"
#include "traces/capture/runs/run_table.h"
#include "traces/files/file_io.h"
#include "traces/files/output_file.h"
#include "traces/files/section_lanes.h"

namespace warpscope {
namespace {

// Notes, index section and footer behind the sections in the finished order.
std::vector<std::uint8_t> tail_of(const CaptureContents& contents, const nlohmann::json& notes) {
  std::uint64_t size = kMagicBytes;
  contents.for_each_in_order([&](const StoredSection& section) { size += section.extent.size; });
  SectionEncoder encoder;
  std::vector<std::uint8_t> result;
  if (!notes.is_null()) {
    const auto note = encoder.encode(kNoteTag, LaunchId(0), 0, bytes_of(dump(notes)));
    result.assign(note.begin(), note.end());
    size += note.size();
  }
  const auto index = encoder.encode(kIndexTag, LaunchId(0), contents.identity(), contents.index());
  result.insert(result.end(), index.begin(), index.end());
  result.resize(result.size() + kCaptureFooterBytes);
  std::uint8_t* footer = result.data() + result.size() - kCaptureFooterBytes;
  store_le(footer, size);
  std::copy(kCaptureEndMagic.begin(), kCaptureEndMagic.end(), footer + sizeof(size));
  return result;
}

void finish_in_place(int file, const std::string& part, const std::string& target,
                     const CaptureContents& contents, const nlohmann::json& notes) {
  const std::uint64_t size = file_size(file, target);
  try {
    ::lseek(file, 0, SEEK_END);
    write_all(file, tail_of(contents, notes), target);
    if (std::rename(part.c_str(), target.c_str()) != 0) throw InputError(io_message(target, "write", errno));
  } catch (const InputError&) {
    if (::ftruncate(file, static_cast<off_t>(size)) != 0) ::unlink(part.c_str());
    throw;
  }
}

std::vector<std::uint8_t> read_section(int file, const std::string& path, Extent extent) {
  std::vector<std::uint8_t> section(extent.size);
  if (read_some_at(file, extent.offset, section, path) != section.size())
    throw InputError(path + ": became shorter while it was read");
  return section;
}

/// The FILE section for a capture of at least this version; nothing: as it is.
std::vector<std::uint8_t> header_of_version(std::uint64_t version, int file, const std::string& path,
                                            Extent extent) {
  const std::vector<std::uint8_t> section = read_section(file, path, extent);
  if (parse_section_header(std::span(section).first<kSectionHeaderBytes>()).number >= version) return {};
  SectionDecoder decoder;
  nlohmann::json header = parse_json(text_of(decoder.decode(section, path)), path);
  header["version"] = version;
  SectionEncoder encoder;
  const auto changed = encoder.encode(kFileTag, LaunchId(0), version, bytes_of(dump(header)));
  return {changed.begin(), changed.end()};
}

/// Leaves the parts that belong to a work-group. An interrupted run may have left others.
void drop_lost_parts(int file, const std::string& path, CaptureContents& contents) {
  if (contents.parts.empty()) return;
  SectionDecoder decoder;
  std::set<std::uint64_t> wanted;
  for (const CaptureContents::Chunk& chunk : contents.chunks) {
    if (!chunk.is_split) continue;
    const std::vector<std::uint8_t> section = read_section(file, path, chunk.section.extent);
    const auto list = decoder.decode(section, path);
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= list.size(); at += sizeof(std::uint64_t))
      wanted.insert(load_le<std::uint64_t>(&list[at]));
  }
  std::erase_if(contents.parts,
                [&](const CaptureContents::Part& part) { return wanted.erase(part.section.checksum) == 0; });
}

/// Copies the sections in order, with an index.
void copy_in_order(int file, const std::string& name, CaptureContents& contents, const FreshSections& fresh,
                   const nlohmann::json& notes, const ExtentCopier::Write& write) {
  write(bytes_of(kCaptureMagic));
  const std::uint64_t head = contents.file.extent.offset;
  const std::vector<std::uint8_t> header =
      header_of_version(contents.version(), file, name, contents.file.extent);
  if (!header.empty()) {
    contents.file.extent.size = static_cast<std::uint32_t>(header.size());
    write(header);
  }
  ExtentCopier copier(file, name, write);
  contents.for_each_in_order([&](const StoredSection& section) {
    if (section.is_fresh) {
      copier.flush();
      write(fresh.read(section));
    } else if (header.empty() || section.extent.offset != head) {
      copier.add(section.extent);
    }
  });
  copier.flush();
  write(tail_of(contents, notes));
}

// A spooled capture goes to its device or pipe; another name keeps the .part file intact until the copy is
// whole.
void finish_by_copy(int file, const std::string& part, const std::string& target, CaptureContents& contents,
                    const FreshSections& fresh, const nlohmann::json& notes) {
  const bool spooled = part.empty();
  OutputFile output(spooled ? target : target + ".sorted");
  copy_in_order(file, target, contents, fresh, notes,
                [&](std::span<const std::uint8_t> bytes) { output.write(bytes); });
  output.commit_as(target);
  if (!spooled) ::unlink(part.c_str());
}

/// A file in memory, to look through its sections without a system call for each.
class Mapping {
 public:
  Mapping(int file, std::uint64_t size, const std::string& path) : size_(size) {
    if (size == 0) return;
    void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    if (mapping == MAP_FAILED) throw InputError(io_message(path, "map", errno));
    bytes_ = static_cast<const std::uint8_t*>(mapping);
    ::madvise(mapping, size, MADV_SEQUENTIAL);
  }
  ~Mapping() {
    if (bytes_ != nullptr) ::munmap(const_cast<std::uint8_t*>(bytes_), size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {bytes_, size_}; }

 private:
  const std::uint8_t* bytes_ = nullptr;
  std::uint64_t size_;
};

/// `section`: header and stored bytes.
void note_section(const SectionHeader& header, std::span<const std::uint8_t> section,
                  const StoredSection& stored, CaptureContents& contents) {
  if (header.tag == kFileTag) contents.file = stored;
  if (header.tag == kBufferTag) contents.buffers.push_back(stored);
  if (header.tag == kLaunchTag)
    contents.launches.push_back({header.launch, stored, contents.buffers.size(), header.number});
  if (header.tag == kChunkTag || header.tag == kSplitTag)
    contents.chunks.push_back({header.launch, WorkGroupId(static_cast<std::uint32_t>(header.number)), stored,
                               header.tag == kSplitTag});
  if (header.tag == kRunsTag)
    contents.runs.push_back({header.launch, WorkGroupId(static_cast<std::uint32_t>(header.number)), stored,
                             groups_in_runs(SectionDecoder().decode(section, "runs"))});
  if (header.tag == kCodeTag || header.tag == kTotalsTag)
    contents.machine_code.push_back(
        {header.launch, header.tag == kTotalsTag, header.tag == kCodeTag && header.number != 0, stored});
  if (header.tag == kPartTag) contents.parts.push_back({header.launch, header.number, stored});
}

/// The sections of a .part file up to its end or the first incomplete one; returns where they end.
std::uint64_t scan(std::span<const std::uint8_t> file, const std::string& path, CaptureContents& contents) {
  if (file.size() < kMagicBytes || text_of(file.first(kMagicBytes)) != kCaptureMagic)
    throw InputError(path + ": is not a capture that is being written");
  std::uint64_t offset = kMagicBytes;
  while (file.size() - offset >= kSectionHeaderBytes) {
    const SectionHeader header = parse_section_header(file.subspan(offset).first<kSectionHeaderBytes>());
    const std::uint64_t size = kSectionHeaderBytes + std::uint64_t{header.stored_size};
    if (size > file.size() - offset) break;
    if (section_checksum(file.subspan(offset, size)) != header.checksum) {
      if (offset + size == file.size()) break;
      throw InputError(
          fmt::format("{}: byte {}: checksum does not match, expected an undamaged file", path, offset));
    }
    note_section(header, file.subspan(offset, size),
                 {{offset, static_cast<std::uint32_t>(size)}, header.checksum}, contents);
    offset += size;
  }
  return offset;
}

/// Brings the sections into the finished order and form.
void arrange(int file, const std::string& name, CaptureContents& contents, FreshSections& fresh) {
  drop_lost_parts(file, name, contents);
  contents.sort(name);
  const Mapping mapping(file, file_size(file, name), name);
  const SectionBytes bytes = [&](const StoredSection& section) {
    return mapping.bytes().subspan(section.extent.offset, section.extent.size);
  };
  merge_runs(name, bytes, contents, fresh);
}

}  // namespace

void finish_capture(int file, const std::string& part, const std::string& target, CaptureContents& contents,
                    const nlohmann::json& notes) {
  FreshSections fresh;
  arrange(file, target, contents, fresh);
  const bool has_version = contents.runs.empty() && contents.version() < kCaptureVersion;
  if (!part.empty() && has_version && contents.is_in_order())
    finish_in_place(file, part, target, contents, notes);
  else
    finish_by_copy(file, part, target, contents, fresh, notes);
}

Descriptor finished_copy(int file, const std::string& path) {
  CaptureContents contents;
  FreshSections fresh;
  scan_part(file, path, contents);
  arrange(file, path, contents, fresh);
  Descriptor copy = open_spool();
  copy_in_order(file, path, contents, fresh, {},
                [&](std::span<const std::uint8_t> bytes) { write_all(copy.get(), bytes, "temporary file"); });
  return copy;
}

std::uint64_t scan_part(int file, const std::string& part, CaptureContents& contents) {
  const std::uint64_t size = file_size(file, part);
  if (size < kMagicBytes) return 0;  // the disk was full from the beginning
  const Mapping mapping(file, size, part);
  return scan(mapping.bytes(), part, contents);
}

FinishedPart finish_part(const std::string& path, const std::string& journal, const nlohmann::json& notes) {
  const std::string part = path + ".part";
  const Descriptor file(::open(part.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.valid()) throw InputError(io_message(part, "read", errno));
  while (::flock(file.get(), LOCK_EX) != 0)
    if (errno != EINTR) throw InputError(io_message(part, "lock", errno));
  if (!journal.empty()) recover_journal(journal, file.get(), part, section_of_log);
  CaptureContents contents;
  const std::uint64_t size = file_size(file.get(), part);
  const std::uint64_t end = scan_part(file.get(), part, contents);
  if (end != size && ::ftruncate(file.get(), static_cast<off_t>(end)) != 0)
    throw InputError(io_message(part, "write", errno));
  FinishedPart result;
  if (contents.launches.empty()) {
    ::unlink(part.c_str());
    return result;
  }
  finish_capture(file.get(), part, path, contents, notes);
  const Descriptor finished(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (finished.valid()) result.file_bytes = file_size(finished.get(), path);
  std::size_t chunk = 0, runs = 0;
  for (const CaptureContents::Launch& launch : contents.launches) {
    const std::size_t first = chunk;
    while (chunk < contents.chunks.size() && contents.chunks[chunk].launch == launch.id) ++chunk;
    std::uint64_t groups = chunk - first;
    for (; runs < contents.runs.size() && contents.runs[runs].launch == launch.id; ++runs)
      groups += contents.runs[runs].groups;
    result.work_groups.emplace_back(launch.id, groups);
  }
  return result;
}

}  // namespace warpscope
