#include "wrapper/recording/spill/sorted_records.h"

#include <algorithm>

#include "traces/base/varint.h"

namespace warpscope {
namespace {

/// Bytes of memory for reading all batches at once, as long as there are not too many.
constexpr std::size_t kReadBytes = 64u << 20;

}  // namespace

// Per key: the way from the key before, the number of its records, and the records.
void SortedRecords::add(std::span<const Record> records) {
  if (records.empty()) return;
  std::ranges::fill(starts_, 0);
  for (const Record& record : records) ++starts_[record.key + 1];
  for (std::size_t key = 1; key < starts_.size(); ++key) starts_[key] += starts_[key - 1];
  sorted_.resize(records.size());
  for (const Record& record : records) sorted_[starts_[record.key]++] = record;
  std::uint32_t before = 0;
  for (auto first = sorted_.begin(); first != sorted_.end();) {
    const auto end = sorted_.begin() + starts_[first->key];
    std::vector<std::uint8_t>& out = spool_.waiting();
    put_varint(out, first->key - before);
    put_varint(out, static_cast<std::uint64_t>(end - first));
    before = first->key;
    for (; first != end; ++first) {
      put_varint(out, first->value);
      put_varint(out, first->repeat);
      spool_.note_growth();
    }
  }
  ends_.push_back(spool_.size());
}

SortedRecords::Cursor::Cursor(const SortedRecords& records) {
  batches_.reserve(records.ends_.size());
  const std::size_t step =
      std::clamp<std::size_t>(kReadBytes / std::max<std::size_t>(records.ends_.size(), 1), 4096, 1u << 20);
  std::uint64_t from = 0;
  for (const std::uint64_t end : records.ends_) {
    batches_.push_back({SpoolReader(records.spool_, from, end, std::min<std::uint64_t>(step, end - from))});
    begin_key(batches_.back());
    from = end;
  }
}

void SortedRecords::Cursor::begin_key(Batch& batch) {
  if (batch.reader.at_end()) return;
  batch.key += batch.reader.varint();
  batch.left = batch.reader.varint();
}

void SortedRecords::Cursor::skip(Batch& batch) {
  for (; batch.left != 0; --batch.left) {
    batch.reader.varint();
    batch.reader.varint();
  }
  begin_key(batch);
}

}  // namespace warpscope
