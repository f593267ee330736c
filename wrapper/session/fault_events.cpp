#include "wrapper/session/fault_events.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <string_view>

namespace warpscope::layer {
namespace {

std::atomic<int> events_file = -1;

/// Text in a place of its own: a signal handler must not allocate.
class Line {
 public:
  void add(std::string_view text) {
    for (const char c : text)
      if (size_ < bytes_.size()) bytes_[size_++] = c;
  }
  void add(std::string_view key, std::uint64_t value) {
    add(",\"");
    add(key);
    add("\":");
    std::array<char, 20> digits{};
    std::size_t at = digits.size();
    do {
      digits[--at] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    add(std::string_view(digits.data() + at, digits.size() - at));
  }
  /// Of a text in quotes.
  void add_in_quotes(char c) {
    if (c == '"' || c == '\\') add("\\");
    add(std::string_view(&c, 1));
  }
  void write_to(int file) const { [[maybe_unused]] const auto written = ::write(file, bytes_.data(), size_); }

 private:
  std::array<char, 1024> bytes_{};
  std::size_t size_ = 0;
};

void note_fault(const KernelFault& fault) {
  Line line;
  line.add("{\"event\":\"fault\"");
  line.add("signal", static_cast<std::uint64_t>(fault.signal));
  line.add("has_address", fault.has_address ? 1 : 0);
  line.add("is_stack_overflow", fault.is_stack_overflow ? 1 : 0);
  line.add("has_group", fault.has_group ? 1 : 0);
  line.add("has_site", fault.has_site ? 1 : 0);
  line.add("is_predicted", fault.is_predicted ? 1 : 0);
  line.add("launch", fault.launch.value());
  line.add("group", fault.group.value());
  line.add("site", fault.site.value());
  line.add("item", fault.item.value());
  line.add("address", fault.address);
  line.add("access", fault.access);
  line.add("object", fault.object);
  line.add("object_size", fault.object_size);
  line.add(",\"trap_place\":\"");
  for (const char* at = fault.trap_place.data(); *at != 0; ++at) line.add_in_quotes(*at);
  line.add("\"}\n");
  line.write_to(events_file.load(std::memory_order_acquire));
}

FaultSink set_file(int events) {
  events_file.store(events, std::memory_order_release);
  return note_fault;
}

}  // namespace

FaultEvents::FaultEvents(int events) : handlers_(set_file(events)) {}

}  // namespace warpscope::layer
