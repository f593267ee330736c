// Tables of the CUDA page: which functions there are.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/docs/doc_tables.h"

namespace warpscope::docs {
namespace {

enum class Status { Works, NoEffect, Refused, Internal };

struct Function {
  std::string name, header, part;
  Status status;
};

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
#define WARPSCOPE_CUDA_API(function, header, part, status, test) {#function, header, part, Status::status},
#include "wrapper/cuda/api.def"
#define WARPSCOPE_CUDA_API(function, header, part, status, test) {#function, header, part, Status::status},
#include "wrapper/cuda/libraries/api.def"
  };
  return all;
}

/// The name that programs write: some are exported with a version.
std::string as_written(std::string name) {
  if (name.ends_with("_v2")) name.resize(name.size() - 3);
  return name;
}

bool is_function(const std::string& name) {
  return std::any_of(functions().begin(), functions().end(),
                     [&](const Function& known) { return as_written(known.name) == name; });
}

/// A function of float that double has, too, is written as one: cublas<t>axpy, cublasI<t>amax; and nothing for double's.
std::string of_types(const std::string& name) {
  const std::string prefix = name.starts_with("cublasI") ? "cublasI" : "cublas";
  if (!name.starts_with(prefix) || name.size() == prefix.size()) return name;
  const bool is_index = prefix == "cublasI";
  const std::string rest = name.substr(prefix.size() + 1);
  const char single = is_index ? 's' : 'S', twice = is_index ? 'd' : 'D';
  const char type = name[prefix.size()];
  const bool is_of_pair = (type == single || type == twice) && is_function(prefix + single + rest) &&
                          is_function(prefix + twice + rest);
  if (!is_of_pair) return name;
  return type == single ? prefix + "<t>" + rest : "";
}

/// Names in the order given, each once.
struct Names {
  std::vector<std::string> names;
  void add(const std::string& name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  [[nodiscard]] std::string text() const {
    std::string result;
    for (const std::string& name : names) result += (result.empty() ? "" : ", ") + code(name);
    return result;
  }
};

}  // namespace

std::vector<DocTable> cuda_tables() {
  std::vector<std::pair<std::string, std::string>> order;  // header and part
  std::map<std::pair<std::string, std::string>, std::map<Status, Names>> parts;
  for (const Function& function : functions()) {
    if (function.status == Status::Internal) continue;
    const std::pair key(function.header, function.part);
    if (!parts.contains(key)) order.push_back(key);
    parts[key][function.status].add(of_types(as_written(function.name)));
  }
  std::vector<Row> rows = {
      {"header", "part", "functions", "checked and taken, no effect", "always an error"}};
  for (const auto& key : order) {
    auto& of_part = parts[key];
    rows.push_back({code(key.first), key.second, of_part[Status::Works].text(),
                    of_part[Status::NoEffect].text(), of_part[Status::Refused].text()});
  }
  return {{"docs/tools/cuda-programs.md", "cuda-functions", markdown_table(rows)}};
}

}  // namespace warpscope::docs
