// Prints what the code with SIMD instructions makes of random inputs, a line per part with its digest. Built
// twice, with the instructions and with portable code; the test compares the two texts.
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "cachesim/access/coalescer.h"
#include "cachesim/l1/recency_cache.h"
#include "cachesim/sweep/lru_stack.h"
#include "tests/unit/random.h"
#include "traces/stream/line_form.h"

namespace warpscope {

#define WRITE_POLICY(name, allocates, back, removes, by_line, help) \
  WritePolicy{name, allocates, back, removes, by_line, help},
constexpr std::array kPolicies = {
#include "cachesim/l1/write_policy.def"
};
#undef WRITE_POLICY

// In place of the library's, which would bring its own copy of what is compiled here.
const WritePolicy& write_policy(const std::string& name, const char* /*whose*/) {
  for (const WritePolicy& policy : kPolicies)
    if (name == policy.name) return policy;
  return kPolicies[0];
}

namespace {

using testing::Random;

/// FNV-1a over whole numbers.
class Digest {
 public:
  void add(std::uint64_t value) { state_ = (state_ ^ value) * 0x100000001b3u; }
  void print(const std::string& part) const {
    std::printf("%s: %016llx\n", part.c_str(), static_cast<unsigned long long>(state_));
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

std::string random_line(Random& random, std::size_t digits) {
  constexpr const char* kDigits = "0123456789abcdefABCDEF";
  std::string line = "0x";
  for (std::size_t i = 0; i < digits; ++i) line += kDigits[random.below(22)];
  return line + " R 3 4 5\n";
}

void lines() {
  Random random(1);
  Digest digest;
  for (int round = 0; round < 20000; ++round) {
    const std::size_t digits = 1 + random.below(16);
    const std::string before(LineForm::kSlack, '7'), learnt = random_line(random, digits);
    std::string text = before + learnt;
    for (int i = 0; i < 4; ++i) text += random_line(random, digits);
    if (random.below(2) == 0)
      text[before.size() + learnt.size() + random.below(4 * learnt.size())] =
          static_cast<char>(random.below(256));
    const std::size_t length = text.size();
    text += before;
    LineForm form;
    form.learn(text.data() + before.size(), static_cast<int>(digits), 9);
    std::array<std::uint64_t, 4> addresses{};
    const char* const first = text.data() + before.size() + learnt.size();
    const char* cursor = first;
    const std::size_t count = form.read(cursor, text.data() + length, addresses);
    digest.add(count);
    digest.add(static_cast<std::uint64_t>(cursor - first));
    for (std::size_t i = 0; i < count; ++i) digest.add(addresses[i]);
  }
  digest.print("lines");
}

void coalescing() {
  for (const CoalescingRule& rule : coalescing_rules()) {
    Random random(2);
    Digest digest;
    for (int round = 0; round < 4000; ++round) {
      LaneAccesses lanes;
      std::vector<std::uint64_t> addresses;
      const std::uint64_t base = random.next() >> (2 + random.below(40)),
                          span = std::uint64_t{4} << random.below(36);
      lanes.width = 1u << random.below(6);
      lanes.alignment = 1u << random.below(5);
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if (random.below(8) == 0) continue;
        lanes.mask |= LaneMask{1} << lane;
        addresses.push_back((base + random.below(span)) / lanes.alignment * lanes.alignment);
      }
      lanes.address = addresses;
      std::vector<CoalescedLine> out;
      coalesce(lanes, rule, 32u << random.below(3), out);
      for (const CoalescedLine& line : out) {
        digest.add(line.line.value());
        digest.add(line.first_of_request + 2 * line.bytes);
      }
    }
    digest.print(std::string("coalescing ") + rule.name);
  }
}

void rows(const WritePolicy& global, const WritePolicy& own, bool with_events) {
  constexpr std::uint64_t kLines = 200, kPrivateFrom = 150;
  Random random(3);
  L1CacheOptions options{.config = {.size_kib = 8}, .line_limit = kLines};
  options.config.write_policy = global.name;
  options.config.private_write_policy = own.name;
  if (&global != &own) options.private_from = kPrivateFrom;
  const std::uint32_t sets = options.config.sets();
  RecencyCache cache(options);
  std::vector<Transaction> transactions;
  std::vector<std::uint32_t> set_of;
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t line = random.below(1 + random.below(kLines));
    transactions.emplace_back(LineAddr(line), OriginId(static_cast<std::uint16_t>(random.below(2))),
                              static_cast<AccessKind>(random.below(3)), random.below(16) == 0,
                              random.below(2) == 0);
    set_of.push_back(static_cast<std::uint32_t>(line % sets));
  }
  std::vector<PackedSetCounts> set_counts(sets);
  std::vector<std::uint8_t> events(transactions.size());
  std::vector<EventCounts> counts(2);
  cache.process({.transactions = transactions,
                 .sets = set_of.data(),
                 .set_counts = set_counts.data(),
                 .events = with_events ? events.data() : nullptr,
                 .counts = counts.data()});
  Digest digest;
  for (const std::uint8_t event : events) digest.add(event);
  for (const EventCounts& origin : counts)
    for (const std::uint64_t count : origin) digest.add(count);
  for (PackedSetCounts& packed : set_counts) {
    SetCounts set;
    packed.move_to(set);
    digest.add(set.transactions);
    digest.add(set.misses);
  }
  digest.print(std::string("four ways ") + global.name + ", " + own.name + (with_events ? ", events" : ""));
}

void stacks(const WritePolicy& write, bool plain, bool last_uses) {
  constexpr std::uint32_t kSets = 4, kWays = 24;
  Random random(4);
  LruStack stack(kSets, kWays, write);
  LastUses uses(8, 0, LastUses::kNever);
  std::vector<std::uint32_t> last_times;
  for (std::uint64_t round = 0; round < 20; ++round) {
    std::vector<std::uint32_t> tags, sets;
    std::vector<std::uint8_t> kinds;
    for (int i = 0; i < 500; ++i) {
      tags.push_back(static_cast<std::uint32_t>(1 + random.below(30 + 10 * round)));
      sets.push_back(tags.back() % kSets);
      kinds.push_back(static_cast<std::uint8_t>(random.below(4) == 0 ? 1 : 0));
    }
    StackBatch batch{tags.data(), sets.data(), kinds.data(), tags.size()};
    std::vector<std::uint32_t> before(tags.size());
    batch.first = uses.references();
    uses.use(tags, before.data());
    last_times = before;
    if (last_uses) batch.last_uses = before.data();
    plain ? stack.process_without_avx2(batch) : stack.process(batch);
  }
  stack.invalidate();
  const StackCounts& counts = stack.counts();
  Digest digest;
  for (const auto& kind : counts.references)
    for (const std::uint64_t count : kind) digest.add(count);
  for (const std::uint64_t count : counts.eviction_corrections) digest.add(count);
  for (const std::uint64_t count : counts.write_back_steps) digest.add(count);
  digest.add(counts.passing_stores);
  for (const std::uint32_t time : last_times) digest.add(time);
  digest.print(std::string("stack ") + write.name + (plain ? ", plain" : "") +
               (last_uses ? ", last uses" : ""));
}

}  // namespace
}  // namespace warpscope

int main() {
  using namespace warpscope;
  lines();
  coalescing();
  for (const WritePolicy& global : kPolicies) {
    for (const WritePolicy& own : kPolicies)
      for (const bool with_events : {false, true}) rows(global, own, with_events);
    if (!LruStack::can(24, global)) continue;
    for (const bool plain : {false, true})
      for (const bool last_uses : {false, true}) stacks(global, plain, last_uses);
  }
}
