// What benchmarks/perf/ratios compares with: a cache simulator as a textbook has it, and a copy of memory by one thread.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cachesim/transactions/transaction_file.h"
#include "tools/options/run_tool.h"

namespace warpscope {
namespace {

/// LRU, write-through, no allocation by stores. The lines of a set are in the order of their last use.
class SetAssociativeCache {
 public:
  SetAssociativeCache(std::size_t sets, std::size_t ways) : ways_(ways), lines_(sets * ways, kNone) {}

  /// True on a hit.
  bool touch(std::uint64_t line, bool store) {
    const auto first = lines_.begin() + static_cast<std::ptrdiff_t>(line % (lines_.size() / ways_) * ways_);
    const auto last = first + static_cast<std::ptrdiff_t>(ways_);
    auto way = std::find(first, last, line);
    const bool hit = way != last;
    if (!hit && store) return false;
    if (!hit) *--way = line;
    std::rotate(first, way, way + 1);
    return hit;
  }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::size_t ways_;
  std::vector<std::uint64_t> lines_;
};

/// The fully associative cache that tells capacity misses from conflict misses: a list and where each line is in it.
class FullyAssociativeCache {
 public:
  explicit FullyAssociativeCache(std::size_t lines) : capacity_(lines) {}

  bool touch(std::uint64_t line, bool store) {
    const auto found = where_.find(line);
    if (found != where_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return true;
    }
    if (store) return false;
    if (order_.size() == capacity_) {
      where_.erase(order_.back());
      order_.pop_back();
    }
    order_.push_front(line);
    where_[line] = order_.begin();
    return false;
  }

 private:
  std::size_t capacity_;
  std::list<std::uint64_t> order_;
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> where_;
};

struct Misses {
  std::uint64_t all = 0, compulsory = 0, capacity = 0, conflict = 0;  ///< of loads
};

/// A cache for each core of a stream, and with classes what tells them apart.
class Textbook final : public TransactionSink {
 public:
  Textbook(std::size_t sets, std::size_t ways, bool classes) : sets_(sets), ways_(ways), classes_(classes) {}

  void begin(const TransactionHeader& header) override {
    cores_.assign(header.stream.cores,
                  {SetAssociativeCache(sets_, ways_), FullyAssociativeCache(sets_ * ways_), {}});
  }
  void begin_launch(LaunchId) override {}
  void add_origins(std::span<const Origin>) override {}
  void block(const TransactionBlock& block) override {
    Core& core = cores_.at(block.core.value());
    for (const Transaction transaction : block.transactions)
      touch(core, transaction.line().value(), transaction.is_store());
  }
  void end() override {}
  [[nodiscard]] const Misses& misses() const { return misses_; }

 private:
  struct Core {
    SetAssociativeCache cache;
    FullyAssociativeCache shadow;
    std::unordered_set<std::uint64_t> seen;
  };

  void touch(Core& core, std::uint64_t line, bool store) {
    const bool miss = !core.cache.touch(line, store) && !store;
    misses_.all += miss ? 1 : 0;
    if (!classes_) return;
    const bool in_shadow = core.shadow.touch(line, store);
    const bool first = core.seen.insert(line).second;
    if (miss) ++(first ? misses_.compulsory : in_shadow ? misses_.conflict : misses_.capacity);
  }

  std::size_t sets_, ways_;
  bool classes_;
  std::vector<Core> cores_;
  Misses misses_;
};

int run_simulation(const char* path, std::size_t sets, std::size_t ways, bool classes) {
  Textbook textbook(sets, ways, classes);
  read_transactions(path, textbook);
  const Misses& misses = textbook.misses();
  std::printf(R"({"misses": %llu, "compulsory": %llu, "capacity": %llu, "conflict": %llu})"
              "\n",
              static_cast<unsigned long long>(misses.all), static_cast<unsigned long long>(misses.compulsory),
              static_cast<unsigned long long>(misses.capacity),
              static_cast<unsigned long long>(misses.conflict));
  return 0;
}

/// 16 copies of 64 MiB, which no processor's cache holds; the first one, of untouched pages, is not timed.
int run_copy() {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  constexpr int kCopies = 16;
  std::vector<char> from(kBytes, 1), to(kBytes);
  std::memcpy(to.data(), from.data(), kBytes);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kCopies; ++i) {
    from[static_cast<std::size_t>(i)] = to[kBytes - 1];  // so that no copy can be left out
    std::memcpy(to.data(), from.data(), kBytes);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::printf(R"({"seconds": %.6f, "bytes": %zu})"
              "\n",
              seconds, kCopies * kBytes);
  return 0;
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "copy") return warpscope::run_copy();
  if (argc != 5) {
    std::fputs("Usage: textbook_cache copy\n       textbook_cache STREAM SETS WAYS classes|misses\n", stderr);
    return 2;
  }
  return warpscope::run_tool("textbook_cache", [&] {
    return warpscope::run_simulation(argv[1], std::strtoull(argv[2], nullptr, 10),
                                     std::strtoull(argv[3], nullptr, 10),
                                     std::string_view(argv[4]) == "classes");
  });
}
