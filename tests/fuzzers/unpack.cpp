// unpack FILE TAG FOLDER: writes the payload of every section with this tag to FOLDER/TAG-N. For
// make_corpus.py.
#include <cstdio>
#include <fstream>
#include <iterator>

#include "tests/fuzzers/section_file.h"
#include "traces/files/section.h"

int main(int argc, char** argv) {
  using namespace warpscope::fuzzing;
  if (argc != 4) {
    std::fputs("unpack: expected FILE TAG FOLDER\n", stderr);
    return 2;
  }
  std::ifstream input(argv[1], std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(input), {}};
  const auto file = SectionFile::unpack({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  if (!file) {
    std::fprintf(stderr, "unpack: %s: expected a capture or a stream\n", argv[1]);
    return 2;
  }
  const auto wanted = warpscope::load_le<std::uint32_t>(reinterpret_cast<const std::uint8_t*>(argv[2]));
  int number = 0;
  for (const FileSection& section : file->sections) {
    if (section.tag != wanted) continue;
    std::ofstream output(std::string(argv[3]) + "/" + argv[2] + "-" + std::to_string(number++),
                         std::ios::binary);
    output.write(reinterpret_cast<const char*>(section.payload.data()),
                 static_cast<std::streamsize>(section.payload.size()));
  }
  return 0;
}
