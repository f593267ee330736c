#pragma once
// Lists on the command line: "16,32,48", "1-128", "8-64:8", "8-256*2".
#include <cstdint>
#include <string>
#include <vector>

namespace warpscope {

/// One part of a list: a number, or a range of them.
struct NumberItem {
  std::string text;
  std::vector<std::uint64_t> values;  ///< ascending
};

/// A-B counts by one, A-B:S by S, A-B*F multiplies by F. Numbers are `least` … `most`, at most 2^20 of them.
/// Throws InputError that names `option`.
std::vector<NumberItem> parse_number_list(const std::string& option, const std::string& text,
                                          std::uint64_t most, std::uint64_t least = 1);
/// All of them, ascending, each once.
std::vector<std::uint64_t> values_of(const std::vector<NumberItem>& items);
/// "LRU,FIFO": the words, each once. Throws InputError on an empty one.
std::vector<std::string> parse_word_list(const std::string& option, const std::string& text);

}  // namespace warpscope
