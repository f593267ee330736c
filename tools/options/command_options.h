#pragma once
// The options of one command: one list from which come the parser, --help, --help-all and --options-json.
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "tools/options/option_values.h"

namespace warpscope {

/// Options under a title. `rare`: names without "--", which only --help-all shows.
struct OptionGroup {
  std::string title;
  boost::program_options::options_description options;
  std::vector<std::string_view> rare = {};
};

class CommandOptions {
 public:
  /// `command`: the words that call it, such as "cachesim timed". Adds --help, --help-all, --version and --options-json.
  explicit CommandOptions(std::string command);
  /// Shown in this order. A name that is rare in one group is so in all.
  CommandOptions& add(OptionGroup group);
  /// A word without a name; `more`: any number of them.
  CommandOptions& add_word(const char* name, bool more = false);

  /// Throws InputError for options of the last release, which names what replaces them, and boost::program_options::error.
  [[nodiscard]] OptionValues parse(const std::vector<std::string>& words) const;
  [[nodiscard]] boost::program_options::parsed_options parse_in_order(
      const std::vector<std::string>& words) const;
  /// Answers --help, --help-all, --options-json and --version; whether there was one of them. `before` and `after`: what help has around
  /// the options.
  bool answers(const OptionValues& values, std::string_view before, std::string_view after,
               std::ostream& out) const;

 private:
  [[nodiscard]] bool is_rare(std::string_view name) const;
  /// Such as "cachesim timed": its version is that of cachesim.
  [[nodiscard]] bool is_subcommand() const;
  /// In the order of help.
  [[nodiscard]] std::vector<const OptionGroup*> shown_groups() const;
  void write_help(bool with_rare, std::ostream& out) const;
  void write_json(std::ostream& out) const;

  std::string command_;
  std::vector<OptionGroup> groups_;
  OptionGroup help_{"Help", {}};
  std::vector<std::string_view> rare_;
  boost::program_options::options_description all_, hidden_;
  boost::program_options::positional_options_description positional_;
};

}  // namespace warpscope
