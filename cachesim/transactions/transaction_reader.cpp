#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "cachesim/transactions/transaction_file.h"
#include "cachesim/transactions/transaction_json.h"
#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/files/file_io.h"
#include "traces/files/section.h"

namespace warpscope {
namespace {

/// Where a file's tallies have each number of a tally; a file of another version may have others.
std::vector<std::optional<std::size_t>> tally_places(const std::vector<std::string>& names) {
  std::vector<std::optional<std::size_t>> places;
  OriginTally tally;
  each_tally_counter(
      [&](const char* name, std::uint64_t) {
        const auto found = std::find(names.begin(), names.end(), name);
        places.push_back(found == names.end() ? std::nullopt
                                              : std::optional<std::size_t>(found - names.begin()));
      },
      tally);
  return places;
}

static_assert(std::endian::native == std::endian::little, "records are used as they lie in the file");

class TransactionReader {
 public:
  TransactionReader(std::string path, TransactionSink& sink, CoreShare share)
      : path_(std::move(path)), sink_(sink), share_(share) {}

  bool run(bool partial) {
    const Descriptor file = open_input(path_);
    std::array<std::uint8_t, kMagicBytes> magic{};
    if (read_some(file.get(), magic, path_) < magic.size() || text_of(magic) != kTransactionMagic)
      throw InputError(path_ + ": not a transaction stream, expected a file that begins with " +
                       std::string(kTransactionMagic));
    SectionScanner scanner(file.get(), path_, kMagicBytes);
    if (share_.of > 1) scanner.skip([this](const SectionHeader& header) { return of_others(header); });
    while (scanner.next() == SectionScanner::Status::Section) {
      where_ = fmt::format("{}: byte {}", path_, scanner.offset());
      section(scanner.header(), decoder_.decode(scanner.section(), where_));
    }
    const bool cut = !ended_;
    if (!described_)
      throw InputError(path_ + ": cut short inside its header, expected a whole transaction stream");
    if (cut && !partial)
      throw InputError(
          fmt::format("{}: cut short after {} transactions in {} blocks, expected an end section; make it "
                      "again or pass --partial",
                      path_, transactions_, blocks_));
    sink_.end();
    return cut;
  }

 private:
  /// A block of cores that are not in the share: only counted.
  bool of_others(const SectionHeader& header) {
    if (header.tag != section_tag("TXNS") || share_.has(CoreId(static_cast<std::uint32_t>(header.number))))
      return false;
    ++blocks_;
    return true;
  }

  void section(const SectionHeader& header, std::span<const std::uint8_t> payload) {
    if (!begun_ && header.tag != section_tag("HEAD"))
      throw InputError(where_ + ": first section is not HEAD, expected a whole transaction stream");
    if (header.tag == section_tag("HEAD")) {
      head(header, payload);
    } else if (!described_) {
      describe(header, payload);
    } else if (header.tag == section_tag("LNCH")) {
      sink_.begin_launch(header.launch);
    } else if (header.tag == section_tag("ORIG")) {
      origins_.clear();
      for (const auto& origin : parse_json(text_of(payload), where_))
        origins_.push_back(origin_from_json(origin, where_));
      sink_.add_origins(origins_);
    } else if (header.tag == section_tag("TXNS")) {
      block(header, payload);
    } else if (header.tag == section_tag("ENDS")) {
      finish(payload);
    }
  }

  void head(const SectionHeader& header, std::span<const std::uint8_t> payload) {
    if (begun_) throw InputError(where_ + ": second HEAD section, expected one");
    if (header.number > kTransactionVersion)
      throw InputError(
          fmt::format("{}: transaction stream of version {}, expected {} or older; use a newer cachesim",
                      path_, header.number, kTransactionVersion));
    version_ = header.number;
    header_ = transaction_header_from_json(parse_json(text_of(payload), where_), where_, descriptions_);
    places_ = tally_places(header_.tallies);
    begun_ = true;
    begin_when_described();
  }

  void describe(const SectionHeader& header, std::span<const std::uint8_t> payload) {
    try {
      if (!descriptions_.take(header, payload, header_.stream))
        throw InputError("buffers or launches are missing");
    } catch (const InputError& error) {
      throw InputError(where_ + ": " + error.what());
    }
    begin_when_described();
  }

