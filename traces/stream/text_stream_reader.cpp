// Text streams (Crawford 2014, listing 5.3). The fast path takes the usual form of a line; whatever it does
// not take is looked at again, slowly, either to accept another spacing or to say what is wrong.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "traces/base/error.h"
#include "traces/stream/line_form.h"
#include "traces/stream/pattern_interner.h"
#include "traces/stream/stream_format.h"
#include "traces/stream/stream_reader.h"

namespace warpscope {
namespace {

constexpr std::size_t kTextBytes = 1u << 20;
constexpr std::size_t kSlack =
    LineForm::kSlack;  ///< readable bytes before the first and behind the last line
constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> make_hex_digits() {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 10; ++i) digits['0' + i] = i;
  for (std::uint8_t i = 0; i < 6; ++i) {
    digits['a' + i] = static_cast<std::uint8_t>(10 + i);
    digits['A' + i] = static_cast<std::uint8_t>(10 + i);
  }
  return digits;
}
constexpr auto kHexDigits = make_hex_digits();

/// What all lanes of a warp access have in common.
struct Key {
  std::uint64_t group = 0;
  std::uint64_t warp = 0;
  std::uint64_t site = 0;
  bool is_store = false;
  bool operator==(const Key&) const = default;
};

// Reads decimal digits; false when there is none or there are more than nine.
inline bool read_decimal(const char*& cursor, std::uint64_t& value) {
  const char* start = cursor;
  std::uint32_t result = 0;
  for (unsigned digit = 0; (digit = static_cast<unsigned char>(*cursor) - unsigned{'0'}) < 10; ++cursor) {
    result = result * 10 + digit;
  }
  value = result;
  return cursor != start && cursor - start <= 9;
}

// "R 12 3 1" or "R 12 3 M1"; leaves the cursor behind it.
inline bool read_key(const char*& cursor, Key& key) {
  if ((*cursor != 'R' && *cursor != 'W') || cursor[1] != ' ') return false;
  key.is_store = *cursor == 'W';
  cursor += 2;
  if (!read_decimal(cursor, key.group) || *cursor++ != ' ') return false;
  if (!read_decimal(cursor, key.warp) || *cursor++ != ' ') return false;
  if (*cursor == 'M') ++cursor;
  return read_decimal(cursor, key.site);
}

inline bool read_address(const char*& cursor, std::uint64_t& address) {
  if (cursor[0] != '0' || (cursor[1] != 'x' && cursor[1] != 'X')) return false;
  const char* start = cursor += 2;
  std::uint64_t result = 0;
  for (std::uint8_t digit = 0; (digit = kHexDigits[static_cast<unsigned char>(*cursor)]) != kNoDigit;
       ++cursor) {
    result = result << 4 | digit;
  }
  address = result;
  return cursor != start && cursor - start <= 16 && result >> LineForm::kAddressBits == 0;
}

/// Joins consecutive lines to warp accesses and passes them on.
class LaneJoiner {
 public:
  LaneJoiner(WarpAccessSink& sink, std::uint32_t warp_size) : sink_(sink), warp_size_(warp_size) {
    single_.mask = 1;
    single_.lanes = 1;
    single_id_ = interner_.intern(single_)->id;
  }

  void start(const Key& key) {
    finish();
    access_.kind = key.is_store ? AccessKind::Store : AccessKind::Load;
    access_.group = WorkGroupId(static_cast<std::uint32_t>(key.group));
    access_.warp = WarpId(static_cast<std::uint32_t>(key.warp));
    access_.site = SiteId(static_cast<std::uint32_t>(key.site));
  }

  void add(std::span<const std::uint64_t> addresses) {
    while (!addresses.empty()) {
      if (joined_.lanes == warp_size_) finish();
      if (joined_.lanes == 0) access_.base = BufferAddr(addresses.front());
      const std::size_t fit = std::min<std::size_t>(warp_size_ - joined_.lanes, addresses.size());
      std::int64_t* const offset = &joined_.offset[joined_.lanes];
      for (std::size_t i = 0; i < fit; ++i)
        offset[i] = static_cast<std::int64_t>(addresses[i] - access_.base.key());
      joined_.lanes += static_cast<std::uint32_t>(fit);
      addresses = addresses.subspan(fit);
    }
  }

