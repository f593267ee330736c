#include "traces/files/spill.h"

#include "traces/base/error.h"

namespace warpscope {
namespace {

constexpr const char* kName = "temporary file";

}  // namespace

void Spill::add(std::span<const std::uint8_t> bytes) {
  if (waiting_.size() + bytes.size() > kKept) {
    if (!file_.valid()) file_ = open_spool();
    write_all(file_.get(), waiting_, kName);
    written_ += waiting_.size();
    waiting_.clear();
  }
  waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
  ends_.push_back((ends_.empty() ? 0 : ends_.back()) + bytes.size());
}

void Spill::read(std::size_t number, std::vector<std::uint8_t>& bytes) const {
  const std::uint64_t from = number == 0 ? 0 : ends_[number - 1];
  bytes.resize(ends_[number] - from);
  if (from >= written_) {
    const auto at = waiting_.begin() + static_cast<std::ptrdiff_t>(from - written_);
    bytes.assign(at, at + static_cast<std::ptrdiff_t>(bytes.size()));
  } else if (read_some_at(file_.get(), from, bytes, kName) != bytes.size()) {
    throw InputError(std::string(kName) + ": became shorter while it was read");
  }
}

}  // namespace warpscope
