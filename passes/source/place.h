#pragma once
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>

namespace warpscope::ptx {

/// Where preprocessed text comes from, by its line markers: `# 7 "file" 3 4`.
class Place {
public:
  void advance(std::string_view text) {
    for (;;) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) {
        column_ += text.size();
        return;
      }
      if (!(column_ == 0 && take_marker(text.substr(0, end))))
        ++line_;
      column_ = 0;
      text.remove_prefix(end + 1);
    }
  }

  /// A marker that says so, and spaces up to the column.
  [[nodiscard]] std::string marker() const {
    return "\n# " + std::to_string(line_) + file_ + "\n" + std::string(column_, ' ');
  }

private:
  bool take_marker(std::string_view line) {
    const std::size_t open = line.find('"'), close = line.rfind('"');
    const bool is_marker = line.starts_with("# ") && line.size() > 2 &&
                           std::isdigit(static_cast<unsigned char>(line[2])) != 0;
    if (!is_marker || open == close)
      return false;
    line_ = static_cast<std::size_t>(std::atoll(std::string(line.substr(2, open - 2)).c_str()));
    // 3 and 4 say what kind of file it is; 1 and 2 that it begins or goes on.
    file_ = " " + std::string(line.substr(open, close + 1 - open));
    for (const char flag : {'3', '4'})
      if (line.find(flag, close) != std::string_view::npos)
        file_ += std::string(" ") + flag;
    return true;
  }

  std::size_t line_ = 1, column_ = 0;
  std::string file_ = " \"\"";
};

} // namespace warpscope::ptx
