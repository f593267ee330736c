// Work-groups on several threads do what they do one after the other: random accesses, most of which are apart, compared with plain C++, which
// also says when work-groups have to run in turns.
#include <gmock/gmock.h>

#include <bit>
#include <map>
#include <set>

#include "tests/thinning.h"
#include "tests/unit/machine/cubin_program.h"
#include "traces/base/random.h"

namespace warpscope::machine {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

enum StepKind : std::uint32_t {
  kLoadWord,
  kStoreWord,
  kStoreByte,
  kAddWord,
  kMaxWord,
  kXorWord,
  kAddReal,
  kLoadReal,
  kStorePair,
  kAddPair
};

/// As sharing.cu has it.
struct Step {
  std::uint32_t kind, place, stride, value;
};

/// Of `memory` each work-group has so many words of its own; behind them are those that all read, and that all add to, of all that they are
/// maxima of, that they toggle, and pairs that they add to.
constexpr std::uint32_t kOwnWords = 128, kCommonWords = 96;
/// Of `reals`: to which all add.
constexpr std::uint32_t kRealWords = 64;

struct SharedData {
  std::vector<std::uint32_t> memory, out;
  std::vector<float> reals;
};

/// Who did what to a word.
struct TouchedWord {
  std::set<std::uint32_t> readers, writers, changes;
  [[nodiscard]] bool is_apart() const {
    if (!changes.empty()) return readers.empty() && writers.empty() && changes.size() == 1;
    return writers.empty() || (writers.size() == 1 && (readers.empty() || readers == writers));
  }
};

class RandomAccesses {
 public:
  /// `strays`: of a thousand accesses those that go anywhere.
  RandomAccesses(std::uint64_t seed, std::uint32_t groups, std::uint32_t length, std::uint32_t strays)
      : groups_(groups), length_(length), random_(seed) {
    for (std::uint32_t group = 0; group < groups; ++group)
      for (std::uint32_t i = 0; i < length; ++i)
        steps_.push_back(random_.below(1000) < strays ? stray() : ordinary(group));
  }

  [[nodiscard]] SharedData begin() const {
    SharedData data{std::vector<std::uint32_t>(words()), std::vector<std::uint32_t>(groups_ * kLanes),
                    std::vector<float>(kRealWords)};
    for (std::uint32_t i = 0; i < data.memory.size(); ++i) data.memory[i] = i * 2654435761U;
    return data;
  }

  /// One work-group after the other. Whether they are apart.
  bool run(SharedData& data) const {
    std::map<std::uint32_t, TouchedWord> words, reals;
    for (std::uint32_t group = 0; group < groups_; ++group) {
      std::vector<std::uint32_t> held(kLanes, group);
      for (std::uint32_t i = 0; i < length_; ++i) {
        const Step& step = steps_[group * length_ + i];
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
          make(step, lane, held[lane], data);
          note(step, lane, group, step.kind == kAddReal || step.kind == kLoadReal ? reals : words);
        }
      }
      std::copy(held.begin(), held.end(), data.out.begin() + group * kLanes);
    }
    const auto is_apart = [](const auto& one) { return one.second.is_apart(); };
    return std::ranges::all_of(words, is_apart) && std::ranges::all_of(reals, is_apart);
  }

  /// Of the machine code; the program whose run it was.
  std::unique_ptr<CubinProgram> run(std::uint32_t architecture, unsigned threads, SharedData& data) {
    auto program = std::make_unique<CubinProgram>(
        "executed/sharing_sm" + std::to_string(architecture) + ".cubin", "steps");
    program->buffer(steps_).number(length_).buffer(data.memory).buffer(data.reals).buffer(data.out);
    program->threads(threads).run({groups_, 1, 1}, {kLanes, 1, 1});
    return program;
  }

 private:
  [[nodiscard]] std::uint32_t words() const { return groups_ * kOwnWords + 5 * kCommonWords; }
  /// `part`: of those behind what work-groups have of their own.
  std::uint32_t common(std::uint32_t part, std::uint32_t span) {
    return groups_ * kOwnWords + part * kCommonWords +
           static_cast<std::uint32_t>(random_.below(kCommonWords - span));
  }

  Step ordinary(std::uint32_t group) {
    const auto value = static_cast<std::uint32_t>(random_.below(1000));
    const auto stride = static_cast<std::uint32_t>(random_.below(3));
    const std::uint32_t span = 2 * (kLanes - 1) + 1;
    const std::uint32_t own = group * kOwnWords + static_cast<std::uint32_t>(random_.below(kOwnWords - span));
    switch (random_.below(11)) {
      case 0:
        return {kLoadWord, own, stride, value};
      case 1:
        return {kStoreWord, own, stride, value};
      case 2:
        return {kStoreByte, own, stride, value};
      case 3:
        return {kStorePair, own & ~1U, 2, value};
      case 4:
        return {kAddWord, common(1, span), stride, value};
      case 5:
        return {kMaxWord, common(2, span), stride, value << 20};
      case 6:
        return {kXorWord, common(3, span), stride, value};
      case 7:
        return {kAddPair, common(4, span + 1) & ~1U, 2, value};
      case 8:
        return {kAddReal, static_cast<std::uint32_t>(random_.below(2)), stride, value};
      default:
        return {kLoadWord, common(0, span), stride, value};
    }
  }

