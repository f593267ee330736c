#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "traces/base/error.h"
#include "traces/base/parse_number.h"
#include "traces/crawford/crawford_trace.h"
#include "traces/crawford/crawford_trace_bits.h"
#include "traces/files/line_reader.h"

namespace warpscope {
namespace {

using Kind = CrawfordTraceRecord::Kind;

/// The number in an instruction's name; nothing if the name is not M and decimal digits.
bool site_from_name(std::uint64_t number, std::uint32_t& site) {
  std::uint64_t value = 0;
  std::uint64_t scale = 1;
  for (; number >= 36; number /= 36, scale *= 10) {
    if (number % 36 > 9) return false;
    value += number % 36 * scale;
  }
  site = static_cast<std::uint32_t>(value);
  return scale > 1 && number == kCrawfordNameLetter;
}

bool read_hex(std::string_view word, std::uint64_t& value) {
  if (!word.starts_with("0x") && !word.starts_with("0X")) return false;
  const auto parsed = parse_number(word, 0, ~std::uint64_t{0}, Notation::DecimalOrHex);
  value = parsed.value_or(0);
  return parsed.has_value();
}

class CrawfordTraceReader {
 public:
  CrawfordTraceReader(const std::string& path, CrawfordTraceSink& sink) : lines_(path), sink_(sink) {}

  void run() {
    std::string_view line;
    if (!lines_.next(line)) lines_.fail("is empty, expected 'local size:X Y Z'");
    sink_.begin(read_local_size(line));
    while (lines_.next(line)) read_line(line);
  }

 private:
  Dim3 read_local_size(std::string_view line) {
    constexpr std::string_view kStart = "local size:";
    std::vector<std::uint64_t> sizes;
    if (line.starts_with(kStart)) {
      line.remove_prefix(kStart.size());
      while (!line.empty()) {
        if (line.front() == ' ') {
          line.remove_prefix(1);
          continue;
        }
        sizes.push_back(take_number(line).value_or(0));
        if (sizes.back() == 0 || sizes.back() > kCrawfordIdLimit) sizes.assign(4, 0);
        if (sizes.size() > 3) break;
      }
    }
    if (sizes.empty() || sizes.size() > 3) lines_.fail("expected 'local size:X Y Z', each from 1 to 2^20");
    sizes.resize(3, 1);
    return {sizes[0], sizes[1], sizes[2]};
  }

  void read_line(std::string_view line) {
    CrawfordTraceRecord record;
    record.line = lines_.number();
    if (line.starts_with("--")) {
      record.kind = Kind::End;
      return sink_.record(record);
    }
    const std::size_t first = line.find('|');
    const std::size_t second = line.find('|', first + 1);
    std::uint64_t access = 0;
    std::uint64_t item = 0;
    std::uint64_t loops = 0;
    if (first == std::string_view::npos || second == std::string_view::npos ||
        !read_hex(line.substr(0, first), access) ||
        !read_hex(line.substr(first + 1, second - first - 1), item) ||
        !read_hex(line.substr(second + 1), loops)) {
      lines_.fail("expected '0xACCESS|0xID|0xLOOPS' or '--'");
    }
    read_access(access, record);
    read_item(item, record);
    read_loops(loops, record);
    sink_.record(record);
  }

  void read_access(std::uint64_t access, CrawfordTraceRecord& record) {
    if (access == 1 || access == 2) {
      record.kind = access == 1 ? Kind::LocalBarrier : Kind::GlobalBarrier;
      return;
    }
    const std::uint64_t mark = access >> kCrawfordMarkShift & 0xF;
    if (mark != kCrawfordReadMark && mark != kCrawfordWriteMark)
      lines_.fail("expected F (read) or A (write) behind 8 address digits");
    record.kind = mark == kCrawfordReadMark ? Kind::Read : Kind::Write;
    record.address = ByteAddr(access >> kCrawfordAddressShift);
    std::uint32_t site = 0;
    if (!site_from_name(access & ((1u << kCrawfordNameBits) - 1), site))
      lines_.fail("expected an instruction name such as M1 (319)");
    record.site = SiteId(site);
  }

  void read_item(std::uint64_t item, CrawfordTraceRecord& record) {
    if (item >> (3 * kCrawfordIdBits) != 0) lines_.fail("expected three ids of 20 bits");
    record.item = {item % kCrawfordIdLimit, (item >> kCrawfordIdBits) % kCrawfordIdLimit,
                   item >> (2 * kCrawfordIdBits)};
  }

  void read_loops(std::uint64_t loops, CrawfordTraceRecord& record) {
    if (loops >> (3 * kCrawfordLoopBits) != 0) lines_.fail("expected three loops of 20 bits");
    for (unsigned segment = 0; segment < 3; ++segment) {
      const std::uint64_t value = loops >> (segment * kCrawfordLoopBits) & ((1u << kCrawfordLoopBits) - 1);
      if (value != 0) insert_loop(record, value);
    }
  }

  // Which segment a loop is in follows from the order of recording; labels tell the nesting.
  static void insert_loop(CrawfordTraceRecord& record, std::uint64_t segment) {
    const CrawfordTraceRecord::Loop loop{
        static_cast<std::uint32_t>(segment >> kCrawfordIterationBits),
        static_cast<std::uint32_t>(segment & ((1u << kCrawfordIterationBits) - 1))};
    std::uint32_t place = record.loop_count++;
    for (; place > 0 && record.loops[place - 1].label > loop.label; --place)
      record.loops[place] = record.loops[place - 1];
    record.loops[place] = loop;
  }

  LineReader lines_;
  CrawfordTraceSink& sink_;
};

}  // namespace

void read_crawford_trace(const std::string& path, CrawfordTraceSink& sink) {
  CrawfordTraceReader(path, sink).run();
}

}  // namespace warpscope
