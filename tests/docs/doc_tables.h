#pragma once
// Tables of the documentation that are written from tables in the code.
#include <string>
#include <vector>

namespace warpscope::docs {

/// Is in `page` between two lines: <!-- table NAME ... --> and <!-- end of table -->; without a name it is the
/// whole file.
struct DocTable {
  std::string page;  ///< path below the source folder
  std::string name;
  std::string text;  ///< whole lines of Markdown
};

using Row = std::vector<std::string>;
/// A name as it is in the code or in a file.
inline std::string code(const std::string& text) {
  return "`" + text + "`";
}
/// A Markdown table; its first row is the head.
std::string markdown_table(const std::vector<Row>& rows);

/// The policies: cachesim/l1/*.def, cachesim/access/rules, scheduler/policies/registry.def,
/// timed/issue/registry.def.
std::vector<DocTable> policy_tables();

/// Tables of counters and their names in Python: cachesim/access/counters.def and profiler.def.
std::vector<DocTable> counter_tables();

/// CUDA's functions: wrapper/cuda/api.def and wrapper/cuda/libraries/api.def.
std::vector<DocTable> cuda_tables();

/// The keys of a GPU preset: gpus/preset_keys.def.
std::vector<DocTable> preset_tables();

}  // namespace warpscope::docs
