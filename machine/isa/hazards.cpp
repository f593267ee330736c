#include "machine/isa/hazards.h"

#include <algorithm>
#include <array>
#include <set>

namespace warpscope::machine {
namespace {

std::vector<std::uint16_t> places_of(const RegisterSets& sets) {
  std::vector<std::uint16_t> places;
  for (std::uint16_t number = 0; number < 255; ++number)
    if (sets.registers[number]) places.push_back(number);
  for (std::uint16_t number = 0; number < 63; ++number)
    if (sets.uniform[number]) places.push_back(Hazard::kUniform + number);
  for (std::uint16_t number = 0; number < 7; ++number) {
    if ((sets.predicates >> number & 1) != 0) places.push_back(Hazard::kPredicate + number);
    if ((sets.uniform_predicates >> number & 1) != 0) places.push_back(Hazard::kUniformPredicate + number);
  }
  return places;
}

/// DEPBAR {5,4}, or DEPBAR.LE SB0, 0x1, {5,4}: these counters.
std::uint8_t waited_by_depbar(const Instruction& one) {
  return static_cast<std::uint8_t>(one.operands[one.operand_count == 1 ? 0 : 2].value);
}

/// Steps through a function.
class Walk {
 public:
  Walk(const Decoder& decoder, std::span<const Instruction> code, const ControlReader& control)
      : decoder_(decoder),
        code_(code),
        control_(control),
        issue_(code.size()),
        read_done_(code.size()),
        write_done_(code.size()) {
    for (const Instruction& one : code_)
      for (std::size_t slot = 0; slot < one.operand_count; ++slot)
        if (one.operands[slot].kind == OperandKind::Target) targets_.insert(one.immediate);
  }
  std::vector<Hazard> run() {
    for (std::uint32_t number = 0; number < code_.size(); ++number) step(number);
    return std::move(found_);
  }

 private:
  void step(std::uint32_t number);
  void new_block();
  void wait(std::uint8_t mask);
  /// Until at most `most` of those that a counter counts are not done.
  void wait_for(std::uint8_t counter, std::size_t most);
  void look_back(std::uint32_t number, const Effects& effects);
  void note(HazardKind kind, std::uint32_t first, std::uint32_t second, std::uint16_t place);
  [[nodiscard]] bool is_excluded(std::uint32_t first, std::uint32_t second) const;

  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  const Decoder& decoder_;
  std::span<const Instruction> code_;
  const ControlReader& control_;
  std::set<std::int64_t> targets_;
  std::vector<std::uint64_t> issue_;
  std::vector<bool> read_done_, write_done_;
  std::array<std::uint32_t, Hazard::kPlaces> writer_{};
  std::array<std::vector<std::uint32_t>, Hazard::kPlaces> readers_;
  std::array<std::vector<std::uint32_t>, 6> pending_;  ///< who set the counter since it was waited for
  std::uint64_t clock_ = 0;
  std::vector<Hazard> found_;
  bool ended_ = true;
};

void Walk::new_block() {
  writer_.fill(kNobody);
  for (auto& readers : readers_) readers.clear();
  for (auto& pending : pending_) pending.clear();
  ended_ = false;
}

void Walk::wait(std::uint8_t mask) {
  for (std::uint8_t counter = 0; counter < 6; ++counter)
    if ((mask >> counter & 1) != 0) wait_for(counter, 0);
}

void Walk::wait_for(std::uint8_t counter, std::size_t most) {
  std::vector<std::uint32_t>& pending = pending_[counter];
  const std::size_t done = pending.size() - std::min(most, pending.size());
  for (std::size_t place = 0; place < done; ++place) {
    const std::uint32_t one = pending[place];
    if (control_(code_[one]).write_counter == counter) write_done_[one] = true;
    if (control_(code_[one]).read_counter == counter) read_done_[one] = true;
  }
  pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(done));
}

/// A queue keeps the order of its instructions; of @P0 and @!P0 only one executes.
bool Walk::is_excluded(std::uint32_t first, std::uint32_t second) const {
  const Pipe pipe = decoder_.row(code_[first]).pipe;
  const bool is_queue =
      pipe == Pipe::Memory || pipe == Pipe::Special || pipe == Pipe::Double || pipe == Pipe::Texture;
  if (is_queue && pipe == decoder_.row(code_[second]).pipe) return true;
  const std::uint8_t guards = code_[first].guard ^ code_[second].guard;
  return guards == Instruction::kGuardNegated;
}

void Walk::note(HazardKind kind, std::uint32_t first, std::uint32_t second, std::uint16_t place) {
  if (kind != HazardKind::ReadAfterWrite && is_excluded(first, second)) return;
  const Control control = control_(code_[first]);
  const bool is_read = kind == HazardKind::WriteAfterRead;
  Hazard hazard{kind, first, second, place, static_cast<std::uint32_t>(clock_ - issue_[first]), false, false};
  // The predicate of ATOM, whether the address is in shared memory, is there when the operands are read.
  const bool comes_early = place >= Hazard::kPredicate && decoder_.row(code_[first]).name == "ATOM";
  hazard.is_counted = write_done_[first] || ((is_read || comes_early) && read_done_[first]);
  const std::uint8_t counter = is_read ? control.read_counter : control.write_counter;
  hazard.is_missed = !hazard.is_counted && counter != kNoCounter;
  found_.push_back(hazard);
}

void Walk::look_back(std::uint32_t number, const Effects& effects) {
  const std::vector<std::uint16_t> read = places_of(effects.reads);
  const std::vector<std::uint16_t> written = places_of(effects.writes);
  for (const std::uint16_t place : read)
    if (writer_[place] != kNobody) note(HazardKind::ReadAfterWrite, writer_[place], number, place);
  for (const std::uint16_t place : written) {
    if (writer_[place] != kNobody) note(HazardKind::WriteAfterWrite, writer_[place], number, place);
    for (const std::uint32_t reader : readers_[place])
      note(HazardKind::WriteAfterRead, reader, number, place);
    readers_[place].clear();
  }
  for (const std::uint16_t place : read)
    if (place < Hazard::kUniform) readers_[place].push_back(number);
  for (const std::uint16_t place : written) {
    writer_[place] = number;
    if (place < Hazard::kUniform) readers_[place].clear();
  }
}

void Walk::step(std::uint32_t number) {
  const Instruction& one = code_[number];
  if (ended_ || targets_.contains(one.address)) new_block();
  const Control control = control_(one);
  wait(control.wait_mask);
  issue_[number] = clock_;
  if (one.is_known()) {
    const Row& row = decoder_.row(one);
    if (row.name == "DEPBAR") wait(waited_by_depbar(one));
    // DEPBAR.LE SB5, 0x1: all but the last one, in the order of their issues.
    if (row.name == "DEPBAR" && one.operand_count > 1)
      wait_for(static_cast<std::uint8_t>(one.operands[0].value), one.operands[1].value);
    look_back(number, effects_of(decoder_, one));
    if (control.write_counter < 6) pending_[control.write_counter].push_back(number);
    if (control.read_counter < 6) pending_[control.read_counter].push_back(number);
    ended_ = row.name == "BRA" || row.name == "BRX" || row.name == "CALL" || row.name == "RET" ||
             row.name == "EXIT";
  } else {
    ended_ = true;
  }
  clock_ += std::max<std::uint64_t>(control.stall, 1);
}

}  // namespace

std::vector<Hazard> hazards(const Decoder& decoder, std::span<const Instruction> code,
                            const ControlReader& control) {
  return Walk(decoder, code, control).run();
}

}  // namespace warpscope::machine
