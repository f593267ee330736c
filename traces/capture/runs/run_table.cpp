#include "traces/capture/runs/run_table.h"

#include <algorithm>
#include <limits>

#include "traces/base/varint.h"

namespace warpscope {

/// What the next run of a form is expected to be: rows of a launch and drawn work-groups are as far from each other in memory
/// as their numbers are.
struct RunState {
  bool has_start = false;
  std::uint32_t start = 0;
  std::uint64_t way = 0;  ///< work-groups from the start of the last but one run to that of the last one
  std::vector<std::uint64_t> first;  ///< numbers of the last run
  std::vector<std::uint64_t> ways;   ///< what they had been moved by
  std::uint32_t step = 1;
  std::vector<std::uint64_t> deltas;

  void prepare(std::size_t numbers) {
    first.resize(numbers);
    ways.resize(numbers);
    deltas.resize(numbers);
  }
  [[nodiscard]] std::uint64_t expected_first(std::size_t index, std::uint32_t group) const {
    return first[index] + scaled(ways[index], std::uint64_t{group} - start, way);
  }
  [[nodiscard]] std::uint64_t expected_delta(std::size_t index, std::uint32_t of_step) const {
    return scaled(deltas[index], of_step, step);
  }
  void take(const GroupRun& run, std::span<const std::uint64_t> numbers, std::span<const std::uint64_t> by) {
    if (has_start) {
      way = std::uint64_t{run.first} - start;
      for (std::size_t index = 0; index < first.size(); ++index) ways[index] = numbers[index] - first[index];
    }
    has_start = true;
    start = run.first;
    std::ranges::copy(numbers, first.begin());
    if (run.count == 1) return;
    step = run.step;
    std::ranges::copy(by, deltas.begin());
  }

 private:
  /// `moved` is for `way`: what is it for `other`? If that is no whole number, `moved`.
  static std::uint64_t scaled(std::uint64_t moved, std::uint64_t other, std::uint64_t way) {
    const auto length = static_cast<std::int64_t>(way);
    if (other == way || length <= 0) return moved;
    const auto product = static_cast<std::int64_t>(moved * other);
    return product % length == 0 ? static_cast<std::uint64_t>(product / length) : moved;
  }
};

void RunTable::add(const GroupRun& run, std::span<const std::uint64_t> first,
                   std::span<const std::uint64_t> deltas) {
  runs.push_back(run);
  numbers_from.push_back(numbers.size());
  numbers.insert(numbers.end(), first.begin(), first.end());
  numbers.insert(numbers.end(), deltas.begin(), deltas.end());
}

std::uint32_t RunTable::form_of(WorkGroupId record, std::size_t count) {
  const auto found = std::ranges::find(forms, record, &Form::record);
  if (found != forms.end()) return static_cast<std::uint32_t>(found - forms.begin());
  if (forms.size() == kMostForms) return kMostForms;
  forms.push_back({record, static_cast<std::uint32_t>(count)});
  return static_cast<std::uint32_t>(forms.size() - 1);
}

RunEncoder::RunEncoder() = default;
RunEncoder::~RunEncoder() = default;

namespace {

void put_signed(std::vector<std::uint8_t>& out, std::uint64_t value) {
  put_varint(out, zigzag(static_cast<std::int64_t>(value)));
}

}  // namespace

void RunEncoder::add(const GroupRun& run, std::span<const std::uint64_t> first,
                     std::span<const std::uint64_t> deltas) {
  if (states_.size() <= run.form) states_.resize(run.form + 1);
  RunState& state = states_[run.form];
  state.prepare(first.size());
  put_varint(coded_, run.form);
  put_signed(coded_, std::uint64_t{run.first} - next_);
  put_varint(coded_, run.count - 1);
  if (run.count > 1) put_varint(coded_, run.step - 1);
  for (std::size_t index = 0; index < first.size(); ++index)
    put_signed(coded_, first[index] - state.expected_first(index, run.first));
  for (std::size_t index = 0; run.count > 1 && index < first.size(); ++index)
    put_signed(coded_, deltas[index] - state.expected_delta(index, run.step));
  state.take(run, first, deltas);
  next_ = std::uint64_t{run.last()} + 1;
}

std::vector<std::uint8_t> RunEncoder::payload(std::span<const RunTable::Form> forms) const {
  std::vector<std::uint8_t> out;
  put_varint(out, forms.size());
  for (const RunTable::Form& form : forms) {
    put_varint(out, form.record.value());
    put_varint(out, form.numbers);
  }
  out.insert(out.end(), coded_.begin(), coded_.end());
  return out;
}

std::vector<std::uint8_t> encode(const RunTable& table) {
  RunEncoder encoder;
  for (std::size_t run = 0; run < table.runs.size(); ++run)
    encoder.add(table.runs[run], table.first_of(run), table.deltas_of(run));
  return encoder.payload(table.forms);
}

namespace {

class RunDecoder {
 public:
  explicit RunDecoder(std::span<const std::uint8_t> payload) : in_(payload) {
    if (payload.size() > RunTable::kMostBytes) in_.fail("runs", "take more than 1 MiB");
  }

