#pragma once
// Bytes of a file from anywhere: every read is checked, and what does not fit is one InputError that says where and what.
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace warpscope::machine {

/// A part of a file's bytes, little-endian, with the name that messages begin with ("k.cubin: section .nv.info").
class ByteView {
 public:
  ByteView() = default;
  ByteView(std::span<const std::uint8_t> bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  /// The number at byte `at`. `what` completes the message "NAME: ends in …".
  template <std::unsigned_integral Value>
  [[nodiscard]] Value read(std::uint64_t at, const char* what) const {
    check(at, sizeof(Value), what);
    Value value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }
  /// `count` bytes from `at` on.
  [[nodiscard]] ByteView part(std::uint64_t at, std::uint64_t count, const char* what) const {
    check(at, count, what);
    return {bytes_.subspan(at, count), name_};
  }
  [[nodiscard]] ByteView renamed(std::string name) const { return {bytes_, std::move(name)}; }
  /// The text from `at` to the next zero byte.
  [[nodiscard]] std::string_view text(std::uint64_t at, const char* what) const;
  /// Throws InputError "NAME: problem".
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  void check(std::uint64_t at, std::uint64_t count, const char* what) const {
    if (at > bytes_.size() || count > bytes_.size() - at) fail_short(at, count, what);
  }
  [[noreturn]] void fail_short(std::uint64_t at, std::uint64_t count, const char* what) const;

  std::span<const std::uint8_t> bytes_;
  std::string name_;
};

/// Reads a view from its start to its end.
class ByteCursor {
 public:
  explicit ByteCursor(ByteView view) : view_(std::move(view)) {}

  [[nodiscard]] bool at_end() const { return at_ >= view_.size(); }
  [[nodiscard]] std::uint64_t position() const { return at_; }
  [[nodiscard]] const ByteView& view() const { return view_; }
  void seek(std::uint64_t at) { at_ = at; }

  template <std::unsigned_integral Value>
  Value take(const char* what) {
    const Value value = view_.read<Value>(at_, what);
    at_ += sizeof(Value);
    return value;
  }
  ByteView take_bytes(std::uint64_t count, const char* what) {
    ByteView part = view_.part(at_, count, what);
    at_ += count;
    return part;
  }
  std::string_view take_text(const char* what) {
    const std::string_view text = view_.text(at_, what);
    at_ += text.size() + 1;
    return text;
  }
  /// DWARF's numbers of variable length.
  std::uint64_t take_uleb(const char* what);
  std::int64_t take_sleb(const char* what);

 private:
  ByteView view_;
  std::uint64_t at_ = 0;
};

}  // namespace warpscope::machine
