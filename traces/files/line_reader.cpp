#include "traces/files/line_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/base/error.h"

namespace warpscope {
namespace {

constexpr std::size_t kReadBytes = 1u << 20;

}  // namespace

bool LineReader::next(std::string_view& line) {
  for (;;) {
    const std::size_t newline = text_.find('\n', position_);
    if (newline != std::string::npos || (ended_ && position_ < text_.size())) {
      const std::size_t stop = std::min(newline, text_.size());
      line = std::string_view(text_).substr(position_, stop - position_);
      if (line.ends_with('\r')) line.remove_suffix(1);
      position_ = std::min(stop + 1, text_.size());
      ++number_;
      return true;
    }
    if (ended_) return false;
    fill();
  }
}

void LineReader::fail(const std::string& what) const {
  throw InputError(fmt::format("{}:{}: {}", name_, std::max<std::uint64_t>(number_, 1), what));
}

void LineReader::fill() {
  text_.erase(0, position_);
  position_ = 0;
  const std::size_t old = text_.size();
  if (old >= kReadBytes) fail("the line behind it is too long, expected less than 1 MiB");
  text_.resize(old + kReadBytes);
  auto* bytes = reinterpret_cast<std::uint8_t*>(text_.data());
  const std::size_t got = read_some(file_.get(), {bytes + old, kReadBytes}, name_);
  text_.resize(old + got);
  ended_ = got < kReadBytes;
}

}  // namespace warpscope