  void finish() {
    if (joined_.lanes == 1) {
      access_.pattern = &single_;
      access_.pattern_id = single_id_;
      sink_.access(access_);
    } else if (joined_.lanes > 1) {
      finish_joined();
    }
    joined_.lanes = 0;
  }

 private:
  void finish_joined() {
    std::int64_t least = 0;  // the first lane's
    std::int64_t most = 0;
    for (std::uint32_t lane = 1; lane < joined_.lanes; ++lane) {
      least = std::min(least, joined_.offset[lane]);
      most = std::max(most, joined_.offset[lane]);
    }
    joined_.min_offset = least;
    joined_.max_offset = most;
    joined_.mask = ~LaneMask{0} >> (kMaxWarpSize - joined_.lanes);
    const PatternInterner::Known* known = interner_.intern(joined_);
    access_.pattern = known != nullptr ? &known->pattern : &joined_;
    access_.pattern_id = known != nullptr ? known->id : 0;
    sink_.access(access_);
  }

  WarpAccessSink& sink_;
  std::uint32_t warp_size_;
  WarpAccess access_;
  LanePattern single_;
  std::uint32_t single_id_ = 0;
  LanePattern joined_;
  PatternInterner interner_;
};

class TextStreamReader {
 public:
  TextStreamReader(const Descriptor& file, std::string path, std::span<const std::uint8_t> start,
                   WarpAccessSink& sink)
      : file_(file), path_(std::move(path)), sink_(sink) {
    std::copy(start.begin(), start.end(), buffer_.begin());
    used_ = start.size();
  }

  void run() {
    if (!fill()) throw InputError(path_ + ":1: is empty, expected 'WARP_SIZE GROUPS'");
    const StreamHeader header = read_header();
    groups_ = header.work_groups;
    sink_.begin(header);
    sink_.begin_launch(LaunchId(0));
    LaneJoiner joiner(sink_, header.warp_size);
    do {
      parse(joiner);
    } while (fill());
    joiner.finish();
    sink_.end();
  }

 private:
  // Keeps the unparsed rest and reads on until at least one line is whole. False at the end of the file.
  bool fill() {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(next_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(used_), buffer_.begin());
    used_ -= next_;
    next_ = 0;
    auto* bytes = reinterpret_cast<std::uint8_t*>(buffer_.data());
    const std::size_t got = read_some(file_.get(), {bytes + used_, kTextBytes - used_}, path_);
    used_ += got;
    if (used_ == 0) return false;
    const void* newline = ::memrchr(buffer_.data(), '\n', used_);
    if (newline == nullptr) {
      if (used_ == kTextBytes) fail("the line is too long");
      buffer_[used_++] = '\n';  // the last line may lack it
      newline = &buffer_[used_ - 1];
    }
    end_ = static_cast<std::size_t>(static_cast<const char*>(newline) - buffer_.data()) + 1;
    return true;
  }

  StreamHeader read_header() {
    std::array<std::uint64_t, 2> values{};
    const std::string_view line = current_line();
    const auto words = split(line);
    bool good = words.size() == values.size();
    for (std::size_t i = 0; good && i < values.size(); ++i) good = whole_decimal(words[i], values[i]);
    if (!good || values[0] == 0 || values[0] > kMaxWarpSize || values[1] == 0) {
      fail(fmt::format(
          "'{}' is not 'WARP_SIZE GROUPS', expected a warp size of 1 to 64 and at least one group",
          shortened(line)));
    }
    next_ += line.size() + 1;
    ++line_;
    StreamHeader header;
    header.warp_size = static_cast<std::uint32_t>(values[0]);
    header.carries_core = false;
    header.work_groups = values[1];
    header.context = {{"input", "text"}};
    return header;
  }

  void parse(LaneJoiner& joiner) {
    const char* cursor = buffer_.data() + next_;
    const char* const end = buffer_.data() + end_;
    LineForm form;
    std::array<std::uint64_t, kMaxWarpSize> addresses;
    while (cursor != end) {
      const char* line = cursor;
      if (const std::size_t alike = form.read(cursor, end, addresses); alike != 0) {
        joiner.add(std::span(addresses).first(alike));
        line_ += alike;
        continue;
      }
      std::uint64_t address = 0;
      Key key;
      const bool has_address = read_address(cursor, address) && *cursor == ' ';
      const char* tail = cursor;
      if (has_address && read_key(++cursor, key) && *cursor == '\n') {
        form.learn(line, static_cast<int>(tail - line) - 2, cursor + 1 - tail);
      } else {
        next_ = static_cast<std::size_t>(line - buffer_.data());
        cursor = parse_slowly(address, key);
        form.forget();
      }
      if (key.group >= groups_ || (key.warp | key.site) >= kMaxStreamSites) refuse_range(line, key);
      if (key != key_ || !has_key_) joiner.start(key);
      key_ = key;
      has_key_ = true;
      joiner.add({&address, 1});
      ++cursor;
      ++line_;
    }
    next_ = end_;
  }

