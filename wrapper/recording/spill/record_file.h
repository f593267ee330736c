#pragma once
// Where the records of a work-group go that has more than the memory should hold.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "wrapper/recording/spill/records.h"
#include "wrapper/recording/spill/sorted_records.h"

namespace warpscope {

/// What to do where the file cannot be written, which is what `why` says.
std::string advice_for_file(const std::string& why);

class RecordFile {
 public:
  /// What the runs of one (work-item, site) that are in the file do.
  struct Reach {
    std::int64_t at = 0;  ///< bytes from the first access to the last one
    std::int64_t lowest = 0, highest = 0;
    std::uint64_t steps = 0;
    void add(std::int64_t delta, std::uint64_t repeat);
  };

  RecordFile(std::uint32_t items, std::uint32_t sites);

  /// Takes all of them. Throws InputError when the file cannot be written.
  void add(std::span<const Token> tokens, std::span<const OutcomeToken> outcomes);

  [[nodiscard]] const Reach& reach(std::uint32_t item, std::uint32_t site) const {
    return reach_[key_of(item, site)];
  }
  [[nodiscard]] std::size_t memory_bytes() const {
    return runs_.memory_bytes() + words_.memory_bytes() + reach_.capacity() * sizeof(Reach);
  }

  /// Reads the runs, site by site and of each work-item by work-item.
  class RunCursor {
   public:
    explicit RunCursor(const RecordFile& file) : file_(file), cursor_(file.runs_) {}
    /// Calls visit(delta, repeat). (site, item) must ascend from call to call.
    template <class Visit>
    void visit(std::uint32_t item, std::uint32_t site, Visit visit) {
      cursor_.visit(file_.key_of(item, site), [&](std::uint64_t value, std::uint64_t repeat) {
        visit(static_cast<std::int64_t>((value >> 1) ^ (0 - (value & 1))), repeat);
      });
    }

   private:
    const RecordFile& file_;
    SortedRecords::Cursor cursor_;
  };
  /// Reads the words of outcomes, work-item by work-item: visit(item, visit(word, repeat)).
  [[nodiscard]] SortedRecords::Cursor words() const { return SortedRecords::Cursor(words_); }

 private:
  [[nodiscard]] std::uint32_t key_of(std::uint32_t item, std::uint32_t site) const {
    return site * items_ + item;
  }

  std::size_t batch_for(std::size_t records, SortedRecords& sorted);

  std::uint32_t items_;
  std::uint32_t sites_;
  SortedRecords runs_;
  SortedRecords words_;
  std::vector<Reach> reach_;  ///< by key
  std::vector<SortedRecords::Record> batch_;
};

}  // namespace warpscope
