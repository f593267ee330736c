// Text stream writer (Crawford 2014, listing 5.3).
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "traces/base/error.h"
#include "traces/files/output_file.h"
#include "traces/stream/stream.h"

namespace warpscope {
namespace {

class TextStreamWriter : public WarpAccessSink {
 public:
  explicit TextStreamWriter(const std::string& path) : file_(path) {}

  void begin(const StreamHeader& header) override {
    header_ = header;
    layout_ = Layout(header.buffers, header.layout);
    for (std::uint64_t groups = 0; const LaunchInfo& info : header.launches) {
      first_groups_.push_back(groups);
      groups += info.groups().count();
    }
    file_.write(std::to_string(header.warp_size) + " " + std::to_string(header.work_groups) + "\n");
  }

  void begin_launch(LaunchId launch) override {
    launch_ = nullptr;
    first_group_ = 0;
    if (const std::size_t position = header_.launches.position_of(launch);
        position < header_.launches.size()) {
      launch_ = &header_.launches[position];
      first_group_ = first_groups_[position];
    }
    first_site_ = launch_ == nullptr ? 0 : site_base(*launch_);
  }

  void access(const WarpAccess& access) override {
    const AccessKind kind =
        launch_ == nullptr ? access.kind : launch_->kernel->sites[access.site.value()].kind;
    if (!has_address(kind)) return;
    if (kind != AccessKind::Store) write_lanes(access, 'R');
    if (kind != AccessKind::Load) write_lanes(access, 'W');
  }

  void end() override {
    flush();
    file_.commit();
  }

 private:
  static constexpr std::size_t kBufferBytes = 1u << 16;
  static constexpr std::size_t kLongestLine =
      96;  ///< three numbers of 20 digits, an address, and what is between

  // Kernels are told apart by name: launches of one kernel share their sites.
  std::uint64_t site_base(const LaunchInfo& launch) {
    const auto [entry, is_new] = site_bases_.try_emplace(launch.kernel->name, next_site_);
    if (is_new) next_site_ += launch.kernel->sites.size();
    return entry->second;
  }

  [[nodiscard]] bool is_global(BufferAddr where, SiteId site) const {
    if (launch_ == nullptr) return true;
    const std::uint32_t id = where.buffer().value();
    const AddressSpace space = id != 0 && id <= header_.buffers.size()
                                   ? header_.buffers[id - 1].space
                                   : launch_->kernel->sites[site.value()].space;
    return space == AddressSpace::Global || space == AddressSpace::Generic;
  }

  void write_lanes(const WarpAccess& access, char direction) {
    tail_ = {' ', direction, ' '};
    const auto put = [&](std::uint64_t value, char after) {
      const fmt::format_int digits(value);
      tail_.append(digits.data(), digits.size());
      tail_ += after;
    };
    put(first_group_ + access.group.value(), ' ');
    put(access.warp.value(), ' ');
    put(first_site_ + access.site.value(), '\n');
    for (std::uint32_t lane = 0; lane < access.pattern->lanes; ++lane) {
      const BufferAddr where(access.base.key() + static_cast<std::uint64_t>(access.pattern->offset[lane]));
      if (is_global(where, access.site)) write_line(layout_.address(where).value());
    }
  }

  void write_line(std::uint64_t address) {
    if (used_ + kLongestLine > kBufferBytes) flush();
    char* out = buffer_.data() + used_;
    *out++ = '0';
    *out++ = 'x';
    const auto digits = std::max(1, static_cast<int>(std::bit_width(address) + 3) / 4);
    for (int i = digits; i-- > 0; address >>= 4) out[i] = "0123456789ABCDEF"[address & 15];
    out = std::copy(tail_.begin(), tail_.end(), out + digits);
    used_ = static_cast<std::size_t>(out - buffer_.data());
  }

  void flush() {
    file_.write(std::string_view(buffer_.data(), used_));
    used_ = 0;
  }

  OutputFile file_;
  StreamHeader header_;
  Layout layout_;
  std::vector<std::uint64_t> first_groups_;  ///< earlier work-groups, by position of the launch
  const LaunchInfo* launch_ = nullptr;
  std::uint64_t first_group_ = 0;
  std::uint64_t first_site_ = 0;
  std::uint64_t next_site_ = 0;
  std::map<std::string, std::uint64_t> site_bases_;
  std::vector<char> buffer_ = std::vector<char>(kBufferBytes);
  std::size_t used_ = 0;
  std::string tail_;  ///< end of the current access's lines: " R 0 0 1\n"
};

}  // namespace

std::unique_ptr<WarpAccessSink> make_text_stream_writer(const std::string& path) {
  return std::make_unique<TextStreamWriter>(path);
}

}  // namespace warpscope
