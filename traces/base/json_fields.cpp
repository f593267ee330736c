#include "traces/base/json_fields.h"

#include "traces/base/printable.h"

namespace warpscope {
namespace {

std::string shortened(const nlohmann::json& value) {
  constexpr std::size_t kLongest = 40;
  if (value.is_structured() && value.size() > kLongest)
    return value.is_array() ? "a long array" : "a long object";
  return quotable(dump(value), kLongest);
}

/// Looks at the text before it is parsed: what it would take of memory, and of stack where it is walked.
class JsonMeasure {
 public:
  JsonMeasure(std::string_view text, const std::string& where, bool comments)
      : text_(text), where_(where), comments_(comments) {}

  void check() {
    if (text_.size() > kMostJsonBytes) refuse(fmt::format("more than {} MiB", kMostJsonBytes >> 20));
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        skip_string();
      } else if (comments_ && c == '/') {
        skip_comment();
      } else if (c == '[' || c == '{') {
        if (++depth_ > kMostJsonDepth) refuse(fmt::format("nested more than {} deep", kMostJsonDepth));
        count();
      } else if ((c == ']' || c == '}') && depth_ > 0) {
        --depth_;
      } else if (c == ',') {
        count();
      }
    }
  }

 private:
  void count() {
    if (++values_ > kMostJsonValues) refuse(fmt::format("more than {} values", kMostJsonValues));
  }
  void skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
  }
  void skip_comment() {
    const std::string_view rest = text_.substr(at_);
    const bool is_line = rest.starts_with("//");
    if (!is_line && !rest.starts_with("/*")) return;
    const std::size_t end = is_line ? rest.find('\n') : rest.find("*/", 2);
    at_ = end == std::string_view::npos ? text_.size() : at_ + end;
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw JsonError(fmt::format("{}: JSON that is {}, expected less: byte {}", where_, what, at_ + 1),
                    at_ + 1);
  }

  std::string_view text_;
  const std::string& where_;
  bool comments_;
  std::size_t at_ = 0, depth_ = 0, values_ = 0;
};

}  // namespace

JsonFields::JsonFields(const nlohmann::json& json, std::string where)
    : json_(json), where_(std::move(where)) {
  if (!json.is_object())
    throw InputError(fmt::format("{} is {}, expected an object", where_, shortened(json)));
}

const nlohmann::json* JsonFields::find(const char* key) const {
  const auto entry = json_.find(key);
  return entry == json_.end() ? nullptr : &*entry;
}

void JsonFields::fail(const char* key, const std::string& expected) const {
  const nlohmann::json* value = find(key);
  throw InputError(fmt::format("{}: key '{}' is {}, expected {}", where_, key,
                               value == nullptr ? "missing" : shortened(*value), expected));
}

std::string JsonFields::text(const char* key, std::optional<std::string> fallback) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr && fallback) return *fallback;
  if (value == nullptr || !value->is_string()) fail(key, "a string");
  return value->get<std::string>();
}

bool JsonFields::flag(const char* key, bool fallback) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) fail(key, "true or false");
  return value->get<bool>();
}

std::uint64_t JsonFields::number(const char* key, std::optional<std::uint64_t> fallback,
                                 std::uint64_t limit) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr && fallback) return *fallback;
  if (value == nullptr) fail(key, "a number");
  return json_number(*value, fmt::format("{}: key '{}'", where_, key), limit);
}

std::uint32_t JsonFields::number32(const char* key, std::optional<std::uint32_t> fallback) const {
  std::optional<std::uint64_t> wide;
  if (fallback) wide = *fallback;
  return static_cast<std::uint32_t>(number(key, wide, std::numeric_limits<std::uint32_t>::max()));
}

void JsonFields::each(const char* key,
                      const std::function<void(const nlohmann::json&, const std::string&)>& element,
                      bool required) const {
  const nlohmann::json* value = find(key);
  if (value == nullptr && !required) return;
  if (value == nullptr || !value->is_array()) fail(key, "an array");
  for (std::size_t index = 0; index < value->size(); ++index) {
    element((*value)[index], fmt::format("{}.{}[{}]", where_, key, index));
  }
}

std::vector<std::uint64_t> JsonFields::numbers(const char* key, std::uint64_t limit, bool required) const {
  std::vector<std::uint64_t> result;
  each(
      key,
      [&](const nlohmann::json& json, const std::string& where) {
        result.push_back(json_number(json, where, limit));
      },
      required);
  return result;
}

std::uint64_t json_number(const nlohmann::json& json, const std::string& where, std::uint64_t limit) {
  const bool is_natural =
      json.is_number_unsigned() || (json.is_number_integer() && json.get<std::int64_t>() >= 0);
  if (!is_natural || json.get<std::uint64_t>() > limit) {
    throw InputError(fmt::format("{} is {}, expected a number from 0 to {}", where, shortened(json), limit));
  }
  return json.get<std::uint64_t>();
}

std::string dump(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::json parse_json(std::string_view text, const std::string& where, JsonComments comments) {
  const bool ignore_comments = comments == JsonComments::Ignored;
  JsonMeasure(text, where, ignore_comments).check();
  try {
    return nlohmann::json::parse(text, nullptr, true, ignore_comments);
  } catch (const nlohmann::json::parse_error& error) {
    throw JsonError(fmt::format("{}: not JSON: byte {}", where, error.byte), error.byte);
  } catch (const nlohmann::json::out_of_range&) {
    throw JsonError(fmt::format("{}: a number is too large, expected finite numbers", where), 0);
  }
}

}  // namespace warpscope
