#include "traces/stream/stream_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/base/varint.h"
#include "traces/stream/pattern_interner.h"
#include "traces/stream/stream_format.h"

namespace warpscope {
namespace {

/// One block, decompressed: views into its payload.
struct Block {
  std::size_t records = 0;
  const std::uint8_t* base = nullptr;
  const std::uint8_t* group = nullptr;
  const std::uint8_t* pattern = nullptr;
  const std::uint8_t* site = nullptr;
  const std::uint8_t* core = nullptr;
  const std::uint8_t* warp = nullptr;
  const std::uint8_t* kind = nullptr;
};

class BinaryStreamReader {
 public:
  BinaryStreamReader(std::string path, WarpAccessSink& sink) : path_(std::move(path)), sink_(sink) {}

  /// `is_cut`: known beforehand, so that the header can say so.
  void run(int descriptor, bool is_cut, bool partial) {
    SectionScanner scanner(descriptor, path_, kMagicBytes);
    SectionDecoder decoder;
    SectionScanner::Status status{};
    while (!ended_ && (status = scanner.next()) == SectionScanner::Status::Section) {
      where_ = fmt::format("{}: byte {}", path_, scanner.offset());
      take(scanner.header(), decoder.decode(scanner.section(), where_), is_cut);
    }
    if (ended_ && scanner.next() != SectionScanner::Status::End) {
      throw InputError(
          fmt::format("{}: byte {}: more data behind the end, expected nothing", path_, scanner.offset()));
    }
    if (!ended_ && (!partial || !begun_)) {
      throw InputError(fmt::format(
          "{}: byte {}: is cut short after {} warp accesses, expected an end section; {}", path_,
          scanner.offset(), total_,
          begun_ ? "use --partial to work with them, or run warpsched again" : "run warpsched again"));
    }
    sink_.end();
  }

 private:
  void take(const SectionHeader& section, std::span<const std::uint8_t> payload, bool is_cut) {
    if (header_.has_value() == (section.tag == kHeadTag)) fail("expected one HEAD section, at the start");
    if (section.tag == kHeadTag) {
      take_header(section, payload, is_cut);
    } else if (!begun_) {
      take_description(section, payload);
    } else if (section.tag == kLaunchSelectTag) {
      select_launch(section.launch);
    } else if (section.tag == kBlockTag) {
      if (!launch_selected_) fail("expected a launch before the first block");
      if (section.number != total_) fail("blocks are missing or in another order");
      const Block block = checked_block(payload);
      feed(block, payload);  // outside of any handler: what fails there is not the stream's fault
      total_ += block.records;
    } else if (section.tag == kEndTag) {
      if (section.number != total_) fail("blocks are missing before the end");
      ended_ = true;
    }
  }

  void take_header(const SectionHeader& section, std::span<const std::uint8_t> payload, bool is_cut) {
    if (section.number > kStreamVersion) {
      throw InputError(fmt::format("{}: has format version {}, expected at most {}; use a newer Warpscope",
                                   path_, section.number, kStreamVersion));
    }
    header_ = stream_header_from_json(parse_json(text_of(payload), path_), path_, descriptions_);
    if (is_cut) header_->context["partial"] = true;
    begin_when_described();
  }

  void take_description(const SectionHeader& section, std::span<const std::uint8_t> payload) {
    try {
      if (!descriptions_.take(section, payload, *header_))
        throw InputError("buffers or launches are missing");
      if (descriptions_.missing() == 0) (void)Layout(header_->buffers, header_->layout);
    } catch (const InputError& error) {
      fail(error.what());
    }
    begin_when_described();
  }

  void begin_when_described() {
    if (descriptions_.missing() != 0) return;
    begun_ = true;
    sink_.begin(*header_);
  }

  void select_launch(LaunchId launch) {
    site_limit_ = kMaxStreamSites;
    group_limit_ = header_->work_groups;
    const std::size_t position = header_->launches.position_of(launch);
    if (position < header_->launches.size()) {
      const LaunchInfo& found = header_->launches[position];
      site_limit_ = found.kernel->sites.size();
      group_limit_ = found.groups().count();
    } else if (!header_->launches.empty()) {
      fail("selects a launch that the header does not describe");
    }
    launch_selected_ = true;
    sink_.begin_launch(launch);
  }

  Block checked_block(std::span<const std::uint8_t> payload) {
    try {
      return read_block(payload);
    } catch (const InputError& error) {
      fail(error.what());
    }
  }

  Block read_block(std::span<const std::uint8_t> payload) {
    ByteReader in(payload);
    const std::uint64_t patterns = in.count("number of patterns", sizeof(LaneMask));
    Block block;
    block.records = in.count("number of records", kRecordBytes);
    find_patterns(in, payload, patterns);
    const auto column = [&](std::size_t width) { return in.bytes(block.records * width, "column").data(); };
    block.base = column(8);
    block.group = column(4);
    block.pattern = column(4);
    block.site = column(2);
    block.core = column(2);
    block.warp = column(2);
    block.kind = column(1);
    if (in.remaining() != 0) in.fail("end of the block", "is followed by more bytes");
    check_columns(block, patterns);
    count_uses(block);
    return block;
  }

  // Where each pattern starts; decoding them once here checks them.
  void find_patterns(ByteReader& in, std::span<const std::uint8_t> payload, std::uint64_t patterns) {
    patterns_.assign(patterns, {});
    for (PatternUse& use : patterns_) {
      use.start = payload.size() - in.remaining();
      read_pattern(in, header_->warp_size, scratch_);
    }
  }

  template <class Value>
  static Value largest(const std::uint8_t* column, std::size_t records) {
    Value result = 0;
    for (std::size_t i = 0; i < records; ++i)
      result = std::max(result, load_le<Value>(column + i * sizeof(Value)));
    return result;
  }