  RunTable run() {
    read_forms();
    while (in_.remaining() != 0) read_run();
    return std::move(table_);
  }

 private:
  static constexpr std::uint64_t kLastGroup = std::numeric_limits<std::uint32_t>::max();

  void read_forms() {
    const std::uint64_t forms = in_.count("number of forms", 2);
    if (forms > RunTable::kMostForms) in_.fail("number of forms", "is larger than 64");
    for (std::uint64_t form = 0; form < forms; ++form) {
      const std::uint64_t record = in_.varint("work-group that is repeated");
      const std::uint64_t numbers = in_.varint("count of numbers");
      if (record > kLastGroup) in_.fail("work-group that is repeated", "is out of range");
      if (numbers > in_.remaining()) in_.fail("count of numbers", "is larger than the payload can hold");
      table_.forms.push_back(
          {WorkGroupId(static_cast<std::uint32_t>(record)), static_cast<std::uint32_t>(numbers)});
    }
    states_.resize(forms);
  }

  std::uint64_t read_signed(const char* what) {
    return static_cast<std::uint64_t>(unzigzag(in_.varint(what)));
  }

  void read_run() {
    const std::uint64_t form = in_.varint("form of a run");
    if (form >= table_.forms.size()) in_.fail("form of a run", "does not exist");
    const std::uint64_t first = next_ + read_signed("first work-group of a run");
    const std::uint64_t more = in_.varint("length of a run");
    const std::uint64_t step_less_one = more == 0 ? 0 : in_.varint("step of a run");
    if (first > kLastGroup || more >= kLastGroup || step_less_one >= kLastGroup ||
        (step_less_one + 1) * more > kLastGroup - first)
      in_.fail("run", "goes beyond work-group 2^32 - 1");
    const GroupRun run{static_cast<std::uint32_t>(form), static_cast<std::uint32_t>(first),
                       static_cast<std::uint32_t>(step_less_one + 1), static_cast<std::uint32_t>(more + 1)};
    read_numbers(run);
    next_ = std::uint64_t{run.last()} + 1;
  }

  void read_numbers(const GroupRun& run) {
    const std::size_t count = table_.forms[run.form].numbers;
    if (count * (run.count > 1 ? 2 : 1) > in_.remaining()) in_.fail("numbers of a run", "are cut off");
    RunState& state = states_[run.form];
    state.prepare(count);
    first_.resize(count);
    deltas_.assign(count, 0);
    for (std::size_t index = 0; index < count; ++index)
      first_[index] = state.expected_first(index, run.first) + read_signed("number of a run");
    for (std::size_t index = 0; run.count > 1 && index < count; ++index)
      deltas_[index] = state.expected_delta(index, run.step) + read_signed("step of a number");
    state.take(run, first_, deltas_);
    table_.add(run, first_, deltas_);
  }

  ByteReader in_;
  RunTable table_;
  std::vector<RunState> states_;
  std::vector<std::uint64_t> first_, deltas_;
  std::uint64_t next_ = 0;
};

}  // namespace

RunTable decode_runs(std::span<const std::uint8_t> payload) {
  return RunDecoder(payload).run();
}

std::uint64_t groups_in_runs(std::span<const std::uint8_t> payload) {
  std::uint64_t groups = 0;
  for (const GroupRun& run : decode_runs(payload).runs) groups += run.count;
  return groups;
}

}  // namespace warpscope