  void begin_when_described() {
    if (descriptions_.missing() != 0) return;
    described_ = true;
    sink_.begin(header_);
  }

  /// `at` points to the origin and the numbers that header_.tallies names.
  [[nodiscard]] OriginTally tally_at(const std::uint8_t* at) const {
    const auto word = [&](std::size_t i) { return load_le<std::uint64_t>(at + 8 * i); };
    OriginTally tally{OriginId(static_cast<std::uint16_t>(word(0)))};
    std::size_t number = 0;
    each_tally_counter(
        [&](const char*, std::uint64_t& count) {
          if (const auto place = places_[number++]) count = word(1 + *place);
        },
        tally);
    return tally;
  }

  void block(const SectionHeader& header, std::span<const std::uint8_t> payload) {
    const auto damaged = [&] {
      throw InputError(where_ + ": block of a wrong size, expected whole records");
    };
    if (payload.size() < 8 || payload.size() % 8 != 0) damaged();
    const std::uint64_t count = load_le<std::uint64_t>(payload.data());
    const std::size_t tally_bytes = 8 * (1 + header_.tallies.size());
    if (count > (payload.size() - 8) / tally_bytes) damaged();
    tallies_.clear();
    degrees_.clear();
    const std::uint8_t* at = payload.data() + 8;
    for (std::uint64_t i = 0; i < count; ++i, at += tally_bytes) {
      if (load_le<std::uint64_t>(at) >= Transaction::kMaxOrigins) damaged();
      tallies_.push_back(tally_at(at));
    }
    if (version_ >= 2) {
      const auto left = static_cast<std::size_t>(payload.data() + payload.size() - at);
      if (left < 8 || load_le<std::uint64_t>(at) > (left - 8) / 16) damaged();
      const std::uint64_t degrees = load_le<std::uint64_t>(at);
      at += 8;
      for (std::uint64_t i = 0; i < degrees; ++i, at += 16) {
        const std::uint64_t what = load_le<std::uint64_t>(at);
        if (what >> 32 != 0) damaged();
        degrees_.push_back({OriginId(static_cast<std::uint16_t>(what)),
                            static_cast<std::uint16_t>(what >> 16), load_le<std::uint64_t>(at + 8)});
      }
    }
    const auto records = static_cast<std::size_t>(payload.data() + payload.size() - at) / 8;
    if (header.number > 0xffff) damaged();
    if (reinterpret_cast<std::uintptr_t>(at) % alignof(Transaction) != 0) damaged();
    sink_.block({CoreId(static_cast<std::uint32_t>(header.number)),
                 tallies_,
                 {reinterpret_cast<const Transaction*>(at), records},
                 degrees_});
    transactions_ += records;
    ++blocks_;
  }

  void finish(std::span<const std::uint8_t> payload) {
    const nlohmann::json json = parse_json(text_of(payload), where_);
    const JsonFields fields(json, where_);
    const bool whole = share_.of == 1;
    if ((whole && fields.number("transactions") != transactions_) || fields.number("blocks") != blocks_)
      throw InputError(
          fmt::format("{}: the end section counts {} transactions, {} were read; expected an undamaged file",
                      where_, fields.number("transactions"), transactions_));
    ended_ = true;
  }

  std::string path_, where_;
  TransactionSink& sink_;
  CoreShare share_;
  SectionDecoder decoder_;
  std::vector<Origin> origins_;
  std::vector<OriginTally> tallies_;
  std::vector<DegreeTally> degrees_;
  std::uint64_t version_ = 1;
  TransactionHeader header_;
  std::vector<std::optional<std::size_t>> places_;  ///< place in header_.tallies of each number of a tally
  DescriptionReader descriptions_;
  bool begun_ = false, described_ = false, ended_ = false;
  std::uint64_t transactions_ = 0, blocks_ = 0;
};

}  // namespace

bool read_transactions(const std::string& path, TransactionSink& sink, bool partial, CoreShare share) {
  return TransactionReader(path, sink, share).run(partial);
}

}  // namespace warpscope
