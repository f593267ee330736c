#include "cachesim/access/bank_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cstdlib>

#include "traces/base/error.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kMaxBanks = 1024;

/// Rows that lanes of a pass want of the banks, all lanes of a row served at once. An open-addressed table
/// that is emptied by counting up its epoch.
class RowsOfBanks {
 public:
  /// For a pass of at most `rows` rows.
  void clear(std::size_t rows) {
    shift_ = 64 - std::max(6, static_cast<int>(std::bit_width(rows)) + 1);
    if (slots_.size() < std::size_t{1} << (64 - shift_)) slots_.resize(std::size_t{1} << (64 - shift_));
    ++epoch_;
    most_ = 0;
  }
  void add(std::uint32_t bank, std::uint64_t row) {
    const std::uint64_t key = row * kMaxBanks + bank;
    std::size_t slot = (key * 0x9E3779B97F4A7C15ull) >> shift_;
    while (slots_[slot].epoch == epoch_) {
      if (slots_[slot].key == key) return;
      slot = (slot + 1) & ((std::size_t{1} << (64 - shift_)) - 1);
    }
    slots_[slot] = {key, epoch_};
    Bank& counted = banks_[bank];
    if (counted.epoch != epoch_) counted = {0, epoch_};
    most_ = std::max(most_, ++counted.rows);
  }
  [[nodiscard]] std::uint32_t cycles() const { return most_; }

 private:
  struct Slot {
    std::uint64_t key = 0, epoch = 0;
  };
  struct Bank {
    std::uint32_t rows = 0;
    std::uint64_t epoch = 0;
  };
  std::vector<Slot> slots_;
  std::array<Bank, kMaxBanks> banks_{};
  std::uint64_t epoch_ = 0;
  std::uint32_t most_ = 0;
  int shift_ = 58;
};

/// The same where only one word per cycle goes to many lanes.
class WordsOfBanks {
 public:
  void clear(std::size_t /*rows*/) { wanted_.clear(); }
  void add(std::uint32_t bank, std::uint64_t row) {
    for (Wanted& known : wanted_)
      if (known.bank == bank && known.row == row) {
        ++known.lanes;
        return;
      }
    wanted_.push_back({bank, row, 1});
  }
  /// The word with the most lanes is taken, then one lane of every other bank (CUDA C Programming Guide,
  /// G.3.3.2; which word is taken is not documented).
  [[nodiscard]] std::uint32_t cycles() {
    for (std::uint32_t cycles = 0;; ++cycles) {
      std::erase_if(wanted_, [](const Wanted& word) { return word.lanes == 0; });
      if (wanted_.empty()) return cycles;
      const auto widest = std::max_element(
          wanted_.begin(), wanted_.end(), [](const Wanted& a, const Wanted& b) { return a.lanes < b.lanes; });
      widest->lanes = 0;
      std::bitset<kMaxBanks> busy;
      busy.set(widest->bank);
      for (Wanted& word : wanted_)
        if (word.lanes != 0 && !busy.test(word.bank)) {
          busy.set(word.bank);
          --word.lanes;
        }
    }
  }

 private:
  struct Wanted {
    std::uint32_t bank = 0;
    std::uint64_t row = 0;
    std::uint32_t lanes = 0;
  };
  std::vector<Wanted> wanted_;
};

/// The lanes of `access` from `first`, `lanes` of them; `offset` into every lane's access.
struct Pass {
  std::uint32_t first, lanes, offset, bytes;
};

template <class Rows>
void run_pass(const BankAccess& access, const BankRules& rules, const Pass& pass, Rows& rows,
              std::vector<std::uint16_t>& degrees) {
  rows.clear(access.address.size() * (pass.bytes / rules.interleave_bytes + 2));
  LaneMask mask = access.mask;
  const int unit_shift = std::countr_zero(rules.interleave_bytes);
  const int row_shift = std::countr_zero(rules.bank_bytes * rules.banks);
  bool any = false;
  for (const std::uint64_t address : access.address) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    mask &= mask - 1;
    if (lane < pass.first || lane >= pass.first + pass.lanes) continue;
    any = true;
    const std::uint64_t begin = address + pass.offset;
    const std::uint64_t last = (begin + pass.bytes - 1) >> unit_shift;
    for (std::uint64_t unit = begin >> unit_shift; unit <= last; ++unit)
      rows.add(static_cast<std::uint32_t>(unit & (rules.banks - 1)), (unit << unit_shift) >> row_shift);
  }
  if (!any) return;
  degrees.push_back(static_cast<std::uint16_t>(rows.cycles()));
}

