// Tables of docs/reference/counters.md, and what Python knows of the counters: all from cachesim/access/counters.def.
#include <fmt/format.h>

#include "tests/docs/doc_tables.h"

namespace warpscope::docs {
namespace {

constexpr const char* kCounters = "docs/reference/counters.md";

Row vendors_head() {
  return {"counter",
          "counts",
          "unit",
          "Fermi (CUPTI event, nvprof metric)",
          "Maxwell to Volta (nvprof)",
          "Volta and later (Nsight Compute)"};
}

std::string kind_table() {
  return markdown_table({
      vendors_head(),
#define KIND_COUNTER(name, heading, unit, meaning, ...) {code(#name), meaning, unit, __VA_ARGS__},
#include "cachesim/access/counters.def"
  });
}

std::string stage_table() {
  return markdown_table({
      vendors_head(),
#define STAGE_COUNTER(name, heading, unit, meaning, ...) {code(#name), meaning, unit, __VA_ARGS__},
#define STAGE_DERIVED(name, expression, heading, unit, meaning, ...) \
  {code(#name), meaning, unit, __VA_ARGS__},
#include "cachesim/access/counters.def"
  });
}

std::string class_table() {
  return markdown_table({
      {"counter", "counts"},
#define CLASS_COUNTER(name, heading, meaning) {code(#name), meaning},
#include "cachesim/access/counters.def"
  });
}

std::string line_table() {
  return markdown_table({
      {"counter", "counts", "unit", "vendors"},
#define LINE_COUNTER(name, heading, unit, meaning, vendors) {code(#name), meaning, unit, vendors},
#include "cachesim/access/counters.def"
  });
}

std::string timing_table() {
  return markdown_table({
      {"counter", "counts", "unit"},
#define TIMING_COUNTER(name, key, unit, meaning) {code(key), meaning, unit},
#include "cachesim/access/counters.def"
  });
}

std::string memory_table() {
  return markdown_table({
      {"counter", "counts", "unit"},
#define MEMORY_COUNTER(name, key, unit, meaning) {code(key), meaning, unit},
#include "cachesim/access/counters.def"
  });
}

std::string ncu_table() {
  return markdown_table({
      {"`profiler.ncu`", "unit", "here"},
#define NCU(name, unit, value, meaning) {code(name), unit, meaning},
#include "cachesim/access/profiler.def"
  });
}

/// 3.7 of 37.
std::string capability(int times_ten) {
  return fmt::format("{}.{}", times_ten / 10, times_ten % 10);
}

std::string nvprof_table() {
  return markdown_table({
      {"`profiler.nvprof`", "compute capability", "unit", "here"},
#define NVPROF(first, last, name, unit, value, meaning) \
  {code(name), capability(first) + " to " + capability(last), unit, meaning},
#include "cachesim/access/profiler.def"
  });
}

/// A tuple of Python.
std::string tuple(const char* name, const std::vector<std::string>& keys) {
  std::string text = fmt::format("{} = (\n", name);
  for (const std::string& key : keys) text += fmt::format("    \"{}\",\n", key);
  return text + ")\n";
}

std::string python_module() {
  const std::vector<std::string> kinds = {
#define KIND_COUNTER(name, ...) #name,
#include "cachesim/access/counters.def"
  };
  const std::vector<std::string> stages = {
#define STAGE_COUNTER(name, ...) #name,
#define STAGE_DERIVED(name, ...) #name,
#include "cachesim/access/counters.def"
  };
  const std::vector<std::string> classes = {
#define CLASS_COUNTER(name, ...) #name,
#include "cachesim/access/counters.def"
  };
  const std::vector<std::string> lines = {
#define LINE_COUNTER(name, ...) #name,
#include "cachesim/access/counters.def"
  };
  const std::vector<Row> headings = {
#define KIND_COUNTER(name, heading, ...) {#name, heading},
#define STAGE_COUNTER(name, heading, ...) {#name, heading},
#define CLASS_COUNTER(name, heading, ...) {#name, heading},
#define LINE_COUNTER(name, heading, ...) {#name, heading},
#include "cachesim/access/counters.def"
  };
  std::string text =
      "\"\"\"Names and headings of the counters of result.json: cachesim/access/counters.def, written by "
      "doc_tables --update.\"\"\"\n";
  text += tuple("KIND_COUNTERS", kinds) + tuple("STAGE_COUNTERS", stages) + tuple("MISS_CLASSES", classes) +
          tuple("LINE_COUNTERS", lines) + "# Of columns; of a class, what it means.\nHEADINGS = {\n";
  for (const Row& row : headings)
    if (!row[1].empty()) text += fmt::format("    \"{}\": \"{}\",\n", row[0], row[1]);
  return text + "}\n";
}

/// Text as a literal of Python.
std::string literal(const std::string& text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + '"';
}

/// What the page (python/warpscope/show/page) says where a reader asks what a number means.
std::string definitions_module() {
  const std::vector<Row> rows = {
#define KIND_COUNTER(name, heading, unit, meaning, fermi, maxwell, volta) \
  {#name, unit, meaning, fermi, volta},
#define STAGE_COUNTER(name, heading, unit, meaning, fermi, maxwell, volta) \
  {#name, unit, meaning, fermi, volta},
#define STAGE_DERIVED(name, expression, heading, unit, meaning, fermi, maxwell, volta) \
  {#name, unit, meaning, fermi, volta},
#define CLASS_COUNTER(name, heading, meaning) {#name, "transactions", meaning, "", ""},
#define LINE_COUNTER(name, heading, unit, meaning, vendors) {#name, unit, meaning, "", vendors},
#define TIMING_COUNTER(name, key, unit, meaning) {"timing." key, unit, meaning, "", ""},
#define MEMORY_COUNTER(name, key, unit, meaning) {"timing.memory." key, unit, meaning, "", ""},
#include "cachesim/access/counters.def"
  };
  std::string text =
      "\"\"\"What every counter means: cachesim/access/counters.def, written by doc_tables --update.\"\"\"\n"
      "# Name: (unit, meaning, name on Fermi, name on Volta and later).\n"
      "DEFINITIONS = {\n";
  for (const Row& row : rows)
    text += fmt::format("    \"{}\": (\n        {},\n        {},\n        {},\n        {}),\n", row[0],
                        literal(row[1]), literal(row[2]), literal(row[3]), literal(row[4]));
  return text + "}\n";
}

/// Units of the profilers' counters, for exports and comparisons.
std::string profiler_module() {
  std::string text =
      "\"\"\"Units of the counters as profilers define them: cachesim/access/profiler.def, written by "
      "doc_tables "
      "--update.\"\"\"\n"
      "NCU = {\n";
#define NCU(name, unit, value, meaning) text += fmt::format("    \"{}\": \"{}\",\n", name, unit);
#include "cachesim/access/profiler.def"
  text +=
      "}\n# (first and last compute capability that has it, name, unit).\n"
      "NVPROF = (\n";
#define NVPROF(first, last, name, unit, value, meaning) \
  text += fmt::format("    ({}, {}, \"{}\", \"{}\"),\n", capability(first), capability(last), name, unit);
#include "cachesim/access/profiler.def"
  return text + ")\n";
}

}  // namespace

std::vector<DocTable> counter_tables() {
  return {{kCounters, "kinds", kind_table()},
          {kCounters, "stages", stage_table()},
          {kCounters, "miss-classes", class_table()},
          {kCounters, "lines", line_table()},
          {kCounters, "timing", timing_table()},
          {kCounters, "memory", memory_table()},
          {kCounters, "profiler-ncu", ncu_table()},
          {kCounters, "profiler-nvprof", nvprof_table()},
          {"python/warpscope/result/counters.py", "", python_module()},
          {"python/warpscope/show/page/definitions.py", "", definitions_module()},
          {"python/warpscope/result/profiler_units.py", "", profiler_module()}};
}

}  // namespace warpscope::docs
