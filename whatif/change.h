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
  const char* name;  ///< of the option, without "--"
  ChangeKind kind;
  const char* form;     ///< "OBJECT=+ELEMENTS"
  const char* example;  ///< a value that has this form
  const char* help;
};
std::span<const ChangeForm> change_forms();

struct Change {
  ChangeKind kind = ChangeKind::Pad;
  std::string text;                    ///< "--pad tile=+1": for messages
  std::string object;                  ///< as written; empty for groups. Of widen: the source file
  std::vector<std::uint64_t> numbers;  ///< what is behind the "=", in its order; what is left out is missing.
                                       ///< Of widen: first and last line
  bool negative = false;               ///< the first number is below 0
  bool morton = false;                 ///< of groups
};

/// Reads a change. Throws InputError "--pad 'tile': expected OBJECT=+ELEMENTS, for example tile=+1".
Change parse_change(const ChangeForm& form, const std::string& value);

}  // namespace warpscope::whatif
