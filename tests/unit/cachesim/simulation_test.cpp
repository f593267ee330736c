// Threads take shares of the cores: whatever their number, results and messages are the same.
#include "cachesim/simulate/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "cachesim/result/result_json.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "cachesim/transactions/transaction_file.h"
#include "header_builder.h"
#include "tests/thinning.h"
#include "tests/unit/temporary_folder.h"
#include "traces/base/error.h"

namespace warpscope::test {
namespace {

constexpr std::uint32_t kCores = 7;

/// What each core does, in order.
class ByCore final : public TransactionSink {
 public:
  void begin(const TransactionHeader&) override {}
  void begin_launch(LaunchId) override {}
  void add_origins(std::span<const Origin>) override {}
  void block(const TransactionBlock& block) override {
    auto& list = transactions[block.core];
    list.insert(list.end(), block.transactions.begin(), block.transactions.end());
  }
  void end() override {}
  std::map<CoreId, std::vector<Transaction>> transactions;
};

class Shares : public testing::Test {
 protected:
  void SetUp() override {
    path_ = folder_.file("shares.wtxn");
    StreamHeader h =
        header({AddressSpace::Global, AddressSpace::Global},
               {site(AccessKind::Load, AddressSpace::Global), site(AccessKind::Store, AddressSpace::Global)});
    h.cores = kCores;
    CoalescingSink sink(128, coalescing_rule("fermi"), *make_transaction_writer_at(path_));
    Accesses make;
    sink.begin(h);
    sink.begin_launch(LaunchId(0));
    for (std::uint32_t i = 0; i < 40000; ++i) {
      WarpAccess access = make.strided(i % 2, BufferAddr(BufferId(1 + i % 2), i * 52 % 65536), 4 + i % 3);
      access.core = CoreId(i * i % kCores);
      sink.access(access);
    }
    sink.end();
    std::ifstream file(path_, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }
  TransactionSink* make_transaction_writer_at(const std::string& path) {
    writer_ = make_transaction_writer(path);
    return writer_.get();
  }

  [[nodiscard]] SimulationRequest request(std::uint32_t threads) const {
    SimulationRequest request;
    request.input = path_;
    request.threads = threads;
    request.runs = 2;
    request.simulation.cache.replacement = "Rand";
    request.simulation.self_check = true;
    request.simulation.reuse_histogram = true;
    return request;
  }
  [[nodiscard]] std::string result(std::uint32_t threads) const {
    const Simulated simulated = simulate(request(threads), FileKind::TransactionStream);
    std::string text;
    for (const SimulationResult& run : simulated.runs)
      text += result_json(ResultContext{}, simulated.header.stream, run, std::nullopt).dump();
    return text;
  }
  [[nodiscard]] std::string message(std::uint32_t threads) const {
    try {
      simulate(request(threads), FileKind::TransactionStream);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  void write(const std::string& bytes) { std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes; }

  TemporaryFolder folder_;
  std::string path_, bytes_;
  std::unique_ptr<TransactionSink> writer_;
};

TEST_F(Shares, OfAFileAreTheCoresOfTheWhole) {
  ByCore whole, parts;
  read_transactions(path_, whole);
  for (std::uint32_t number = 0; number < 3; ++number) {
    ByCore part;
    read_transactions(path_, part, false, {number, 3});
    for (auto& [core, list] : part.transactions) {
      EXPECT_EQ(core.value() % 3, number);
      EXPECT_TRUE(parts.transactions.emplace(core, std::move(list)).second) << "core " << core.value();
    }
  }
  EXPECT_EQ(whole.transactions.size(), 4u);  // squares modulo 7: 0, 1, 2, 4
  EXPECT_EQ(parts.transactions, whole.transactions);
}

TEST_F(Shares, AddUpToTheSameResult) {
  const std::string alone = result(1);
  EXPECT_THAT(alone, testing::HasSubstr("\"transactions\""));
  for (const std::uint32_t threads : {2u, 3u, 16u})
    EXPECT_EQ(result(threads), alone) << threads << " threads";
}

TEST_F(Shares, DamageGivesTheSameMessage) {
  for (std::size_t at = 0; at < bytes_.size(); at += kCaseStep * (1 + bytes_.size() / 60)) {
    std::string damaged = bytes_;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write(damaged);
    EXPECT_NE(message(1), "") << "byte " << at;
    EXPECT_EQ(message(3), message(1)) << "byte " << at;
  }
  for (std::size_t size = 100; size < bytes_.size(); size += kCaseStep * (1 + bytes_.size() / 30)) {
    write(bytes_.substr(0, size));
    EXPECT_NE(message(1), "") << size << " bytes";
    EXPECT_EQ(message(3), message(1)) << size << " bytes";
  }
}

}  // namespace
}  // namespace warpscope::test
