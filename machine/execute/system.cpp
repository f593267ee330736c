// Functions of the system that code calls: printf, and what assert ends with. Arguments: CUDA C++ Programming Guide, "Formatted Output"; their
// registers as ptxas 13.0 has them (R4 to R13).
#include "machine/execute/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "machine/execute/address.h"
#include "machine/execute/group.h"

namespace warpscope::machine {
namespace {

std::uint64_t argument(const Warp& warp, unsigned number, unsigned lane) {
  const Code& code = warp.group().launch().code();
  return pair_of(warp.read(false, code.register_row(number))[lane],
                 warp.read(false, code.register_row(number + 1))[lane]);
}

const std::uint8_t* bytes_at(Warp& warp, unsigned lane, std::uint64_t address, unsigned bytes) {
  return warp.group().generic_at(warp, lane, address, bytes);
}

std::string text_at(Warp& warp, unsigned lane, std::uint64_t address) {
  if (address == 0) return "(null)";
  std::string text;
  for (; *bytes_at(warp, lane, address, 1) != 0; ++address)
    text += static_cast<char>(*bytes_at(warp, lane, address, 1));
  return text;
}

/// The arguments of a printf, one behind the other, each at a multiple of its size.
class Arguments {
 public:
  Arguments(Warp& warp, unsigned lane, std::uint64_t address) : warp_(warp), lane_(lane), next_(address) {}

  template <class T>
  T take() {
    next_ = (next_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, bytes_at(warp_, lane_, next_, sizeof(T)), sizeof(T));
    next_ += sizeof(T);
    ++taken_;
    return value;
  }
  std::string take_text() { return text_at(warp_, lane_, take<std::uint64_t>()); }
  [[nodiscard]] std::uint32_t taken() const { return taken_; }

 private:
  Warp& warp_;
  unsigned lane_;
  std::uint64_t next_;
  std::uint32_t taken_ = 0;
};

/// A conversion without its length: "%-8." of "%-8.3lld" and so on, with each * replaced by its argument.
struct Conversion {
  std::string flags;
  unsigned bits = 32;  ///< of its number: 64 for l, ll, j, z, t; 16 and 8, of 32 that it takes, for h and hh
  char kind = 0;       ///< 0: the format ends before it
};

Conversion conversion_at(const std::string& format, std::size_t& place, Arguments& arguments) {
  Conversion found{"%"};
  for (; place < format.size() && std::strchr("-+ #0123456789.*", format[place]) != nullptr; ++place)
    found.flags +=
        format[place] == '*' ? std::to_string(arguments.take<std::int32_t>()) : std::string(1, format[place]);
  for (; place < format.size() && std::strchr("hlLjzt", format[place]) != nullptr; ++place)
    found.bits = format[place] != 'h' ? 64 : std::max(found.bits / 2, 8U);
  if (place < format.size()) found.kind = format[place++];
  return found;
}

/// Of one conversion: as long as the GPU's buffer of all texts is (CUDA C++ Programming Guide, "Limitations" of formatted output).
constexpr int kMostText = 1 << 20;

template <class T>
std::string printed(const std::string& conversion, T value) {
  const int size = std::snprintf(nullptr, 0, conversion.c_str(), value);
  if (size < 0 || size > kMostText) return {};
  std::string text(static_cast<std::size_t>(size) + 1, 0);
  std::snprintf(text.data(), text.size(), conversion.c_str(), value);
  text.pop_back();
  return text;
}

/// A number's lowest bits, with its sign or without.
long long number_of(const Conversion& found, Arguments& arguments, bool is_signed) {
  const std::uint64_t value =
      found.bits == 64 ? arguments.take<std::uint64_t>() : arguments.take<std::uint32_t>();
  const unsigned unused = 64 - found.bits;
  return is_signed ? static_cast<long long>(value << unused) >> unused
                   : static_cast<long long>(value << unused >> unused);
}

std::string printed(const Conversion& found, Arguments& arguments) {
  switch (found.kind) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      return printed(found.flags + "ll" + found.kind,
                     number_of(found, arguments, found.kind == 'd' || found.kind == 'i'));
    case 'c':
      return printed(found.flags + "c", arguments.take<std::int32_t>());
    case 'p':
      return printed(found.flags + "s", fmt::format("0x{:x}", arguments.take<std::uint64_t>()).c_str());
    case 's':
      return printed(found.flags + "s", arguments.take_text().c_str());
    case '%':
      return "%";
    case 0:
      return found.flags;
    default:
      if (std::strchr("aAeEfFgG", found.kind) != nullptr)
        return printed(found.flags + found.kind, arguments.take<double>());
      return found.flags + found.kind;
  }
}

/// How many arguments the format takes, -1 without a format.
std::uint32_t print(Warp& warp, unsigned lane) {
  if (argument(warp, 4, lane) == 0) return ~std::uint32_t{0};
  const std::string format = text_at(warp, lane, argument(warp, 4, lane));
  Arguments arguments(warp, lane, argument(warp, 6, lane));
  std::string text;
  for (std::size_t place = 0; place < format.size();) {
    if (format[place] != '%') {
      text += format[place++];
      continue;
    }
    ++place;
    text += printed(conversion_at(format, place, arguments), arguments);
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return arguments.taken();
}

[[noreturn]] void fail_assertion(Warp& warp, unsigned lane) {
  ExecutionFault fault(
      fmt::format("{}:{}: {}: assertion '{}' failed", text_at(warp, lane, argument(warp, 6, lane)),
                  static_cast<std::uint32_t>(argument(warp, 8, lane)),
                  text_at(warp, lane, argument(warp, 10, lane)),
                  text_at(warp, lane, argument(warp, 4, lane))),
      FaultKind::Assertion);
  fault.lane = static_cast<int>(lane);
  throw fault;
}

void take_memory(Warp& warp, LaneSet lanes) {
  const Code& code = warp.group().launch().code();
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uint64_t address = warp.group().launch().memory().take(argument(warp, 4, lane));
    warp.row(code.register_row(4))[lane] = static_cast<std::uint32_t>(address);
    warp.row(code.register_row(5))[lane] = static_cast<std::uint32_t>(address >> 32);
  });
}

