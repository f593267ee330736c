#include "gpus/preset_keys.h"
#include "tests/docs/doc_tables.h"

namespace warpscope::docs {
namespace {

/// A heading and a table for every group of preset_keys.def.
class KeyTables {
 public:
  void begin(const char* title) {
    text_ += std::string("\n## ") + title + "\n\n";
    rows_ = {{"key", "value", "meaning"}};
  }
  void add(PresetType type, bool is_required, const char* name, const char* help) {
    const char* suffix = is_required ? "; required" : "";
    rows_.push_back({code(name), expected_value({name, type, is_required, help}) + suffix, help});
  }
  void end() { text_ += markdown_table(rows_); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<Row> rows_;
};

std::string key_tables() {
  constexpr bool required = true, optional = false;
  KeyTables tables;
#define PRESET_GROUP(name, title) tables.begin(title);
#define PRESET_GROUP_END tables.end();
#define PRESET_KEY(type, name, need, help) tables.add(PresetType::type, need, #name, help);
#include "gpus/preset_keys.def"
#undef PRESET_KEY
  return tables.text() + "\n";
}

}  // namespace

std::vector<DocTable> preset_tables() {
  return {{"docs/reference/preset-keys.md", "keys", key_tables()}};
}

}  // namespace warpscope::docs
