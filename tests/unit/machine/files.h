#pragma once
// Files of tests/unit/machine/data.
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace warpscope::machine {

inline std::vector<std::uint8_t> data_file(const std::string& name) {
  std::ifstream file(WARPSCOPE_SOURCE_DIR "/tests/unit/machine/data/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace warpscope::machine
