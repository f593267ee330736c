#include "tools/options/command_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <typeinfo>
#include <utility>

#include "gpus/gpu_name.h"
#include "tools/options/removed_words.h"
#include "traces/base/version.h"

namespace warpscope {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;

/// The name of an option's value and its default, out of how Boost shows them: "N", "F (=binary)", "[=issue|fixed-order(=issue)]".
struct ShownValue {
  std::string name;
  Json by_default = nullptr;

  explicit ShownValue(const po::value_semantic& semantic) : name(semantic.name()) {
    if (name.starts_with("[=")) name = name.substr(2, name.find("(=") - 2);
    const std::size_t at = name.find(" (=");
    if (at == std::string::npos) return;
    by_default = name.substr(at + 3, name.size() - at - 4);
    name.resize(at);
  }
};

const char* kind_of(const po::value_semantic& semantic) {
  if (semantic.max_tokens() == 0) return "switch";
  const auto* typed = dynamic_cast<const po::typed_value_base*>(&semantic);
  if (typed != nullptr && typed->value_type() == typeid(std::vector<std::string>)) return "list";
  return semantic.min_tokens() == 0 ? "optional value" : "value";
}

Json json_of(const po::option_description& option, const std::string& group, bool is_rare) {
  const po::value_semantic& semantic = *option.semantic();
  Json json = {{"name", "--" + option.long_name()}, {"alias", nullptr}, {"kind", kind_of(semantic)}};
  // "-o [ --output ]": the long name has no short one if this begins with it.
  if (const std::string shown = option.format_name(); !shown.starts_with("--"))
    json["alias"] = shown.substr(0, 2);
  json["value"] = nullptr;
  json["default"] = nullptr;
  if (semantic.max_tokens() != 0) {
    const ShownValue value(semantic);
    json["value"] = value.name;
    json["default"] = value.by_default;
  }
  json["meaning"] = option.description();
  json["group"] = group;
  json["shown"] = is_rare ? "help-all" : "help";
  return json;
}

}  // namespace

CommandOptions::CommandOptions(std::string command) : command_(std::move(command)) {
  hidden_.add_options()("options-json", "these options as JSON");
  all_.add(hidden_);
  help_.options.add_options()("help,h", "this text")(
      "help-all", "all options, with those that are rarely used")("version", "version and commit");
  all_.add(help_.options);
}

CommandOptions& CommandOptions::add(OptionGroup group) {
  all_.add(group.options);
  rare_.insert(rare_.end(), group.rare.begin(), group.rare.end());
  groups_.push_back(std::move(group));
  return *this;
}

CommandOptions& CommandOptions::add_word(const char* name, bool more) {
  all_.add_options()(name, more ? static_cast<po::value_semantic*>(po::value<std::vector<std::string>>())
                                : po::value<std::string>());
  positional_.add(name, more ? -1 : 1);
  return *this;
}

po::parsed_options CommandOptions::parse_in_order(const std::vector<std::string>& words) const {
  refuse_removed_words(command_, words);
  try {
    return po::command_line_parser(words).options(all_).positional(positional_).run();
  } catch (const po::unknown_option& error) {
    std::vector<std::string> names;
    for (const auto& option : all_.options()) names.push_back(option->long_name());
    const std::string typed = error.get_option_name();
    const auto meant =
        similar_names(typed.substr(std::min(typed.find_first_not_of('-'), typed.size())), names);
    if (meant.empty()) throw;
    throw po::error(fmt::format("{} (did you mean --{}?)", error.what(), fmt::join(meant, " or --")));
  }
}

OptionValues CommandOptions::parse(const std::vector<std::string>& words) const {
  OptionValues values;
  po::store(parse_in_order(words), values);
  return values;
}

bool CommandOptions::answers(const OptionValues& values, std::string_view before, std::string_view after,
                             std::ostream& out) const {
  const bool everything = has_option(values, "help-all");
  if (everything || has_option(values, "help")) {
    out << before;
    write_help(everything, out);
    out << after;
    return true;
  }
  if (has_option(values, "options-json")) {
    write_json(out);
    return true;
  }
  if (!has_option(values, "version")) return false;
  out << version_line(command_.substr(0, command_.find(' ')));
  return true;
}

bool CommandOptions::is_rare(std::string_view name) const {
  if (name == "version") return is_subcommand();
  return std::find(rare_.begin(), rare_.end(), name) != rare_.end() ||
         (name == "help-all" && rare_.empty() && !is_subcommand());
}

bool CommandOptions::is_subcommand() const {
  return command_.find(' ') != std::string::npos;
}

std::vector<const OptionGroup*> CommandOptions::shown_groups() const {
  std::vector<const OptionGroup*> all;
  all.reserve(groups_.size() + 1);
  for (const OptionGroup& group : groups_) all.push_back(&group);
  all.push_back(&help_);
  return all;
}

void CommandOptions::write_help(bool with_rare, std::ostream& out) const {
  const char* between = "";
  for (const OptionGroup* group : shown_groups()) {
    po::options_description shown(group->title);
    for (const auto& option : group->options.options())
      if (with_rare || !is_rare(option->long_name())) shown.add(option);
    if (!shown.options().empty()) out << std::exchange(between, "\n") << shown;
  }
}

void CommandOptions::write_json(std::ostream& out) const {
  Json json = {{"command", command_}, {"options", Json::array()}};
  for (const OptionGroup* group : shown_groups())
    for (const auto& option : group->options.options())
      json["options"].push_back(json_of(*option, group->title, is_rare(option->long_name())));
  out << json.dump(1) << "\n";
}

}  // namespace warpscope
