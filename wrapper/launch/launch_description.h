#pragma once
// What the user says about a launch, before it is known what the kernel looks like. It comes from a launch
// file, from options, or both: options win. Sizes are still expressions.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "wrapper/launch/tensor_launch.h"
#include "wrapper/launch/texture_launch.h"

namespace warpscope {

/// What a buffer holds before the launch.
struct Fill {
  enum class Kind : std::uint8_t { Default, Zero, Iota, Constant, Random, Range, File, None };
  Kind kind = Kind::Default;
  /// Expressions. Constant: value. Random: seed, lowest, end (exclusive). Range: start, step, last.
  std::vector<std::string> parameters;
  std::string
      path;  ///< File, None (which may have one): relative to the launch file or the working directory

  [[nodiscard]] std::string text() const;  ///< the parameters, for messages
};

struct ArgumentDescription {
  std::string where;                 ///< "mm.launch: argument 'A'", "--arg A=…": for messages
  std::optional<std::string> type;   ///< element type; default: from the kernel's signature
  std::optional<std::string> count;  ///< elements of a buffer, or of a local array
  std::optional<std::string> bytes;  ///< size in bytes instead
  bool is_local = false;             ///< the size is said to be that of local memory
  std::optional<std::string> value;  ///< scalars, and components separated by commas for vectors
  std::optional<Fill> fill;
  bool is_null = false;                       ///< a null pointer
  std::optional<TextureDescription> texture;  ///< or a surface
  std::optional<TensorDescription> tensor;    ///< a tensor map
};

struct LaunchDescription {
  std::string where;                   ///< "mm.launch", "the options": for messages about `positional`
  std::optional<std::string> program;  ///< only in .sim files: the kernel's source
  std::optional<std::string> kernel;
  std::vector<std::string> global, local, offset;        ///< empty = not given; 1 to 3 expressions
  std::map<std::string, ArgumentDescription> arguments;  ///< arguments by parameter name
  std::vector<ArgumentDescription> positional;           ///< arguments by parameter index (.sim files)
  std::map<std::string, std::string> defines;
  std::string build_options;
  std::vector<std::string> sizes;  ///< names of the file's sizes, in alphabetical order
};

/// Reads a launch file: JSON with comments, or Oclgrind's .sim format; which one is seen from the content.
/// `size` names one of the file's "sizes"; empty: what the file says outside of them. Throws InputError
/// "FILE:LINE: …".
LaunchDescription read_launch_file(const std::string& path, const std::string& size = "");

/// Parses one of the formats; `name` is for messages, `size` as above (.sim files have none).
LaunchDescription parse_json_launch(const std::string& text, const std::string& name,
                                    const std::string& size = "");
LaunchDescription parse_sim_launch(const std::string& text, const std::string& name);
/// True when the text starts like a .sim file: two words and six numbers, or fewer where it ends.
bool looks_like_sim(const std::string& text);

/// "X", "X,Y" or "X,Y,Z" of --global, --local and --offset; numbers may have an x between them: "256x256".
std::vector<std::string> parse_dimensions(const std::string& text, const std::string& where);

/// NAME=SPEC of --arg. SPEC is, with commas between: count=EXPR, bytes=EXPR, fill=FILL, type=TYPE; a FILL
/// alone; what parse_texture_word() or parse_tensor_word() takes; or an expression (a scalar's value, a local array's bytes, a buffer's count).
std::pair<std::string, ArgumentDescription> parse_argument_option(const std::string& text);

/// zero | iota | constant(V) | random(SEED[,LOW,END]) | range(START,STEP,LAST) | file:PATH | none[:PATH]
/// none: nobody has written the buffer, whatever it holds: what is in the file, or a pattern.
Fill parse_fill(const std::string& text, const std::string& where);

/// What `first` leaves open is taken from `second`.
LaunchDescription merge(LaunchDescription first, const LaunchDescription& second);

}  // namespace warpscope
