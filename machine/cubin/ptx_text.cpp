#include "machine/cubin/ptx_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace warpscope::machine {
namespace {

bool is_part_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.';
}

/// Words and single signs; without comments and quoted text.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      at = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
    } else if (text[at] == '"') {
      at = std::min(text.find('"', at + 1), text.size() - 1) + 1;
    } else if (is_part_of_word(text[at])) {
      while (at < text.size() && is_part_of_word(text[at])) ++at;
      words.push_back(text.substr(begin, at - begin));
    } else {
      if (std::isspace(static_cast<unsigned char>(text[at])) == 0) words.push_back(text.substr(at, 1));
      ++at;
    }
  }
  return words;
}

std::optional<std::uint64_t> number(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

/// Bytes of "u64", "f32", "b8", "pred"; 0: no such type.
std::uint32_t bytes_of_type(std::string_view type) {
  if (type == "pred") return 1;
  const std::size_t digits = type.find_first_of("0123456789");
  if (digits == std::string_view::npos || digits == 0) return 0;
  const auto bits = number(type.substr(digits));
  if (!bits || *bits < 8 || *bits > 128 || *bits % 8 != 0) return 0;
  return static_cast<std::uint32_t>(*bits / 8);
}

class PtxReader {
 public:
  explicit PtxReader(std::string_view text) : words_(words_of(text)) {}

  std::vector<PtxKernel> run() {
    while (at_ < words_.size()) {
      const std::string_view word = words_[at_];
      if (word == ".entry")
        entry();
      else if (word == ".shared")
        add(file_shared_);
      else if (word == ".global" || word == ".const")
        add(file_variables_);
      else
        ++at_;
    }
    return std::move(kernels_);
  }

 private:
  [[nodiscard]] std::string_view word(std::size_t ahead = 0) const {
    return at_ + ahead < words_.size() ? words_[at_ + ahead] : std::string_view();
  }

  /// ".align 4 .b8 tile[1024]", ".v4 .f32 x", ".u64 .ptr .global .align 16 p": up to, not including, ',', ';' or ')'.
  PtxParameter declaration() {
    PtxParameter result;
    std::uint32_t lanes = 1;
    std::uint64_t elements = 1;
    bool is_target = false;
    for (; at_ < words_.size() && word() != "," && word() != ";" && word() != ")" && word() != "{"; ++at_) {
      if (word() == ".align" && !is_target) {
        result.alignment = static_cast<std::uint32_t>(number(word(1)).value_or(1));
      } else if (word() == ".ptr") {
        result.is_pointer = is_target = true;
      } else if (word() == ".v2" || word() == ".v4") {
        lanes = word() == ".v2" ? 2 : 4;
      } else if (word() == "[") {
        result.is_array = true;
        elements *= number(word(1)).value_or(0);
      } else if (word() == "=") {
        has_content_ = true;
        while (at_ + 1 < words_.size() && word(1) != ";") ++at_;
      } else if (word().front() == '.' && bytes_of_type(word().substr(1)) != 0) {
        result.type = word().substr(1);
      } else if (word().front() != '.' && word() != "]" && !number(word())) {
        result.name = word();
      }
    }
    const std::uint64_t element = std::uint64_t{bytes_of_type(result.type)} * lanes;
    result.bytes = element * elements;
    result.alignment = std::max(result.alignment, static_cast<std::uint32_t>(element));
    return result;
  }

  /// What has content from the file is passed over.
  void add(std::vector<PtxVariable>& into) {
    ++at_;
    has_content_ = false;
    const PtxVariable variable = declaration();
    if (!has_content_) into.push_back(variable);
  }

  void entry() {
    PtxKernel kernel;
    kernel.name = word(1);
    at_ += 2;
    if (word() == "(") {
      while (at_ < words_.size() && word() != ")") {
        ++at_;
        if (word() == ".param") {
          ++at_;
          kernel.parameters.push_back(declaration());
        }
      }
    }
    while (at_ < words_.size() && word() != "{" && word() != ";") ++at_;  // .maxntid and the like
    if (word() == "{") body(kernel);
    kernels_.push_back(std::move(kernel));
  }

  void body(PtxKernel& kernel) {
    registers_.clear();
    std::set<std::string_view> named;
    for (int depth = 0; at_ < words_.size();) {
      depth += word() == "{" ? 1 : word() == "}" ? -1 : 0;
      if (depth == 0) break;
      if (word() == ".shared") {
        add(kernel.shared);
        continue;
      }
      named.insert(word());
      instruction(kernel);
      ++at_;
    }
    std::vector<PtxVariable> own = std::move(kernel.shared);
    std::copy_if(file_shared_.begin(), file_shared_.end(), std::back_inserter(kernel.shared),
                 [&](const PtxVariable& one) { return named.contains(one.name); });
    kernel.shared.insert(kernel.shared.end(), own.begin(), own.end());
    for (const PtxVariable& one : file_variables_)
      if (named.contains(one.name)) kernel.variables.push_back(one.name);
  }

  /// What instructions do with parameters: ld.param.T %r, [name]; cvta.to.global.u64 %a, %r; ld.global.T %v, [%r].
  void instruction(PtxKernel& kernel) {
    const std::string_view name = word();
    if (name == "call" || name.starts_with("call.")) kernel.calls = true;
    if (name.starts_with("ld.param.")) {
      if (word(3) != "[" || word(5) != "]") return;
      const auto found = std::find_if(kernel.parameters.begin(), kernel.parameters.end(),
                                      [&](const PtxParameter& one) { return one.name == word(4); });
      if (found == kernel.parameters.end()) return;
      found->loaded_as = name.substr(name.rfind('.') + 1);
      registers_[word(1)] = static_cast<std::size_t>(found - kernel.parameters.begin());
      return;
    }
    if (name.starts_with("cvta.to.global")) return mark(kernel, word(3));
    if (name == "mov.u64" || name == "mov.b64") {
      if (const auto from = registers_.find(word(3)); from != registers_.end())
        registers_[word(1)] = from->second;
      return;
    }
    const bool is_access = name.starts_with("ld.global") || name.starts_with("st.global") ||
                           name.starts_with("atom.global") || name.starts_with("red.global");
    if (!is_access) return;
    for (std::size_t ahead = 1; ahead < 8 && word(ahead) != ";"; ++ahead)
      if (word(ahead) == "[") mark(kernel, word(ahead + 1));
  }

  void mark(PtxKernel& kernel, std::string_view value) const {
    const auto from = registers_.find(value);
    if (from != registers_.end()) kernel.parameters[from->second].is_pointer = true;
  }

  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
  bool has_content_ = false;  ///< of the variable that was declared last
  std::vector<PtxVariable> file_shared_, file_variables_;
  std::map<std::string_view, std::size_t> registers_;  ///< that hold a parameter, and which
  std::vector<PtxKernel> kernels_;
};

}  // namespace

std::vector<PtxKernel> read_ptx(std::string_view text) {
  return PtxReader(text).run();
}

std::string ptx_target(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  const auto target = std::find(words.begin(), words.end(), ".target");
  return target == words.end() || target + 1 == words.end() ? "" : std::string(*(target + 1));
}

}  // namespace warpscope::machine
