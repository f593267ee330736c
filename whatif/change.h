#pragma once
// One change of a layout, as it is written on a command line.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpscope::whatif {

enum class ChangeKind : std::uint8_t {
  Pad,
  Pitch,
  Align,
  Offset,
  Swizzle,
  Split,
  Transpose,
  ReadOnly,
  Bypass,
  SortIndex,
  Groups,
  Widen,
};

/// A row of the table of changes: --NAME FORM.
struct ChangeForm {
  const char* name;  ///< name of the option, without "--"
  ChangeKind kind;
  const char* form;     ///< "OBJECT=+ELEMENTS"
  const char* example;  ///< a value that has this form
  const char* help;
};
std::span<const ChangeForm> change_forms();

struct Change {
  ChangeKind kind = ChangeKind::Pad;
  std::string text;                    ///< "--pad tile=+1": for messages
  std::string object;                  ///< object as written; empty for groups; the source file for widen
  std::vector<std::uint64_t> numbers;  ///< numbers behind the "=", in their order; omitted ones are missing
                                       ///< Of widen: first and last line
  bool negative = false;               ///< the first number is below 0
  bool morton = false;                 ///< work-groups are taken in Morton order
};

/// Reads a change. Throws InputError "--pad 'tile': expected OBJECT=+ELEMENTS, for example tile=+1".
Change parse_change(const ChangeForm& form, const std::string& value);

}  // namespace warpscope::whatif
