// make_launches CAPTURE COUNT: a capture of COUNT launches of three kernels, for measurements.
#include <cstdio>
#include <cstdlib>

#include "tests/property/laws/many_launches.h"

int main(int argc, char** argv) {
  if (argc != 3 || std::atol(argv[2]) <= 0) {
    std::fprintf(stderr, "make_launches: expected CAPTURE COUNT\n");
    return 2;
  }
  warpscope::testing::write_many_launches(argv[1], static_cast<std::uint32_t>(std::atol(argv[2])));
  return 0;
}
