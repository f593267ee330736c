#include "whatif/layout/offset_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace warpscope::whatif {
namespace {

constexpr std::uint64_t kEndless = ~std::uint64_t{0};

/// The largest power of two that divides `value`; of 0 the largest of all.
constexpr std::uint64_t lowest_bit(std::uint64_t value) {
  return value == 0 ? std::uint64_t{1} << 63 : value & (~value + 1);
}

class PitchMap : public OffsetMap {
 public:
  PitchMap(std::uint64_t size, std::uint64_t from, std::uint64_t to)
      : from_(from), to_(to), size_(size / from * to + std::min(size % from, to)) {}
  std::optional<std::uint64_t> moved(std::uint64_t offset) const override {
    const std::uint64_t column = offset % from_;
    if (column >= to_) return {};
    return offset / from_ * to_ + column;
  }
  std::uint64_t together(std::uint64_t offset) const override {
    return std::min(from_, to_) - std::min(offset % from_, std::min(from_, to_) - 1);
  }
  std::uint64_t alignment_kept(std::uint64_t /*offset*/) const override {
    return lowest_bit(std::gcd(from_, to_));
  }
  std::uint64_t new_size() const override { return size_; }
  std::string why_not(std::uint64_t offset) const override {
    return fmt::format("byte {} of row {} is beyond the new row of {} bytes", offset % from_, offset / from_,
                       to_);
  }

 private:
  std::uint64_t from_, to_, size_;
};

class ShiftMap : public OffsetMap {
 public:
  ShiftMap(std::uint64_t size, std::int64_t distance)
      : distance_(static_cast<std::uint64_t>(distance)),
        least_(distance < 0 ? 0 - distance_ : 0),
        size_(distance < 0 ? size : size + distance_) {}
  std::optional<std::uint64_t> moved(std::uint64_t offset) const override {
    if (offset < least_) return {};
    return offset + distance_;
  }
  std::uint64_t together(std::uint64_t /*offset*/) const override { return kEndless; }
  std::uint64_t alignment_kept(std::uint64_t /*offset*/) const override { return lowest_bit(distance_); }
  std::uint64_t new_size() const override { return size_; }
  std::string why_not(std::uint64_t offset) const override {
    return fmt::format("offset {} would be in front of the object", offset);
  }

 private:
  std::uint64_t distance_;  ///< modulo 2^64
  std::uint64_t least_, size_;
};

class SwizzleMap : public OffsetMap {
 public:
  SwizzleMap(std::uint64_t size, std::uint64_t row, std::uint64_t unit)
      : row_(row), unit_(unit), size_((size + row - 1) / row * row) {}
  std::optional<std::uint64_t> moved(std::uint64_t offset) const override {
    const std::uint64_t row = offset / row_;
    const std::uint64_t pieces = row_ / unit_;
    const std::uint64_t piece = (offset % row_ / unit_) ^ (row % pieces);
    return row * row_ + piece * unit_ + offset % unit_;
  }
  std::uint64_t together(std::uint64_t offset) const override { return unit_ - offset % unit_; }
  std::uint64_t alignment_kept(std::uint64_t /*offset*/) const override { return unit_; }
  std::uint64_t new_size() const override { return size_; }
  std::string why_not(std::uint64_t /*offset*/) const override { return {}; }

 private:
  std::uint64_t row_, unit_, size_;
};

class SplitMap : public OffsetMap {
 public:
  SplitMap(std::uint64_t size, std::uint64_t structure, const std::vector<std::uint64_t>& fields)
      : structure_(structure), count_((size + structure - 1) / structure) {
    std::uint64_t start = 0;
    for (const std::uint64_t bytes : fields) {
      fields_.push_back({start, bytes});
      start += bytes;
    }
    size_ = start * count_;
  }
  std::optional<std::uint64_t> moved(std::uint64_t offset) const override {
    const Field* field = field_at(offset);
    if (field == nullptr) return {};
    return field->start * count_ + offset / structure_ * field->bytes + offset % structure_ - field->start;
  }
  std::uint64_t together(std::uint64_t offset) const override {
    const Field* field = field_at(offset);
    return field == nullptr ? 1 : field->start + field->bytes - offset % structure_;
  }
  std::uint64_t alignment_kept(std::uint64_t offset) const override {
    const Field* field = field_at(offset);
    if (field == nullptr) return 1;
    const std::uint64_t inside = offset % structure_ - field->start;
    return lowest_bit(std::gcd(std::gcd(field->start * count_, field->bytes), inside));
  }
  std::uint64_t new_size() const override { return size_; }
  std::string why_not(std::uint64_t offset) const override {
    return fmt::format("byte {} of a structure of {} bytes is in none of its fields", offset % structure_,
                       structure_);
  }

