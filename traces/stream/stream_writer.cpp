// Binary stream writer; the block's columns are in traces/FORMAT.md, "Stream file".
#include <cassert>

#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/base/varint.h"
#include "traces/files/output_file.h"
#include "traces/stream/stream.h"
#include "traces/stream/stream_format.h"

namespace warpscope {
namespace {

class BinaryStreamWriter : public WarpAccessSink {
 public:
  explicit BinaryStreamWriter(const std::string& path) : file_(path), slots_(kSlots) {}

  void begin(const StreamHeader& header) override {
    if (header.cores > kMaxStreamSites) throw InputError("streams hold at most 65536 cores, expected fewer");
    file_.write(kStreamMagic);
    write_section(kHeadTag, kStreamVersion, bytes_of(dump(to_json(header))));
    write_descriptions(
        header, [this](std::uint32_t tag, std::uint64_t number, std::span<const std::uint8_t> payload) {
          write_section(tag, number, payload);
        });
    launches_ = header.launches;
  }

  void begin_launch(LaunchId launch) override {
    flush_block();
    launch_ = launch;
    kinds_.clear();
    if (const std::size_t position = launches_.position_of(launch); position < launches_.size())
      for (const SiteInfo& site : launches_[position].kernel->sites)
        kinds_.push_back(static_cast<std::uint8_t>(site.kind));
    write_section(kLaunchSelectTag, 0, {});
  }

  void access(const WarpAccess& access) override {
    const std::uint32_t site = access.site.value();
    if (site >= kMaxStreamSites)
      throw InputError("streams hold at most 65536 sites per kernel, expected fewer");
    const std::size_t i = records_++;
    base_[i] = access.base.key() - previous_base_;
    previous_base_ = access.base.key();
    group_[i] = access.group.value();
    pattern_[i] = pattern_index(access);
    site_[i] = static_cast<std::uint16_t>(site);
    core_[i] = static_cast<std::uint16_t>(access.core.value());
    warp_[i] = static_cast<std::uint16_t>(access.warp.value());
    kind_[i] = site < kinds_.size() ? kinds_[site] : static_cast<std::uint8_t>(access.kind);
    if (records_ == kMaxBlockRecords || patterns_.size() >= kMaxBlockPatternBytes) flush_block();
  }

  void end() override {
    flush_block();
    write_section(kEndTag, total_, {});
    file_.commit();
  }

 private:
  // Direct-mapped by id: a collision only stores a pattern twice.
  static constexpr std::size_t kSlots = 16384;
  struct Slot {
    std::uint32_t id = 0;
    std::uint32_t block = 0;
    std::uint32_t index = 0;
  };

  std::uint32_t pattern_index(const WarpAccess& access) {
    Slot& slot = slots_[access.pattern_id % kSlots];
    if (access.pattern_id != 0 && slot.id == access.pattern_id && slot.block == block_) return slot.index;
    put_pattern(patterns_, *access.pattern);
    slot = {access.pattern_id, block_, pattern_count_};
    return pattern_count_++;
  }

  void flush_block() {
    if (records_ == 0) return;
    payload_.clear();
    put_varint(payload_, pattern_count_);
    put_varint(payload_, records_);
    payload_.insert(payload_.end(), patterns_.begin(), patterns_.end());
    put_column(base_);
    put_column(group_);
    put_column(pattern_);
    put_column(site_);
    put_column(core_);
    put_column(warp_);
    put_column(kind_);
    write_section(kBlockTag, total_, payload_);
    total_ += records_;
    records_ = 0;
    previous_base_ = 0;
    patterns_.clear();
    pattern_count_ = 0;
    ++block_;
  }

  template <class Value>
  void put_column(const std::vector<Value>& column) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(column.data());
    payload_.insert(payload_.end(), bytes, bytes + records_ * sizeof(Value));
  }

  void write_section(std::uint32_t tag, std::uint64_t number, std::span<const std::uint8_t> payload) {
    file_.write(encoder_.encode(tag, launch_, number, payload));
  }

  OutputFile file_;
  SectionEncoder encoder_;
  LaunchList launches_;
  std::vector<std::uint8_t> kinds_;  ///< per site of the current launch
  LaunchId launch_;
  std::vector<Slot> slots_;
  std::uint32_t block_ = 1;
  std::uint64_t total_ = 0;
  std::size_t records_ = 0;
  std::uint64_t previous_base_ = 0;
  std::vector<std::uint8_t> patterns_;
  std::uint32_t pattern_count_ = 0;
  std::vector<std::uint8_t> payload_;
  std::vector<std::uint64_t> base_ = std::vector<std::uint64_t>(kMaxBlockRecords);
  std::vector<std::uint32_t> group_ = std::vector<std::uint32_t>(kMaxBlockRecords);
  std::vector<std::uint32_t> pattern_ = std::vector<std::uint32_t>(kMaxBlockRecords);
  std::vector<std::uint16_t> site_ = std::vector<std::uint16_t>(kMaxBlockRecords);
  std::vector<std::uint16_t> core_ = std::vector<std::uint16_t>(kMaxBlockRecords);
  std::vector<std::uint16_t> warp_ = std::vector<std::uint16_t>(kMaxBlockRecords);
  std::vector<std::uint8_t> kind_ = std::vector<std::uint8_t>(kMaxBlockRecords);
};

}  // namespace

std::unique_ptr<WarpAccessSink> make_binary_stream_writer(const std::string& path) {
  return std::make_unique<BinaryStreamWriter>(path);
}

}  // namespace warpscope
