#include "tests/fuzzers/section_file.h"

#include <algorithm>

#include "traces/capture/capture_format.h"
#include "traces/capture/capture_index.h"
#include "traces/capture/runs/run_table.h"
#include "traces/files/section.h"

namespace warpscope::fuzzing {
namespace {

constexpr std::uint32_t kMaxPayload = 4u << 20;

SectionHeader header_at(Bytes file, std::size_t offset) {
  return parse_section_header(file.subspan(offset).first<kSectionHeaderBytes>());
}

/// Writes sections one after the other and remembers where they are.
class Packer {
 public:
  explicit Packer(const std::string& magic) : file_(magic.begin(), magic.end()) {}

  StoredSection add(const FileSection& section) {
    const auto bytes =
        encoder_.encode(section.tag, LaunchId(section.launch), section.number, section.payload);
    StoredSection stored;
    stored.extent = {file_.size(), static_cast<std::uint32_t>(bytes.size())};
    stored.checksum = parse_section_header(bytes.first<kSectionHeaderBytes>()).checksum;
    file_.insert(file_.end(), bytes.begin(), bytes.end());
    return stored;
  }

  void add_index(const CaptureContents& contents) {
    const std::uint64_t offset = file_.size();
    add({kIndexTag, 0, contents.identity(), contents.index()});
    std::uint8_t place[8];
    store_le(place, offset);
    file_.insert(file_.end(), place, place + sizeof place);
    file_.insert(file_.end(), kCaptureEndMagic.begin(), kCaptureEndMagic.end());
  }

  [[nodiscard]] std::vector<std::uint8_t> take() { return std::move(file_); }

 private:
  SectionEncoder encoder_;
  std::vector<std::uint8_t> file_;
};

/// What the index will say about a section.
void take_note(CaptureContents& contents, const FileSection& section, const StoredSection& stored) {
  if (section.tag == kFileTag) contents.file = stored;
  if (section.tag == kBufferTag) contents.buffers.push_back(stored);
  if (section.tag == kLaunchTag)
    contents.launches.push_back({LaunchId(section.launch), stored, contents.buffers.size()});
  if (section.tag == kChunkTag)
    contents.chunks.push_back(
        {LaunchId(section.launch), WorkGroupId(static_cast<std::uint32_t>(section.number)), stored});
  if (section.tag == kRunsTag)
    contents.runs.push_back(
        {LaunchId(section.launch), WorkGroupId(static_cast<std::uint32_t>(section.number)), stored, 0});
}

}  // namespace

std::vector<std::size_t> section_offsets(Bytes file) {
  std::vector<std::size_t> offsets;
  for (std::size_t at = kMagicBytes; at + kSectionHeaderBytes <= file.size();) {
    const std::size_t end = at + kSectionHeaderBytes + header_at(file, at).stored_size;
    if (end > file.size()) break;
    offsets.push_back(at);
    at = end;
  }
  return offsets;
}

void refresh_checksum(std::vector<std::uint8_t>& file, std::size_t offset) {
  if (offset + kSectionHeaderBytes > file.size()) return;
  const SectionHeader header = header_at(file, offset);
  const std::size_t size = kSectionHeaderBytes + header.stored_size;
  if (size > file.size() - offset) return;
  constexpr std::size_t kChecksumOffset = 24;
  store_le(file.data() + offset + kChecksumOffset, section_checksum(Bytes(file).subspan(offset, size)));
}

std::optional<SectionFile> SectionFile::unpack(Bytes bytes) {
  if (bytes.size() < kMagicBytes) return std::nullopt;
  SectionFile file;
  file.magic = std::string(text_of(bytes.first(kMagicBytes)));
  if (file.magic != kCaptureMagic && file.magic != kStreamMagic && file.magic != kTransactionMagic)
    return std::nullopt;
  SectionDecoder decoder;
  for (const std::size_t offset : section_offsets(bytes)) {
    const SectionHeader header = header_at(bytes, offset);
    if (header.raw_size > kMaxPayload) break;
    if (file.magic == kCaptureMagic && header.tag == kIndexTag) {
      file.has_index = true;
      break;
    }
    FileSection section{header.tag, header.launch.value(), header.number, {}};
    try {
      const auto payload =
          decoder.decode(bytes.subspan(offset, kSectionHeaderBytes + header.stored_size), "seed");
      section.payload.assign(payload.begin(), payload.end());
    } catch (const InputError&) {
      break;
    }
    file.sections.push_back(std::move(section));
  }
  return file;
}

std::vector<std::uint8_t> SectionFile::pack() const {
  Packer packer(magic);
  CaptureContents contents;
  for (const FileSection& section : sections) take_note(contents, section, packer.add(section));
  if (has_index) {
    // The index names launches in ascending order, each with the chunks behind it.
    std::stable_sort(contents.launches.begin(), contents.launches.end(),
                     [](const auto& a, const auto& b) { return a.id < b.id; });
    packer.add_index(contents);
  }
  return packer.take();
}

}  // namespace warpscope::fuzzing
