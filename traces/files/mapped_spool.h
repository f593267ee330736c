#pragma once
// Bytes that are more than the memory should hold: in an unnamed file, and mapped.
#include <cstdint>
#include <span>

#include "traces/base/paged_bytes.h"
#include "traces/files/file_io.h"

namespace warpscope {

/// Filled once, then read. The file is in $TMPDIR.
class MappedSpool final : public PagedBytes {
 public:
  /// Bytes of zeros that may be read behind the end.
  static constexpr std::size_t kPadding = 16;

  MappedSpool() = default;
  ~MappedSpool() override;
  MappedSpool(const MappedSpool&) = delete;
  MappedSpool& operator=(const MappedSpool&) = delete;

  /// Appends. Throws InputError when the file cannot be written.
  void add(std::span<const std::uint8_t> bytes);
  /// After the last add(); once.
  void map();
  /// After map().
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {bytes_, size_}; }
  void release() const override;

 private:
  Descriptor file_;
  std::size_t size_ = 0;
  const std::uint8_t* bytes_ = nullptr;
};

}  // namespace warpscope
