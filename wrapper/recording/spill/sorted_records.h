#pragma once
// Records by key, more than the memory holds: sorted in batches that go to a temporary file, and merged when they are read.
#include <cstdint>
#include <span>
#include <vector>

#include "wrapper/recording/spill/spool_io.h"

namespace warpscope {

class SortedRecords {
 public:
  struct Record {
    std::uint64_t value = 0;
    std::uint32_t key = 0;
    std::uint32_t repeat = 0;
  };
  /// The most records of a batch: sorting takes 16 bytes of memory for each.
  static constexpr std::size_t kBatch = 1u << 20;

  /// Keys are below `keys`.
  explicit SortedRecords(std::size_t keys) : starts_(keys + 1) {}

  /// Memory for batches of so many. Throws std::bad_alloc.
  void reserve(std::size_t records) { sorted_.reserve(records); }
  /// At most kBatch; the order of equal keys is kept. Throws InputError when the file cannot be written.
  void add(std::span<const Record> records);
  [[nodiscard]] std::size_t memory_bytes() const {
    return starts_.capacity() * sizeof(std::uint32_t) + sorted_.capacity() * sizeof(Record);
  }

  /// Reads all records, key by key.
  class Cursor {
   public:
    /// `records` must not change while it is read.
    explicit Cursor(const SortedRecords& records);
    /// Calls visit(value, repeat) for the records of `key`, in the order in which they were added. Keys must ascend from
    /// call to call; those left out are passed over.
    template <class Visit>
    void visit(std::uint32_t key, Visit visit) {
      for (Batch& batch : batches_) {
        while (batch.left != 0 && batch.key < key) skip(batch);
        if (batch.left == 0 || batch.key != key) continue;
        for (; batch.left != 0; --batch.left) {
          const std::uint64_t value = batch.reader.varint();
          visit(value, batch.reader.varint());
        }
        begin_key(batch);
      }
    }

   private:
    struct Batch {
      SpoolReader reader;
      std::uint64_t key = 0;
      std::uint64_t left = 0;  ///< records of the key; 0: the batch has ended
    };
    static void begin_key(Batch& batch);
    static void skip(Batch& batch);
    std::vector<Batch> batches_;
  };

 private:
  std::vector<std::uint32_t> starts_;  ///< per key, in the batch that is sorted
  std::vector<Record> sorted_;
  SpoolWriter spool_;
  std::vector<std::uint64_t> ends_;  ///< of the batches in the spool
};

}  // namespace warpscope
