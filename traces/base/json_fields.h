#pragma once
// Checked access to the JSON objects in our files: a missing key or a wrong type is an InputError that says
// where.
#include <fmt/format.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "traces/base/error.h"

namespace warpscope {

/// One JSON object and its place ("launch 0: kernel.sites[3]"), for messages.
class JsonFields {
 public:
  /// Throws InputError when `json` is not an object. `json` must outlive this.
  JsonFields(const nlohmann::json& json, std::string where);

  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] const nlohmann::json* find(const char* key) const;
  [[nodiscard]] std::string text(const char* key, std::optional<std::string> fallback = {}) const;
  [[nodiscard]] bool flag(const char* key, bool fallback) const;
  /// A number of 0 .. `limit`, both included.
  [[nodiscard]] std::uint64_t number(const char* key, std::optional<std::uint64_t> fallback = {},
                                     std::uint64_t limit = std::numeric_limits<std::uint64_t>::max()) const;
  [[nodiscard]] std::uint32_t number32(const char* key, std::optional<std::uint32_t> fallback = {}) const;
  /// Calls `element` with each entry of an array and its place; an absent array has no entries unless
  /// `required`.
  void each(const char* key, const std::function<void(const nlohmann::json&, const std::string&)>& element,
            bool required = false) const;
  [[nodiscard]] std::vector<std::uint64_t> numbers(const char* key, std::uint64_t limit,
                                                   bool required = false) const;
  [[noreturn]] void fail(const char* key, const std::string& expected) const;

 private:
  const nlohmann::json& json_;
  std::string where_;
};

/// The value of a JSON number of 0 .. `limit`; InputError otherwise.
std::uint64_t json_number(const nlohmann::json& json, const std::string& where, std::uint64_t limit);

/// Compact text; bytes that are not UTF-8 (a kernel's source may hold them) become U+FFFD.
std::string dump(const nlohmann::json& json);

/// Text that is not JSON, or more than a reader of ours takes.
class JsonError : public InputError {
 public:
  JsonError(const std::string& message, std::size_t byte) : InputError(message), byte_(byte) {}
  [[nodiscard]] std::size_t byte() const {
    return byte_;
  }  ///< 1-based, where the trouble was seen; 0 = unknown

 private:
  std::size_t byte_;
};

constexpr std::size_t kMostJsonDepth = 64;
constexpr std::size_t kMostJsonValues = std::size_t{1} << 24;
constexpr std::size_t kMostJsonBytes = 256u << 20;
enum class JsonComments : std::uint8_t { Refused, Ignored };

/// Parses text of at most kMostJsonBytes with at most kMostJsonValues values, nested at most kMostJsonDepth
/// deep, and finite numbers. Throws JsonError "WHERE: not JSON: byte N: …". Every reader of ours goes through
/// here.
nlohmann::json parse_json(std::string_view text, const std::string& where,
                          JsonComments comments = JsonComments::Refused);

}  // namespace warpscope
