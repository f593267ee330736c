#include "passes/driver/text_file.h"

#include <fstream>

#include "traces/base/error.h"

namespace warpscope {

void write_text_file(const std::string &path, const std::string &text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    throw InputError(path + ": cannot write, expected a writable work directory with free space");
}

} // namespace warpscope