void give_memory_back(Warp& warp, LaneSet lanes) {
  Launch& launch = warp.group().launch();
  launch.last_allocation = nullptr;
  launch.last_writers = nullptr;
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uint64_t address = argument(warp, 4, lane);
    if (address == 0 || launch.memory().give_back(address)) return;
    ExecutionFault fault(fmt::format("frees 0x{:x}, which malloc has not given", address));
    fault.lane = static_cast<int>(lane);
    throw fault;
  });
}

/// The handle of a condition of a graph is the address of its value: here, as the wrapper makes them.
void set_condition(Warp& warp, LaneSet lanes) {
  constexpr unsigned kBytes = 4;
  const Code& code = warp.group().launch().code();
  warp.changed_memory();
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uint64_t handle = argument(warp, 4, lane);
    const std::uint32_t value = warp.read(false, code.register_row(6))[lane];
    std::memcpy(place_of<Space::Global>(warp, lane, handle, kBytes), &value, kBytes);
    warp.group().note_write(handle, kBytes, false);
  });
}

}  // namespace

void call_system_function(Warp& warp, const std::string& name, LaneSet lanes) {
  warp.group().launch().needs_turns("code calls functions of the system");
  if (name == "malloc") return take_memory(warp, lanes);
  if (name == "free") return give_memory_back(warp, lanes);
  if (name == "cudaGraphSetConditional") return set_condition(warp, lanes);
  if (name != "vprintf" && name != "__assertfail")
    throw ExecutionFault(fmt::format("calls {}, which is not executed", name));
  for_each_lane(lanes, [&](unsigned lane) {
    if (name == "__assertfail") fail_assertion(warp, lane);
    const std::uint32_t taken = print(warp, lane);
    warp.row(warp.group().launch().code().register_row(4))[lane] = taken;
  });
}

}  // namespace warpscope::machine
