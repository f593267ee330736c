#pragma once
// Address differences of work-items, kept as they are coded in a capture: a byte or two per difference
// instead of the sixteen of a DeltaRun, because a replay reads the differences of thousands of work-items at
// once and lives from what the processor's caches hold.
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "traces/base/paged_bytes.h"
#include "traces/base/varint_word.h"

namespace warpscope {

/// `repeat` (> 0) consecutive steps of `delta` bytes.
struct DeltaRun {
  std::int64_t delta = 0;
  std::uint64_t repeat = 0;
  bool operator==(const DeltaRun&) const = default;
};

/// Reads the runs of one shape, first to last. Only over the bytes of a ShapeTable: they are valid, so
/// nothing is checked here, and kPadding bytes may be read beyond the last run.
class RunCursor {
 public:
  static constexpr std::size_t kPadding = 8;

  RunCursor() = default;
  RunCursor(const std::uint8_t* at, const std::uint8_t* end) : at_(at), end_(end) {}
  [[nodiscard]] bool has_next() const { return at_ != end_; }
  /// Undefined unless has_next().
  DeltaRun next() {
    const std::uint64_t code = varint();
    const auto delta = static_cast<std::int64_t>((code >> 2) ^ (0 - (code >> 1 & 1)));
    return {delta, (code & 1) == 0 ? 1 : varint() + 2};
  }
  [[nodiscard]] const std::uint8_t* position() const { return at_; }
  bool operator==(const RunCursor&) const = default;

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    if (read_short_varint(at_, value)) return value;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = *at_++;
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  }

  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
};

/// Address differences after the first access of one work-item at one site. Valid until its table changes.
class ShapeView {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = DeltaRun;
    using difference_type = std::ptrdiff_t;
    using pointer = const DeltaRun*;
    using reference = const DeltaRun&;
    Iterator() = default;
    explicit Iterator(RunCursor cursor) : rest_(cursor) { ++*this; }
    reference operator*() const { return run_; }
    pointer operator->() const { return &run_; }
    Iterator& operator++() {
      ended_ = !rest_.has_next();
      if (!ended_) run_ = rest_.next();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const {
      return ended_ == other.ended_ && (ended_ || rest_ == other.rest_);
    }

   private:
    RunCursor rest_;
    DeltaRun run_;
    bool ended_ = true;
  };
  using value_type = DeltaRun;
  using const_iterator = Iterator;
  using iterator = Iterator;

  ShapeView(std::span<const std::uint8_t> coded, std::uint64_t runs) : coded_(coded), runs_(runs) {}
  [[nodiscard]] std::size_t size() const { return runs_; }
  [[nodiscard]] bool empty() const { return runs_ == 0; }
  [[nodiscard]] RunCursor runs() const { return {coded_.data(), coded_.data() + coded_.size()}; }
  [[nodiscard]] Iterator begin() const { return Iterator(runs()); }
  [[nodiscard]] static Iterator end() { return {}; }
  /// The runs as put_delta_run() codes them.
  [[nodiscard]] std::span<const std::uint8_t> coded() const { return coded_; }

 private:
  std::span<const std::uint8_t> coded_;
  std::uint64_t runs_;
};

/// The distinct shapes of one site in one work-group, numbered from 0.
class ShapeTable {
 public:
  ShapeTable() = default;
  ShapeTable(std::initializer_list<std::vector<DeltaRun>> shapes) {
    for (const auto& shape : shapes) add(shape);
  }
  void clear();
  /// Takes the next number. Every repeat > 0; |delta| below 2^61.
  void add(std::span<const DeltaRun> runs);
  /// The same with `runs` runs that are coded already. The bytes must be valid: decode() has checked them.
  void add_coded(std::span<const std::uint8_t> coded, std::uint64_t runs);
  void reserve(std::size_t shapes) { ends_.reserve(shapes); }
  /// From now on until clear(), shapes stay in `pages`: only add_paged() is allowed.
  void keep_in(std::shared_ptr<const PagedBytes> pages) { pages_ = std::move(pages); }
  /// As add_coded(), of bytes in the pages, with RunCursor::kPadding bytes behind them.
  void add_paged(std::span<const std::uint8_t> coded, std::uint64_t runs) {
    paged_.emplace_back(coded, runs);
  }
  /// Null: the shapes are in memory.
  [[nodiscard]] const PagedBytes* pages() const { return pages_.get(); }

  [[nodiscard]] std::size_t size() const { return pages_ == nullptr ? ends_.size() : paged_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  /// index < size().
  ShapeView operator[](std::size_t index) const {
    if (pages_ != nullptr) return paged_[index];
    const std::size_t start = index == 0 ? 0 : ends_[index - 1].byte;
    return {std::span(bytes_).subspan(start, ends_[index].byte - start), ends_[index].runs};
  }
  [[nodiscard]] std::size_t memory_bytes() const {
    return bytes_.capacity() + ends_.capacity() * sizeof(End) + paged_.capacity() * sizeof(ShapeView);
  }
  /// Whether both have the same shapes, wherever these are.
  bool operator==(const ShapeTable& other) const;

 private:
  struct End {
    std::size_t byte;
    std::uint64_t runs;
    bool operator==(const End&) const = default;
  };
  std::vector<std::uint8_t> bytes_;  ///< bytes of all shapes, and RunCursor::kPadding zeros
  std::vector<End> ends_;
  std::shared_ptr<const PagedBytes> pages_;
  std::vector<ShapeView> paged_;
};

}  // namespace warpscope
