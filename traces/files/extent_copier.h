#pragma once
// Copies pieces of one file to another in a given order, with a bounded buffer.
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace warpscope {

/// A section in a file.
struct Extent {
  std::uint64_t offset = 0;
  std::uint32_t size = 0;  ///< bytes, header included
  [[nodiscard]] std::uint64_t end() const { return offset + size; }
};

class ExtentCopier {
 public:
  using Write = std::function<void(std::span<const std::uint8_t>)>;
  ExtentCopier(int source, std::string source_name, Write write)
      : source_(source), source_name_(std::move(source_name)), write_(std::move(write)) {}
  void add(Extent extent);
  void flush();

 private:
  void read(std::uint64_t offset, std::span<std::uint8_t> bytes) const;

  int source_;
  std::string source_name_;
  Write write_;
  std::vector<Extent> batch_;
  std::uint64_t batch_bytes_ = 0;
  std::vector<std::uint8_t> window_, output_;
};

}  // namespace warpscope
