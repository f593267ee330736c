// doc_tables: whether the tables in docs/, and the names in Python, are what the code says; doc_tables --update writes them. Exit status 4 if a page
// is out of date.
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

#include "tests/docs/doc_tables.h"

namespace warpscope::docs {

std::string markdown_table(const std::vector<Row>& rows) {
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    text += '|';
    for (const std::string& cell : rows[r]) text += ' ' + cell + " |";
    text += '\n';
    if (r != 0) continue;
    text += '|';
    for (std::size_t c = 0; c < rows[0].size(); ++c) text += "---|";
    text += '\n';
  }
  return text;
}

namespace {

constexpr int kExitOutOfDate = 4;

/// The page with the table's text between its marks. Throws std::runtime_error if it has none.
std::string with_table(const std::string& page, const DocTable& table) {
  if (table.name.empty()) return table.text;
  const std::string mark = fmt::format("<!-- table {} ", table.name), end_mark = "<!-- end of table -->";
  const std::size_t at = page.find(mark);
  const std::size_t begin = at == std::string::npos ? at : page.find('\n', at);
  const std::size_t end = begin == std::string::npos ? begin : page.find(end_mark, begin);
  if (end == std::string::npos)
    throw std::runtime_error(
        fmt::format("{}: expected a line '{}...-->' and later '{}'", table.page, mark, end_mark));
  return page.substr(0, begin + 1) + table.text + page.substr(end);
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path.string() + ": cannot read");
  return {std::istreambuf_iterator<char>(file), {}};
}

int run(bool update) {
  const std::filesystem::path root = WARPSCOPE_SOURCE_DIR;
  std::map<std::string, std::string> pages;
  std::vector<DocTable> tables = policy_tables();
  for (const auto& more : {counter_tables(), cuda_tables(), preset_tables()})
    tables.insert(tables.end(), more.begin(), more.end());
  for (const DocTable& table : tables) {
    std::string& page = pages.try_emplace(table.page, read(root / table.page)).first->second;
    page = with_table(page, table);
  }
  int status = 0;
  for (const auto& [name, text] : pages) {
    if (read(root / name) == text) continue;
    if (update) {
      std::ofstream(root / name, std::ios::binary) << text;
      std::cout << name << ": written\n";
    } else {
      std::cerr << name << ": a table is not what the code says; run doc_tables --update\n";
      status = kExitOutOfDate;
    }
  }
  return status;
}

}  // namespace
}  // namespace warpscope::docs

int main(int argc, char** argv) {
  const bool update = argc == 2 && std::strcmp(argv[1], "--update") == 0;
  if (argc > 1 && !update) {
    std::cerr << "doc_tables: '" << argv[1] << "', expected nothing or --update\n";
    return 2;
  }
  try {
    return warpscope::docs::run(update);
  } catch (const std::exception& error) {
    std::cerr << "doc_tables: " << error.what() << "\n";
    return 2;
  }
}