  // The line at next_: any spacing, or an error. Returns where it ends.
  const char* parse_slowly(std::uint64_t& address, Key& key) {
    const std::string_view line = current_line();
    const auto words = split(line);
    const auto expect = [&](bool good, std::size_t word, const char* expected) {
      if (!good) fail(fmt::format("'{}' is not {}", shortened(words[word]), expected));
    };
    if (words.size() != 5) {
      fail(fmt::format("'{}' has {} words, expected '0xADDRESS R|W GROUP WARP SITE'", shortened(line),
                       words.size()));
    }
    const char* cursor = words[0].data();
    expect(read_address(cursor, address) && cursor == words[0].data() + words[0].size(), 0,
           "an address, expected 0x and hexadecimal digits, below 2^62");
    expect(words[1] == "R" || words[1] == "W", 1, "R or W");
    key.is_store = words[1] == "W";
    expect(whole_decimal(words[2], key.group), 2, "a work-group, expected a number");
    expect(whole_decimal(words[3], key.warp), 3, "a warp, expected a number");
    const std::string_view site = words[4].substr(words[4].starts_with('M') ? 1 : 0);
    expect(whole_decimal(site, key.site), 4, "a site, expected a number or a name such as M1");
    return line.data() + line.size();
  }

  [[noreturn]] void refuse_range(const char* line, const Key& key) {
    next_ = static_cast<std::size_t>(line - buffer_.data());
    if (key.group >= groups_) {
      fail(fmt::format("work-group {} is out of range, expected less than the {} of line 1", key.group,
                       groups_));
    }
    fail(fmt::format("warp {} or site {} is out of range, expected less than {}", key.warp, key.site,
                     kMaxStreamSites));
  }

  [[nodiscard]] std::string_view current_line() const {
    const char* start = buffer_.data() + next_;
    const void* newline = std::memchr(start, '\n', end_ - next_);
    return {start, static_cast<std::size_t>(static_cast<const char*>(newline) - start)};
  }

  static std::vector<std::string_view> split(std::string_view line) {
    constexpr std::string_view kSpaces = " \t\r";
    std::vector<std::string_view> words;
    for (std::size_t at = line.find_first_not_of(kSpaces); at != std::string_view::npos;) {
      const std::size_t stop = std::min(line.find_first_of(kSpaces, at), line.size());
      words.push_back(line.substr(at, stop - at));
      at = line.find_first_not_of(kSpaces, stop);
    }
    return words;
  }

  // Words end before a space or newline of the buffer, so reading digits stops in time.
  static bool whole_decimal(std::string_view word, std::uint64_t& value) {
    const char* cursor = word.data();
    return !word.empty() && read_decimal(cursor, value) && cursor == word.data() + word.size();
  }

  static std::string shortened(std::string_view text) {
    constexpr std::size_t kLongest = 60;
    std::string result(text.substr(0, kLongest));
    std::replace_if(
        result.begin(), result.end(), [](unsigned char c) { return c < ' ' || c >= 127; }, '?');
    return text.size() > kLongest ? result + "…" : result;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", path_, line_, what));
  }

  const Descriptor& file_;
  std::string path_;
  WarpAccessSink& sink_;
  std::vector<char> memory_ = std::vector<char>(kSlack + kTextBytes + kSlack);
  std::span<char> buffer_ = std::span(memory_).subspan(kSlack);
  std::size_t next_ = 0;  ///< first byte that is not parsed
  std::size_t used_ = 0;  ///< bytes in the buffer
  std::size_t end_ = 0;   ///< behind its last newline
  std::uint64_t line_ = 1;
  std::uint64_t groups_ = 0;
  Key key_;
  bool has_key_ = false;
};

}  // namespace

void read_text_stream(const Descriptor& file, const std::string& path, std::span<const std::uint8_t> start,
                      WarpAccessSink& sink) {
  TextStreamReader(file, path, start, sink).run();
}

}  // namespace warpscope