  Step stray() {
    const auto kind = static_cast<std::uint32_t>(random_.below(kAddPair + 1));
    const auto stride = static_cast<std::uint32_t>(random_.below(2));
    if (kind == kAddReal || kind == kLoadReal)
      return {kind, static_cast<std::uint32_t>(random_.below(kRealWords - kLanes)), stride, 3};
    return {kind, static_cast<std::uint32_t>(random_.below(words() - kLanes - 1)) & ~1U, stride,
            static_cast<std::uint32_t>(random_.below(1000))};
  }

  static void make(const Step& step, std::uint32_t lane, std::uint32_t& held, SharedData& data) {
    const std::uint32_t at = step.place + lane * step.stride;
    auto* const bytes = reinterpret_cast<std::uint8_t*>(data.memory.data());
    std::uint64_t pair = 0;
    switch (step.kind) {
      case kLoadWord:
        held = held * 31 + data.memory[at];
        break;
      case kStoreWord:
        data.memory[at] = held + step.value;
        break;
      case kStoreByte:
        bytes[at * 4 + (step.value & 3)] = static_cast<std::uint8_t>(held);
        break;
      case kAddWord:
        data.memory[at] += step.value;
        break;
      case kMaxWord:
        data.memory[at] = std::max(data.memory[at], step.value + lane);
        break;
      case kXorWord:
        data.memory[at] ^= step.value;
        break;
      case kAddReal:
        data.reals[at] += static_cast<float>(step.value * step.value * step.value);
        break;
      case kLoadReal:
        held = held * 31 + std::bit_cast<std::uint32_t>(data.reals[at]);
        break;
      case kStorePair:
        pair = held + (std::uint64_t{step.value} << 32);
        std::memcpy(bytes + at / 2 * 8, &pair, 8);
        break;
      default:
        std::memcpy(&pair, bytes + at / 2 * 8, 8);
        pair += std::uint64_t{step.value} << 20;
        std::memcpy(bytes + at / 2 * 8, &pair, 8);
    }
  }

  static void note(const Step& step, std::uint32_t lane, std::uint32_t group,
                   std::map<std::uint32_t, TouchedWord>& words) {
    std::uint32_t at = step.place + lane * step.stride, count = 1;
    if (step.kind == kStorePair || step.kind == kAddPair) {
      at = at / 2 * 2;
      count = 2;
    }
    for (; count != 0; --count, ++at) {
      if (step.kind == kLoadWord || step.kind == kLoadReal)
        words[at].readers.insert(group);
      else if (step.kind == kStoreWord || step.kind == kStoreByte || step.kind == kStorePair)
        words[at].writers.insert(group);
      else
        words[at].changes.insert(step.kind);
    }
  }

  std::uint32_t groups_, length_;
  SplitMix64 random_;
  std::vector<Step> steps_;
};

class Apart : public ::testing::TestWithParam<std::uint32_t> {};

struct Compared {
  int programs = 0, apart = 0;
};

/// Compares `count` programs, under a sanitizer every seventh.
Compared compare_runs(std::uint32_t architecture, std::uint64_t first, std::size_t count,
                      std::uint32_t strays) {
  Compared compared;
  for (std::uint64_t seed = first; seed < first + count; seed += kCaseStep) {
    RandomAccesses program(seed, 40, 30, strays);
    SharedData expected = program.begin();
    const bool is_apart = program.run(expected);
    ++compared.programs;
    compared.apart += is_apart ? 1 : 0;
    std::vector<Executions> executions;
    for (const unsigned threads : {1U, 2U, 7U}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", threads " << threads);
      SharedData data = program.begin();
      const auto run = program.run(architecture, threads, data);
      EXPECT_EQ(data.memory, expected.memory);
      EXPECT_EQ(data.out, expected.out);
      EXPECT_EQ(data.reals, expected.reals);
      EXPECT_EQ(run->in_turns().empty(), is_apart || threads == 1) << run->in_turns();
      if (threads == 1) executions = run->executions();
      EXPECT_EQ(run->executions(), executions);
      if (testing::Test::HasFailure()) return compared;
    }
  }
  return compared;
}

TEST_P(Apart, RandomProgramsWithoutMeetingRunAtTheSameTime) {
  const Compared compared = compare_runs(GetParam(), 1, 40, 0);
  EXPECT_GT(compared.programs, 4);
  EXPECT_EQ(compared.apart, compared.programs);
}

TEST_P(Apart, RandomProgramsThatMayMeetDoAsInTurns) {
  const Compared compared = compare_runs(GetParam(), 1000, 120, 1);
  EXPECT_GT(compared.apart, compared.programs / 6);
  EXPECT_LT(compared.apart, compared.programs * 5 / 6);
}

TEST_P(Apart, RacesEndAsInTurns) {
  EXPECT_EQ(compare_runs(GetParam(), 5000, 40, 300).apart, 0);
}

INSTANTIATE_TEST_SUITE_P(Architectures, Apart, ::testing::Values(75U, 90U));

}  // namespace
}  // namespace warpscope::machine
