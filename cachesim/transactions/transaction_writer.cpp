#include <cstring>
#include <vector>

#include "cachesim/transactions/transaction_file.h"
#include "cachesim/transactions/transaction_json.h"
#include "traces/files/output_file.h"
#include "traces/files/section.h"

namespace warpscope {
namespace {

class TransactionWriter final : public TransactionSink {
 public:
  explicit TransactionWriter(const std::string& path) : file_(path) {}

  void begin(const TransactionHeader& header) override {
    file_.write(kTransactionMagic);
    write_section(section_tag("HEAD"), kTransactionVersion, to_json(header));
    write_descriptions(header.stream, [this](std::uint32_t tag, std::uint64_t number,
                                             std::span<const std::uint8_t> payload) {
      start_section(tag, number);
      section_.insert(section_.end(), payload.begin(), payload.end());
      finish_section();
    });
  }
  void begin_launch(LaunchId launch) override {
    launch_ = launch;
    write_section(section_tag("LNCH"), 0, nlohmann::json::object());
  }
  void add_origins(std::span<const Origin> added) override {
    nlohmann::json origins = nlohmann::json::array();
    for (const Origin& origin : added) origins.push_back(to_json(origin));
    write_section(section_tag("ORIG"), added.size(), origins);
  }
  void block(const TransactionBlock& block) override {
    start_section(section_tag("TXNS"), block.core.value());
    append(static_cast<std::uint64_t>(block.tallies.size()));
    for (const OriginTally& tally : block.tallies) {
      append(std::uint64_t{tally.origin.value()});
      each_tally_counter([this](const char*, std::uint64_t count) { append(count); }, tally);
    }
    append(static_cast<std::uint64_t>(block.degrees.size()));
    for (const DegreeTally& degree : block.degrees) {
      append(std::uint64_t{degree.origin.value()} | std::uint64_t{degree.degree} << 16);
      append(degree.passes);
    }
    append_records(block.transactions);
    finish_section();
    transactions_ += block.transactions.size();
    ++blocks_;
  }
  void end() override {
    write_section(section_tag("ENDS"), transactions_, {{"transactions", transactions_}, {"blocks", blocks_}});
    file_.commit();
  }

 private:
  void start_section(std::uint32_t tag, std::uint64_t number) {
    section_.resize(kSectionHeaderBytes);
    store_le(section_.data(), tag);
    store_le(section_.data() + 12, launch_.value());
    store_le(section_.data() + 16, number);
  }
  void append(std::uint64_t value) {
    section_.resize(section_.size() + 8);
    store_le(section_.data() + section_.size() - 8, value);
  }
  void append_records(std::span<const Transaction> records) {
    for (const Transaction record : records) append(record.bits());
  }
  void finish_section() {
    const auto size = static_cast<std::uint32_t>(section_.size() - kSectionHeaderBytes);
    store_le(section_.data() + 4, size);
    store_le(section_.data() + 8, size);
    store_le(section_.data() + 24, section_checksum(section_));
    file_.write(section_);
  }
  void write_section(std::uint32_t tag, std::uint64_t number, const nlohmann::json& payload) {
    start_section(tag, number);
    const std::string text = payload.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    section_.insert(section_.end(), text.begin(), text.end());
    finish_section();
  }

  OutputFile file_;
  LaunchId launch_;
  std::vector<std::uint8_t> section_;
  std::uint64_t transactions_ = 0, blocks_ = 0;
};

}  // namespace

std::unique_ptr<TransactionSink> make_transaction_writer(const std::string& path) {
  return std::make_unique<TransactionWriter>(path);
}

}  // namespace warpscope
