#pragma once
// What stores do, by line. Private memory is above all other memory, and GPUs that write global data
// through keep it in the L1 and write it back: a line's number says which of two policies its stores obey.
#include "cachesim/l1/cache_config.h"
#include "cachesim/transactions/transaction.h"

namespace warpscope {

class WriteRules {
 public:
  /// Transactions from number `private_from` on are those of private memory.
  WriteRules(const CacheConfig& config, std::uint64_t private_from)
      : global_(write_policy(config.write_policy)),
        private_(write_policy(config.private_writes())),
        private_from_(private_from) {}

  /// Whether private memory is there and has its own policy. If it has none, global() holds for all.
  [[nodiscard]] bool mixed() const {
    return private_from_ < kNoPrivateMemory &&
           (global_.store_miss_allocates != private_.store_miss_allocates ||
            global_.writes_back != private_.writes_back ||
            global_.store_hit_removes != private_.store_hit_removes ||
            global_.store_hits_line != private_.store_hits_line);
  }
  [[nodiscard]] const WritePolicy& global() const { return global_; }
  /// Policy of a transaction, by its number.
  [[nodiscard]] const WritePolicy& of(std::uint64_t transaction) const {
    return transaction < private_from_ ? global_ : private_;
  }
  [[nodiscard]] bool any_removes() const {
    return global_.store_hit_removes || (mixed() && private_.store_hit_removes);
  }
  [[nodiscard]] bool any_hits_line() const {
    return global_.store_hits_line || (mixed() && private_.store_hits_line);
  }

 private:
  WritePolicy global_, private_;
  std::uint64_t private_from_;
};

}  // namespace warpscope
