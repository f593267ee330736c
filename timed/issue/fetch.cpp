#include "timed/issue/fetch.h"

namespace warpscope::timed {
namespace {

constexpr std::uint32_t kInstructionLine = 128;
/// Ways: of the caches of constants as R. Huerta et al. have them in their simulator (four sets each); of instructions not known, so many that no
/// set of straight code is short of them.
constexpr std::uint32_t kOperandWays = 2, kLoadWays = 8, kInstructionWays = 16;

ArrivingLines lines_of(std::uint32_t bytes, std::uint32_t line, std::uint32_t ways) {
  return {std::max(bytes / line / ways, 1u), ways};
}

}  // namespace

Cycle ArrivingLines::find(std::uint32_t line) {
  const std::size_t first = std::size_t{line % sets_} * ways_;
  for (std::size_t at = first; at < first + ways_; ++at) {
    Entry& entry = entries_[at];
    if (entry.used == 0 || entry.line != line) continue;
    entry.used = ++uses_;
    return entry.at;
  }
  return kNever;
}

void ArrivingLines::add(std::uint32_t line, Cycle at) {
  const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(std::size_t{line % sets_} * ways_);
  const auto oldest =
      std::min_element(first, first + ways_, [](const Entry& a, const Entry& b) { return a.used < b.used; });
  *oldest = {at, ++uses_, line};
}

Fetch::Fetch(const FetchTimes& times, std::uint32_t schedulers, std::uint32_t entry)
    : times_(times),
      schedulers_(schedulers, {lines_of(times.instruction_l0_bytes, kInstructionLine, kInstructionWays),
                               lines_of(times.constant_l0_bytes, kConstantLine, kOperandWays), Stream(),
                               std::vector<bool>(kLinesOfBank)}),
      instructions_(lines_of(times.instruction_l1_bytes, kInstructionLine, kInstructionWays)),
      constants_(lines_of(times.constant_l1_bytes, kConstantLine, kLoadWays)),
      seen_(kLinesOfBank) {
  if (!times_.starts_warm || !has_instructions()) return;
  const std::uint32_t first = entry / kInstructionsPerLine;
  for (std::uint32_t line = first; line <= first + kPrefetched; ++line) {
    instructions_.add(line, 0);
    for (Scheduler& scheduler : schedulers_) scheduler.instructions.add(line, 0);
  }
}

Cycle Fetch::from_l1(std::uint32_t line, Cycle now) {
  Cycle at = instructions_.find(line);
  if (at == kNever) instructions_.add(line, at = now + times_.instruction_l1_cycles);
  return std::max(at, now) + times_.instruction_l0_cycles;
}

/// Asks for as many lines as are missing behind those that it has.
void Fetch::prefetch(Stream& stream, Cycle now) {
  for (; stream.count < kPrefetched; ++stream.count) {
    const std::uint32_t line = stream.next + stream.count;
    stream.asks = std::max(stream.asks + 1, now);
    stream.at[line % kPrefetched] = from_l1(line, stream.asks);
  }
}

Cycle Fetch::instructions_at(std::uint32_t scheduler, std::uint32_t line, Cycle now) {
  Scheduler& of = schedulers_[scheduler];
  Cycle at = of.instructions.find(line);
  if (at != kNever) return std::max(at, now);
  Stream& stream = of.stream;
  if (line - stream.next < stream.count) {  // also not below: unsigned
    at = stream.at[line % kPrefetched];
    stream.count -= line + 1 - stream.next;
  } else {
    at = from_l1(line, now);
    stream.count = 0;
    stream.asks = now;
  }
  stream.next = line + 1;
  of.instructions.add(line, at);
  prefetch(stream, now);
  return std::max(at, now);
}

bool Fetch::is_first_of_parameters(std::vector<bool>& seen, std::uint32_t line) const {
  if (!times_.starts_warm || line >= kLinesOfBank || seen[line]) return false;
  return seen[line] = true;
}

Cycle Fetch::operand_at(std::uint32_t scheduler, std::uint32_t line, Cycle now) {
  Scheduler& of = schedulers_[scheduler];
  Cycle at = of.constants.find(line);
  if (at == kNever) {
    at = is_first_of_parameters(of.seen, line) ? now : now + times_.constant_l0_cycles;
    of.constants.add(line, at);
  }
  return std::max(at, now);
}

Cycle Fetch::load_delay(std::uint32_t line, Cycle now) {
  Cycle at = constants_.find(line);
  if (at == kNever) {
    at = is_first_of_parameters(seen_, line) ? now : now + times_.constant_l1_cycles;
    constants_.add(line, at);
  }
  return std::max(at, now) - now;
}

}  // namespace warpscope::timed
