#include "cachesim/result/text_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/base/printable.h"

namespace warpscope {

std::string grouped(std::uint64_t value) {
  return value < 1000 ? fmt::format("{}", value)
                      : fmt::format("{},{:03}", grouped(value / 1000), value % 1000);
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.2f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(part) / static_cast<double>(whole));
}

void TextTable::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = quotable(cell);
  rows_.push_back(std::move(row));
}

void TextTable::write(std::ostream& out, bool text_at_end) const {
  std::vector<std::size_t> width(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  for (const auto& row : rows_) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool left = i == 0 || (text_at_end && i + 1 == row.size());
      line += left ? fmt::format(" {:<{}}", row[i], width[i]) : fmt::format("  {:>{}}", row[i], width[i]);
      if (text_at_end && i + 2 == row.size()) line += " ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
  }
}

}  // namespace warpscope
