#include "cachesim/counters/transaction_counter.h"

namespace warpscope {

void TransactionCounter::begin(const TransactionHeader& header) {
  header_ = header;
  for (const BufferInfo& buffer : header_.stream.buffers) {
    if (buffer.id.value() >= is_private_.size()) is_private_.resize(buffer.id.value() + 1);
    is_private_[buffer.id.value()] = buffer.space == AddressSpace::Private;
  }
}

void TransactionCounter::begin_launch(LaunchId /*launch*/) {
  close_launch();
}

void TransactionCounter::add_origins(std::span<const Origin> added) {
  origins_.insert(origins_.end(), added.begin(), added.end());
  events_.resize(origins_.size());
  tallies_.resize(origins_.size());
}

void TransactionCounter::block(const TransactionBlock& block) {
  constexpr std::uint8_t kMiss = pack(Event::Miss, Victim::None), kBypass = pack(Event::Bypass, Victim::None);
  for (const OriginTally& tally : block.tallies) tallies_[tally.origin.value()] += tally;
  for (const DegreeTally& tally : block.degrees) counts_.degrees[tally.degree] += tally.passes;
  for (const Transaction transaction : block.transactions)
    count_event(events_.data(), transaction, transaction.bypasses() ? kBypass : kMiss);
}

void TransactionCounter::close_launch() {
  const CoalescingRule* rule = header_.stages ? &coalescing_rule(header_.coalescing) : nullptr;
  for (std::size_t i = 0; i < origins_.size(); ++i) {
    const std::size_t buffer = origins_[i].buffer.value();
    counts_ += counts_of(origins_[i], events_[i], tallies_[i],
                         buffer < is_private_.size() && is_private_[buffer], rule, header_.transaction_bytes);
  }
  origins_.clear();
  events_.clear();
  tallies_.clear();
}

}  // namespace warpscope
