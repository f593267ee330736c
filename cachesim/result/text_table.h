#pragma once
// Tables and numbers of text reports.
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace warpscope {

/// 1234567 -> "1,234,567".
std::string grouped(std::uint64_t value);
/// "12.34 %"; "-" of nothing.
std::string percent(std::uint64_t part, std::uint64_t whole);
/// "1.23"; "-" of nothing.
std::string ratio(std::uint64_t part, std::uint64_t whole);

/// Columns as wide as their widest cell; the first column is left-aligned, and with `text_at_end` the last.
/// Cells may hold text of the input: they are made quotable (traces/base/printable.h).
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void add(std::vector<std::string> row);
  [[nodiscard]] bool empty() const { return rows_.size() == 1; }
  void write(std::ostream& out, bool text_at_end = false) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace warpscope
