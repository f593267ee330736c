// Writes a transaction stream of loads of uniformly random lines, for benchmarks/perf/run.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cachesim/transactions/transaction_file.h"
#include "tools/options/run_tool.h"
#include "traces/base/random.h"

namespace warpscope {
namespace {

constexpr std::size_t kBlock = 1u << 15;

/// Block after block of one core each, as a coalescer writes them.
void write(const char* path, std::uint64_t lines, std::uint32_t cores, std::uint64_t blocks_per_core) {
  const auto writer = make_transaction_writer(path);
  TransactionHeader header;
  header.stream.cores = cores;
  header.line_limit = lines;
  writer->begin(header);
  writer->begin_launch(LaunchId(0));
  const Origin origin{SiteId(0), BufferId(0), AccessKind::Load, Destination::L1};
  writer->add_origins({&origin, 1});
  std::vector<Transaction> block(kBlock);
  for (std::uint32_t core = 0; core < cores; ++core) {
    SplitMix64 random(core);
    for (std::uint64_t i = 0; i < blocks_per_core; ++i) {
      for (Transaction& transaction : block)
        transaction = {LineAddr(random.below(lines)), OriginId(0), AccessKind::Load, false, true};
      const OriginTally tally{OriginId(0), {kBlock}, 0};
      writer->block({CoreId(core), {&tally, 1}, block});
    }
  }
  writer->end();
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("Usage: write_random_transactions FILE LINES CORES BLOCKS_OF_32768_PER_CORE\n", stderr);
    return 2;
  }
  return warpscope::run_tool("write_random_transactions", [&] {
    warpscope::write(argv[1], std::strtoull(argv[2], nullptr, 10),
                     static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10)),
                     std::strtoull(argv[4], nullptr, 10));
    return 0;
  });
}
