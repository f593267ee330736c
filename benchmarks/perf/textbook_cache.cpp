// What benchmarks/perf/ratios compares with: a cache simulator as a textbook has it, and a copy of memory by one thread.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cachesim/transactions/transaction_file.h"
#include "tools/options/run_tool.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Every core's transactions, in memory: reading them is not what is timed.
class Transactions final : public TransactionSink {
 public:
  void begin(const TransactionHeader& header) override { cores_.resize(header.stream.cores); }
  void begin_launch(LaunchId) override {}
  void add_origins(std::span<const Origin>) override {}
  void block(const TransactionBlock& block) override {
    std::vector<Transaction>& core = cores_.at(block.core.value());
    core.insert(core.end(), block.transactions.begin(), block.transactions.end());
  }
  void end() override {}
  [[nodiscard]] const std::vector<std::vector<Transaction>>& cores() const { return cores_; }

 private:
  std::vector<std::vector<Transaction>> cores_;
};

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

/// One core after the other, each with a cache of its own.
Misses simulate(const Transactions& transactions, std::size_t sets, std::size_t ways, bool classes) {
  Misses misses;
  for (const std::vector<Transaction>& core : transactions.cores()) {
    SetAssociativeCache cache(sets, ways);
    std::optional<FullyAssociativeCache> shadow;
    if (classes) shadow.emplace(sets * ways);
    std::unordered_set<std::uint64_t> seen;
    for (const Transaction transaction : core) {
      const std::uint64_t line = transaction.line().value();
      const bool store = transaction.is_store();
      const bool miss = !cache.touch(line, store) && !store;
      misses.all += miss ? 1 : 0;
      if (!classes) continue;
      const bool in_shadow = shadow->touch(line, store);
      const bool first = seen.insert(line).second;
      if (miss) ++(first ? misses.compulsory : in_shadow ? misses.conflict : misses.capacity);
    }
  }
  return misses;
}

int run_simulation(const char* path, std::size_t sets, std::size_t ways, bool classes) {
  Transactions transactions;
  read_transactions(path, transactions);
  const Clock::time_point start = Clock::now();
  const Misses misses = simulate(transactions, sets, ways, classes);
  std::printf(R"({"seconds": %.6f, "misses": %llu, "compulsory": %llu, "capacity": %llu, "conflict": %llu})"
              "\n",
              seconds_since(start), static_cast<unsigned long long>(misses.all),
              static_cast<unsigned long long>(misses.compulsory),
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
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kCopies; ++i) {
    from[static_cast<std::size_t>(i)] = to[kBytes - 1];  // so that no copy can be left out
    std::memcpy(to.data(), from.data(), kBytes);
  }
  const double seconds = seconds_since(start);
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