  void check_columns(const Block& block, std::uint64_t patterns) const {
    const auto check = [&](std::uint64_t value, std::uint64_t limit, const char* what) {
      if (value >= limit)
        throw InputError(fmt::format("{} {} is out of range, expected less than {}", what, value, limit));
    };
    if (block.records == 0) throw InputError("block is empty");
    check(largest<std::uint32_t>(block.group, block.records), group_limit_, "work-group");
    check(largest<std::uint32_t>(block.pattern, block.records), patterns, "pattern");
    check(largest<std::uint16_t>(block.site, block.records), site_limit_, "site");
    check(largest<std::uint16_t>(block.core, block.records), header_->cores, "core");
    check(largest<std::uint8_t>(block.kind, block.records), static_cast<std::uint64_t>(AccessKind::Fence) + 1,
          "kind");
  }

  // Patterns used more than once in a block get an object that consumers can recognise.
  void count_uses(const Block& block) {
    for (std::size_t i = 0; i < block.records; ++i)
      ++patterns_[load_le<std::uint32_t>(block.pattern + 4 * i)].uses;
  }

  void feed(const Block& block, std::span<const std::uint8_t> payload) {
    WarpAccess access;
    std::uint64_t base = 0;
    for (std::size_t i = 0; i < block.records; ++i) {
      base += load_le<std::uint64_t>(block.base + 8 * i);
      access.base = BufferAddr(base);
      access.group = WorkGroupId(load_le<std::uint32_t>(block.group + 4 * i));
      access.site = SiteId(load_le<std::uint16_t>(block.site + 2 * i));
      access.core = CoreId(load_le<std::uint16_t>(block.core + 2 * i));
      access.warp = WarpId(load_le<std::uint16_t>(block.warp + 2 * i));
      access.kind = static_cast<AccessKind>(block.kind[i]);
      set_pattern(access, patterns_[load_le<std::uint32_t>(block.pattern + 4 * i)], payload);
      sink_.access(access);
    }
  }

  struct PatternUse {
    std::size_t start = 0;  ///< byte of the payload
    std::uint32_t uses = 0;
    bool looked_up = false;
    const PatternInterner::Known* known = nullptr;
  };

  void set_pattern(WarpAccess& access, PatternUse& use, std::span<const std::uint8_t> payload) {
    if (use.known == nullptr) decode_pattern(use, payload);
    access.pattern = use.known != nullptr ? &use.known->pattern : &scratch_;
    access.pattern_id = use.known != nullptr ? use.known->id : 0;
  }

  void decode_pattern(PatternUse& use, std::span<const std::uint8_t> payload) {
    ByteReader in(payload.subspan(use.start));
    read_pattern(in, header_->warp_size, scratch_);
    if (use.uses > 1 && !use.looked_up) use.known = interner_.intern(scratch_);
    use.looked_up = true;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(where_ + ": " + what + "; run warpsched again");
  }

  std::string path_;
  std::string where_;
  WarpAccessSink& sink_;
  DescriptionReader descriptions_;
  bool begun_ = false;  ///< the sink has the header
  std::optional<StreamHeader> header_;
  bool launch_selected_ = false;
  bool ended_ = false;
  std::uint64_t site_limit_ = 0;
  std::uint64_t group_limit_ = 0;
  std::uint64_t total_ = 0;
  std::vector<PatternUse> patterns_;
  LanePattern scratch_;
  PatternInterner interner_;
};

// A whole stream ends with an empty FINI section.
bool ends_with_end_section(const Descriptor& file, const std::string& path) {
  const std::uint64_t size = file_size(file.get(), path);
  std::array<std::uint8_t, kSectionHeaderBytes> bytes{};
  if (size < kMagicBytes + bytes.size()) return false;
  read_some_at(file.get(), size - bytes.size(), bytes, path);
  const SectionHeader header = parse_section_header(bytes);
  return header.tag == kEndTag && header.stored_size == 0 && section_checksum(bytes) == header.checksum;
}

}  // namespace

void read_binary_stream(Descriptor file, const std::string& path, WarpAccessSink& sink, bool partial) {
  bool is_cut = false;
  if (partial) {
    if (::lseek(file.get(), 0, SEEK_CUR) < 0) {
      // Whether a pipe's stream is whole must be known before its header is passed on.
      Descriptor spool = open_spool();
      write_all(spool.get(), bytes_of(kStreamMagic), "temporary file");
      copy_all(file.get(), path, spool.get(), "temporary file");
      ::lseek(spool.get(), kMagicBytes, SEEK_SET);
      file = std::move(spool);
    }
    is_cut = !ends_with_end_section(file, path);
  }
  BinaryStreamReader(path, sink).run(file.get(), is_cut, partial);
}

void read_stream(const std::string& path, WarpAccessSink& sink, bool partial) {
  const std::string name = path == "-" ? "standard input" : path;
  Descriptor file = open_input(path);
  std::array<std::uint8_t, kMagicBytes> start{};
  const std::size_t got = read_some(file.get(), start, name);
  const auto bytes = std::span<const std::uint8_t>(start).first(got);
  if (got == 0) throw InputError(name + ": is empty, expected a stream; warpsched writes streams");
  if (text_of(bytes) == kStreamMagic) return read_binary_stream(std::move(file), name, sink, partial);
  if (kStreamMagic.starts_with(text_of(bytes))) {
    throw InputError(name + ": is cut short in its first bytes, expected a stream; run warpsched again");
  }
  if (start[0] < '0' || start[0] > '9') {
    throw InputError(
        name + ": is not a stream, expected WSSTREAM or a line 'WARP_SIZE GROUPS'; warpsched writes streams");
  }
  read_text_stream(file, name, bytes, sink);
}

}  // namespace warpscope
