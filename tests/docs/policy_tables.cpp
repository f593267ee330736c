#include <fmt/format.h>

#include "cachesim/access/coalescer.h"
#include "cachesim/l1/l1_cache.h"
#include "scheduler/policies/registry.h"
#include "tests/docs/doc_tables.h"
#include "timed/issue/issue_policy.h"

namespace warpscope::docs {
namespace {

constexpr const char* kPage = "docs/reference/policies.md";

std::string replacement_table() {
  std::vector<Row> rows = {{"policy", "meaning", "source"}};
  for (const ReplacementEntry& entry : replacement_policies()) {
    const std::string only =
        entry.only_ways == kAnyWays ? "" : fmt::format("; {} ways only", entry.only_ways);
    rows.push_back({code(entry.name), entry.help + only, entry.source});
  }
  return markdown_table(rows);
}

std::string write_table() {
  std::vector<Row> rows = {{"policy", "store miss", "store hit", "meaning"}};
  for (const WritePolicy& policy : write_policies()) {
    const char* hit = policy.store_hit_removes ? "removes the line"
                      : policy.writes_back     ? "marks it dirty; written back when it leaves"
                      : policy.store_hits_line ? "written through; its sector need not be there"
                                               : "written through";
    rows.push_back({code(policy.name), policy.store_miss_allocates ? "brings the line in" : "changes nothing",
                    hit, policy.help});
  }
  return markdown_table(rows);
}

std::string set_index_table() {
  std::vector<Row> rows = {{"function", "set", "source"}};
  for (const SetIndexEntry& entry : set_indexes())
    rows.push_back({code(entry.name), entry.help, entry.source});
  return markdown_table(rows);
}

std::string coalescing_table() {
  std::vector<Row> rows = {{"rule", "transactions of a warp access", "source"}};
  for (const CoalescingRule& rule : coalescing_rules())
    rows.push_back({code(rule.name), rule.help, rule.source});
  return markdown_table(rows);
}

std::string scheduler_table() {
  std::vector<Row> rows = {{"policy", "what takes turns", "source"}};
  for (const SchedulerInfo& info : schedulers()) rows.push_back({code(info.name), info.help, info.source});
  return markdown_table(rows);
}

/// "`--active-warps`: warps of a fetch group, 1 to 64 warps, default 8".
std::string parameters_text(std::span<const PolicyParameter> parameters) {
  std::string text;
  for (const PolicyParameter& one : parameters)
    text += fmt::format("{}`--{}`: {}, {} to {} {}, default {}", text.empty() ? "" : "; ", one.name,
                        one.meaning, one.least, one.most, one.unit, one.usual);
  return text.empty() ? "none" : text;
}

std::string issue_table() {
  std::vector<Row> rows = {{"policy", "warp that issues next", "parameter", "source"}};
  for (const timed::IssuePolicyInfo& info : timed::issue_policies())
    rows.push_back({code(info.name), info.help, parameters_text(info.parameters()), info.source});
  return markdown_table(rows);
}

}  // namespace

std::vector<DocTable> policy_tables() {
  return {{kPage, "replacement", replacement_table()}, {kPage, "write", write_table()},
          {kPage, "set-index", set_index_table()},     {kPage, "coalescing", coalescing_table()},
          {kPage, "policy", scheduler_table()},        {kPage, "warp-scheduler", issue_table()}};
}

}  // namespace warpscope::docs