 private:
  struct Field {
    std::uint64_t start, bytes;
  };
  [[nodiscard]] const Field* field_at(std::uint64_t offset) const {
    const std::uint64_t at = offset % structure_;
    const auto after = std::upper_bound(fields_.begin(), fields_.end(), at,
                                        [](std::uint64_t byte, const Field& f) { return byte < f.start; });
    const Field& field = *(after - 1);
    return at - field.start < field.bytes ? &field : nullptr;
  }

  std::uint64_t structure_, count_, size_ = 0;
  std::vector<Field> fields_;  ///< the first starts at 0
};

class TransposeMap : public OffsetMap {
 public:
  TransposeMap(std::uint64_t size, std::uint64_t rows, std::uint64_t columns, std::uint64_t element)
      : rows_(rows), columns_(columns), element_(element), size_(size) {}
  std::optional<std::uint64_t> moved(std::uint64_t offset) const override {
    const std::uint64_t matrix = rows_ * columns_ * element_;
    const std::uint64_t start = offset / matrix * matrix;
    if (start + matrix > size_) return {};
    const std::uint64_t number = (offset - start) / element_;
    const std::uint64_t row = number / columns_;
    const std::uint64_t column = number % columns_;
    return start + (column * rows_ + row) * element_ + offset % element_;
  }
  std::uint64_t together(std::uint64_t offset) const override { return element_ - offset % element_; }
  std::uint64_t alignment_kept(std::uint64_t offset) const override {
    return lowest_bit(std::gcd(element_, offset % element_));
  }
  std::uint64_t new_size() const override { return size_; }
  std::string why_not(std::uint64_t offset) const override {
    return fmt::format("offset {} is behind the last whole matrix of {} x {} elements of {} bytes", offset,
                       rows_, columns_, element_);
  }

 private:
  std::uint64_t rows_, columns_, element_, size_;
};

class Both : public OffsetMap {
 public:
  Both(OffsetMapPtr first, OffsetMapPtr second) : first_(std::move(first)), second_(std::move(second)) {}
  std::optional<std::uint64_t> moved(std::uint64_t offset) const override {
    const auto between = first_->moved(offset);
    return between ? second_->moved(*between) : between;
  }
  std::uint64_t together(std::uint64_t offset) const override {
    const auto between = first_->moved(offset);
    return between ? std::min(first_->together(offset), second_->together(*between)) : 1;
  }
  std::uint64_t alignment_kept(std::uint64_t offset) const override {
    const auto between = first_->moved(offset);
    return between ? std::min(first_->alignment_kept(offset), second_->alignment_kept(*between)) : 1;
  }
  std::uint64_t new_size() const override { return second_->new_size(); }
  std::string why_not(std::uint64_t offset) const override {
    const auto between = first_->moved(offset);
    return between ? second_->why_not(*between) : first_->why_not(offset);
  }

 private:
  OffsetMapPtr first_, second_;
};

}  // namespace

OffsetMapPtr pitch_map(std::uint64_t size, std::uint64_t old_pitch, std::uint64_t new_pitch) {
  return std::make_shared<PitchMap>(size, old_pitch, new_pitch);
}

OffsetMapPtr shift_map(std::uint64_t size, std::int64_t distance) {
  return std::make_shared<ShiftMap>(size, distance);
}

OffsetMapPtr swizzle_map(std::uint64_t size, std::uint64_t row, std::uint64_t unit) {
  return std::make_shared<SwizzleMap>(size, row, unit);
}

OffsetMapPtr split_map(std::uint64_t size, std::uint64_t structure,
                       const std::vector<std::uint64_t>& fields) {
  return std::make_shared<SplitMap>(size, structure, fields);
}

OffsetMapPtr transpose_map(std::uint64_t size, std::uint64_t rows, std::uint64_t columns,
                           std::uint64_t element) {
  return std::make_shared<TransposeMap>(size, rows, columns, element);
}

OffsetMapPtr both(OffsetMapPtr first, OffsetMapPtr second) {
  return std::make_shared<Both>(std::move(first), std::move(second));
}

}  // namespace warpscope::whatif
