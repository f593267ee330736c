#include "cachesim/transactions/transaction_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cachesim/simulate/l1_simulator.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "header_builder.h"
#include "tests/unit/temporary_folder.h"
#include "traces/base/error.h"

namespace warpscope::test {
namespace {

using testing::HasSubstr;

class TransactionFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = folder_.file("transactions.wtxn");
    Accesses make;
    StreamHeader h =
        header({AddressSpace::Global, AddressSpace::Local},
               {site(AccessKind::Load, AddressSpace::Global), site(AccessKind::Store, AddressSpace::Local)});
    h.context = {{"policy", "warp"}};
    RecordingSink recorded;
    feed(h, recorded);
    expected_ = recorded;
    const auto writer = make_transaction_writer(path_);
    feed(h, *writer);
    std::ifstream file(path_, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }

  static void feed(const StreamHeader& h, TransactionSink& to) {
    Accesses make;
    CoalescingSink sink(128, coalescing_rule("fermi"), to);
    sink.begin(h);
    sink.begin_launch(LaunchId(0));
    for (std::uint32_t i = 0; i < 30000; ++i) {
      WarpAccess access = make.strided(i % 2, BufferAddr(BufferId(1 + i % 2), i * 4 % 4096), 4 + i % 3);
      access.core = CoreId(i % 3);
      sink.access(access);
    }
    sink.end();
  }
  RecordingSink read(bool partial = false) {
    RecordingSink recorded;
    was_partial_ = read_transactions(path_, recorded, partial);
    return recorded;
  }
  void write(const std::string& bytes) { std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes; }
  std::string error_of(bool partial = false) {
    try {
      read(partial);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  std::string path_, bytes_;
  RecordingSink expected_;
  bool was_partial_ = false;
};

TEST_F(TransactionFile, RoundTripKeepsEverything) {
  const RecordingSink got = read();
  EXPECT_EQ(got.transactions, expected_.transactions);
  EXPECT_EQ(got.origins, expected_.origins);
  EXPECT_EQ(got.cores, expected_.cores);
  EXPECT_EQ(got.lanes, expected_.lanes);
  EXPECT_EQ(got.outside_requests, expected_.outside_requests);
  EXPECT_EQ(got.header.transaction_bytes, 128u);
  EXPECT_EQ(got.header.line_limit, expected_.header.line_limit);
  EXPECT_EQ(got.header.private_from, kNoPrivateMemory);
  EXPECT_EQ(got.header.stream.launches.size(), 1u);
  EXPECT_EQ(got.header.stream.buffers.size(), 2u);
  EXPECT_EQ(got.header.stream.context, expected_.header.stream.context);
  EXPECT_FALSE(was_partial_);
}

TEST_F(TransactionFile, SaysWherePrivateMemoryBegins) {
  const StreamHeader h =
      header({AddressSpace::Private}, {site(AccessKind::Store, AddressSpace::Private)}, 64);
  const auto writer = make_transaction_writer(path_);
  Accesses make;
  CoalescingSink sink(128, coalescing_rule("fermi"), *writer);
  sink.begin(h);
  sink.begin_launch(LaunchId(0));
  sink.access(make.strided(0, BufferAddr(BufferId(1), 0), 0));
  sink.end();
  const RecordingSink got = read();
  ASSERT_EQ(got.transactions.size(), 1u);
  EXPECT_EQ(got.header.private_from, got.transactions[0].line().value())
      << "the first word of the first warp";
}

TEST_F(TransactionFile, CutFileIsReadOnlyWithPartial) {
  write(bytes_.substr(0, bytes_.size() * 3 / 4));
  EXPECT_THAT(error_of(), AllOf(HasSubstr("cut short"), HasSubstr("--partial")));
  const RecordingSink got = read(true);
  EXPECT_TRUE(was_partial_);
  EXPECT_LT(got.transactions.size(), expected_.transactions.size());
  EXPECT_GT(got.transactions.size(), 0u);
}

TEST_F(TransactionFile, EveryFlippedByteIsFound) {
  for (std::size_t at = 0; at < bytes_.size(); at += 1 + bytes_.size() / 300) {
    std::string damaged = bytes_;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    write(damaged);
    EXPECT_NE(error_of(), "") << "byte " << at;
  }
}

TEST_F(TransactionFile, EveryLengthIsRefusedOrPartial) {
  for (std::size_t size = 0; size < bytes_.size(); size += 1 + bytes_.size() / 100) {
    write(bytes_.substr(0, size));
    EXPECT_NE(error_of(), "") << size << " bytes";
  }
}

/// The end of a simulation of one load, whose transaction begins a request and whose tally is `tally`.
std::string error_of_tally(const OriginTally& tally) {
  L1Simulator simulator{SimulationOptions{}};
  TransactionHeader head;
  head.stream = header({AddressSpace::Global}, {site(AccessKind::Load, AddressSpace::Global)});
  simulator.begin(head);
  simulator.begin_launch(LaunchId(0));
  simulator.add_origins(std::array{Origin{SiteId(0), BufferId(1), AccessKind::Load, Destination::L1}});
  const Transaction load(LineAddr(5), OriginId(0), AccessKind::Load, false, true);
  simulator.block({CoreId(0), {&tally, 1}, {&load, 1}});
  try {
    simulator.end();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TransactionTallies, ThatContradictTheTransactionsAreRefused) {
  OriginTally tally{OriginId(0)};
  tally.access.lanes = 4;
  EXPECT_EQ(error_of_tally(tally), "");
  tally.access.lanes = 0;
  EXPECT_THAT(error_of_tally(tally), HasSubstr("1 requests and 0 lanes of kind load in the stream"));
}

TEST_F(TransactionFile, OtherFilesAreRefused) {
  write("WSCAPTUR and more");
  EXPECT_THAT(error_of(), HasSubstr("not a transaction stream"));
}

}  // namespace
}  // namespace warpscope::test
