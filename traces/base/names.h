#pragma once
// Names in text that came from outside: entries of tables, such as policies.
#include <iterator>
#include <string>
#include <string_view>

#include "traces/base/error.h"

namespace warpscope {

/// The name of a table's entry: the entry itself, or its member `name`.
template <class Entry>
std::string_view entry_name(const Entry& entry) {
  if constexpr (std::is_convertible_v<const Entry&, std::string_view>)
    return entry;
  else
    return entry.name;
}

/// "LRU, FIFO, …": the names of all entries, in the table's order.
template <class Table>
std::string names_of(const Table& table) {
  std::string names;
  for (const auto& entry : table) names.append(names.empty() ? "" : ", ").append(entry_name(entry));
  return names;
}

/// The entry called `name`; null if there is none.
template <class Table>
const auto* find_named(const Table& table, std::string_view name) {
  const auto end = std::end(table);
  for (auto entry = std::begin(table); entry != end; ++entry)
    if (entry_name(*entry) == name) return &*entry;
  return static_cast<decltype(&*end)>(nullptr);
}

/// "<what>, expected one of <names>": what a reader throws for a name that it does not know.
inline InputError unknown_name(const std::string& what, const std::string& names) {
  return InputError(what + ", expected one of " + names);
}

}  // namespace warpscope