/// Whether every lane of the pass reads the same as the lane whose number differs in `bit`, if that reads at all.
bool agree(const BankAccess& access, std::uint32_t first, std::uint32_t lanes, std::uint32_t bit) {
  std::array<std::uint64_t, kMaxWarpSize> address{};
  LaneMask mask = access.mask;
  for (const std::uint64_t one : access.address) {
    address[static_cast<std::size_t>(std::countr_zero(mask))] = one;
    mask &= mask - 1;
  }
  const auto reads = [&](std::uint32_t lane) { return (access.mask >> lane & 1) != 0; };
  for (std::uint32_t lane = first; lane < first + lanes; ++lane)
    if (reads(lane) && reads(lane ^ bit) && address[lane] != address[lane ^ bit]) return false;
  return true;
}

std::uint32_t power_of_two(const GpuPreset& preset, const char* key, std::uint32_t value,
                           std::uint32_t most) {
  if (!std::has_single_bit(value) || value > most)
    throw InputError(
        fmt::format("preset {}: {} is {}, expected a power of two up to {}", preset.name, key, value, most));
  return value;
}

}  // namespace

BankRules bank_rules(const GpuPreset& preset) {
  BankRules rules;
  rules.banks = power_of_two(preset, "local_banks", preset.local_banks.value_or(rules.banks), kMaxBanks);
  rules.bank_bytes =
      power_of_two(preset, "local_bank_bytes", preset.local_bank_bytes.value_or(rules.bank_bytes), 16);
  rules.interleave_bytes =
      power_of_two(preset, "local_bank_interleave_bytes",
                   preset.local_bank_interleave_bytes.value_or(rules.bank_bytes), rules.bank_bytes);
  rules.lanes_together = power_of_two(preset, "local_lanes_per_access",
                                      preset.local_lanes_per_access.value_or(preset.warp_size), kMaxWarpSize);
  rules.multicast = !preset.compute_capability || std::atoi(preset.compute_capability->c_str()) >= 2;
  rules.joins_passes = std::atoi(preset.compute_capability.value_or("0").c_str()) >= 5;
  return rules;
}

void bank_degrees(const BankAccess& access, const BankRules& rules, std::vector<std::uint16_t>& degrees) {
  thread_local RowsOfBanks rows;
  thread_local WordsOfBanks words;
  const std::uint32_t bytes = access.bytes == 0 ? 4 : access.bytes;
  const std::uint32_t whole = rules.banks * rules.bank_bytes;
  // Without multicast an access wider than a bank is several instructions.
  const std::uint32_t piece = rules.multicast ? bytes : std::min(bytes, rules.bank_bytes);
  const std::uint32_t fit = std::bit_floor(std::max(1u, whole / piece));
  const std::uint32_t lanes = std::min(fit, rules.lanes_together);
  const bool may_join = rules.joins_passes && rules.multicast && 2 * lanes <= access.warp_size;
  for (std::uint32_t first = 0, taken = lanes; first < access.warp_size; first += taken) {
    taken = lanes;
    if (may_join && first % (2 * lanes) == 0 &&
        (agree(access, first, 2 * lanes, 1) || agree(access, first, 2 * lanes, 2)))
      taken = 2 * lanes;
    for (std::uint32_t offset = 0; offset < bytes; offset += piece)
      if (rules.multicast)
        run_pass(access, rules, {first, taken, offset, piece}, rows, degrees);
      else
        run_pass(access, rules, {first, taken, offset, piece}, words, degrees);
  }
}

}  // namespace warpscope
