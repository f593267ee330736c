#include "passes/driver/ptx_builtins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <regex>
#include <set>

#include "traces/base/parse_number.h"

namespace warpscope {
namespace {

constexpr const char *kTriple = "nvptx64-nvidia-cuda";
constexpr const char *kDataLayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64";

struct Definition {
  std::string text;
  std::vector<std::string> declares; ///< whole declarations that the text needs
};

std::string define(const std::string &result, const std::string &name,
                   const std::string &parameters, const std::string &body) {
  return fmt::format("define internal {} @{}({}) alwaysinline nounwind {{\n{}}}\n", result, name,
                     parameters, body);
}

// The three components of a special register, chosen by the argument; beyond them OpenCL says 0
// or 1.
std::string read_register(const std::string &name, const std::string &value) {
  std::string text;
  for (const char axis : {'x', 'y', 'z'}) {
    text += fmt::format("  %{0}.{1} = call i32 @llvm.nvvm.read.ptx.sreg.{2}.{1}()\n", value, axis,
                        name);
  }
  return text + fmt::format("  %{0}.yz = select i1 %is.y, i32 %{0}.y, i32 %{0}.z\n"
                            "  %{0} = select i1 %is.x, i32 %{0}.x, i32 %{0}.yz\n",
                            value);
}

std::optional<Definition> work_item_function(const std::string &base, const std::string &name) {
  static const std::map<std::string, std::vector<std::string>> kRegisters = {
      {"get_local_id", {"tid"}},
      {"get_group_id", {"ctaid"}},
      {"get_local_size", {"ntid"}},
      {"get_enqueued_local_size", {"ntid"}},
      {"get_num_groups", {"nctaid"}},
      {"get_global_size", {"nctaid", "ntid"}},
      {"get_global_id", {"ctaid", "ntid", "tid"}}};
  if (base == "get_global_offset")
    return Definition{define("i64", name, "i32 %axis", "  ret i64 0\n"), {}};
  if (base == "get_work_dim")
    return Definition{define("i32", name, "", "  ret i32 3\n"), {}};
  const auto found = kRegisters.find(base);
  if (found == kRegisters.end())
    return std::nullopt;
  Definition result;
  std::string body = "  %is.x = icmp eq i32 %axis, 0\n  %is.y = icmp eq i32 %axis, 1\n";
  std::string value = found->second[0];
  for (const std::string &special : found->second) {
    body += read_register(special, special);
    for (const char axis : {'x', 'y', 'z'})
      result.declares.push_back(fmt::format(
          "declare i32 @llvm.nvvm.read.ptx.sreg.{}.{}() nounwind readnone", special, axis));
  }
  if (found->second.size() > 1) {
    body += fmt::format("  %product = mul i32 %{}, %ntid\n", value);
    value = "product";
  }
  if (found->second.size() > 2) {
    body += "  %sum = add i32 %product, %tid\n";
    value = "sum";
  }
  body += fmt::format("  %wide = zext i32 %{} to i64\n  ret i64 %wide\n", value);
  result.text = define("i64", name, "i32 %axis", body);
  return result;
}

std::optional<Definition> synchronisation(const std::string &base, const std::string &name) {
  const bool is_barrier = base == "barrier" || base == "work_group_barrier";
  if (!is_barrier && base != "mem_fence" && base != "read_mem_fence" && base != "write_mem_fence")
    return std::nullopt;
  const std::string callee = is_barrier ? "llvm.nvvm.barrier0" : "llvm.nvvm.membar.cta";
  return Definition{
      define("void", name, "i32 %flags", fmt::format("  call void @{}()\n  ret void\n", callee)),
      {fmt::format("declare void @{}(){}", callee,
                   is_barrier ? " convergent nounwind" : " nounwind")}};
}

struct ScalarType {
  const char *llvm;
  const char *libdevice; ///< suffix of its names
  bool is_signed;
};

std::optional<ScalarType> scalar(char code) {
  switch (code) {
  case 'f':
    return ScalarType{"float", "f", true};
  case 'd':
    return ScalarType{"double", "", true};
  case 'i':
    return ScalarType{"i32", nullptr, true};
  case 'j':
    return ScalarType{"i32", nullptr, false};
  case 'l':
    return ScalarType{"i64", nullptr, true};
  case 'm':
    return ScalarType{"i64", nullptr, false};
  default:
    return std::nullopt;
  }
}

std::string parameters(const ScalarType &type, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i)
    result += fmt::format("{}{} %p{}", i == 0 ? "" : ", ", type.llvm, i);
  return result;
}

Definition calling(const ScalarType &type, const std::string &name, const std::string &callee,
                   std::size_t count) {
  std::string types;
  for (std::size_t i = 0; i < count; ++i)
    types += fmt::format("{}{}", i == 0 ? "" : ", ", type.llvm);
  return {define(type.llvm, name, parameters(type, count),
                 fmt::format("  %r = call {0} @{1}({2})\n  ret {0} %r\n", type.llvm, callee,
                             parameters(type, count))),
          {fmt::format("declare {} @{}({})", type.llvm, callee, types)}};
}

// OpenCL's name and libdevice's where they differ; the second column is the fast variant for
// native_ and half_ functions of float.
std::string libdevice_name(std::string base, const ScalarType &type) {
  static const std::map<std::string, std::string> kFast = {
      {"exp", "__nv_fast_expf"},       {"exp10", "__nv_fast_exp10f"}, {"log", "__nv_fast_logf"},
      {"log2", "__nv_fast_log2f"},     {"log10", "__nv_fast_log10f"}, {"sin", "__nv_fast_sinf"},
      {"cos", "__nv_fast_cosf"},       {"tan", "__nv_fast_tanf"},     {"powr", "__nv_fast_powf"},
      {"divide", "__nv_fast_fdividef"}};
  for (const char *prefix : {"native_", "half_"}) {
    if (base.starts_with(prefix)) {
      base = base.substr(std::string(prefix).size());
      if (const auto fast = kFast.find(base); fast != kFast.end() && *type.libdevice == 'f')
        return fast->second;
    }
  }
  if (base == "mad")
    base = "fma";
  if (base == "powr")
    base = "pow";
  return "__nv_" + base + type.libdevice;
}

std::optional<Definition> mathematical(const std::string &base, const std::string &name,
                                       const std::string &codes) {
  static const std::set<std::string> kFunctions = {
      "sqrt",  "rsqrt",    "exp",  "exp2",   "exp10",  "expm1", "log",  "log2",  "log10",
      "log1p", "sin",      "cos",  "tan",    "asin",   "acos",  "atan", "sinh",  "cosh",
      "tanh",  "cbrt",     "erf",  "erfc",   "fabs",   "floor", "ceil", "round", "trunc",
      "rint",  "pow",      "powr", "fmin",   "fmax",   "fmod",  "fma",  "mad",   "atan2",
      "hypot", "copysign", "fdim", "tgamma", "lgamma", "divide"};
  const auto type = scalar(codes[0]);
  if (!type || type->libdevice == nullptr || codes.find_first_not_of(codes[0]) != std::string::npos)
    return std::nullopt;
  std::string plain = base;
  for (const char *prefix : {"native_", "half_"})
    if (plain.starts_with(prefix))
      plain = plain.substr(std::string(prefix).size());
  if (plain == "min" || plain == "max")
    return calling(*type, name, libdevice_name("f" + plain, *type), codes.size());
  if (!kFunctions.contains(plain))
    return std::nullopt;
  return calling(*type, name, libdevice_name(base, *type), codes.size());
}

std::optional<Definition> integer(const std::string &base, const std::string &name,
                                  const std::string &codes) {
  const auto type = scalar(codes[0]);
  if (!type || type->libdevice != nullptr || codes.find_first_not_of(codes[0]) != std::string::npos)
    return std::nullopt;
  const std::string bits = type->llvm;
  if ((base == "min" || base == "max") && codes.size() == 2)
    return calling(*type, name,
                   fmt::format("llvm.{}{}.{}", type->is_signed ? 's' : 'u', base, bits), 2);
  if (base == "popcount" && codes.size() == 1)
    return calling(*type, name, "llvm.ctpop." + bits, 1);
  const bool plain = base == "mul24" || base == "mad24";
  if (!plain || codes.size() != (base == "mul24" ? 2u : 3u))
    return std::nullopt;
  std::string body = fmt::format("  %r = mul {} %p0, %p1\n", bits);
  if (base == "mad24")
    body += fmt::format("  %s = add {} %r, %p2\n", bits);
  body += fmt::format("  ret {} %{}\n", bits, base == "mad24" ? "s" : "r");
  return Definition{define(bits, name, parameters(*type, codes.size()), body), {}};
}

std::optional<Definition> definition_of(const std::string &name) {
  static const std::regex kMangled("_Z([0-9]+)(.*)");
  std::smatch parts;
  if (!std::regex_match(name, parts, kMangled))
    return std::nullopt;
  const std::string rest = parts[2];
  const auto length = parse_number(parts[1].str());
  if (!length || *length >= rest.size())
    return std::nullopt;
  const std::string base = rest.substr(0, *length), codes = rest.substr(*length);
  if (auto found = work_item_function(base, name))
    return found;
  if (auto found = synchronisation(base, name))
    return found;
  if (auto found = mathematical(base, name, codes))
    return found;
  return integer(base, name, codes);
}

void replace_all(std::string &text, const std::string &from, const std::string &to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Whether a kernel has an argument in constant memory.
bool takes_constant_memory(const std::string &text) {
  for (std::size_t at = 0; (at = text.find("spir_kernel ", at)) != std::string::npos; ++at) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.find(" addrspace(2)", at) < end)
      return true;
  }
  return false;
}

/// SPIR's generic space is NVPTX's 0 (private memory, too, is reached through it); constant is
/// its 4, where it is variables of the program. What a kernel gets as an argument is a buffer,
/// which lies in global memory: there, all of it does.
std::string with_nvptx_types(std::string text) {
  const bool is_global = takes_constant_memory(text);
  replace_all(text, " addrspace(4)", "");
  replace_all(text, " addrspace(2)", is_global ? " addrspace(1)" : " addrspace(4)");
  replace_all(text, "spir_kernel", "ptx_kernel");
  replace_all(text, "spir_func ", "");
  return text;
}

} // namespace

ResolvedBuiltins resolve_builtins(const std::string &assembly) {
  static const std::regex kDeclared(R"(^declare .*@([A-Za-z0-9_.]+)\()");
  ResolvedBuiltins result;
  std::set<std::string> declared;
  std::vector<Definition> definitions;
  std::size_t begin = 0;
  const std::string text = with_nvptx_types(assembly);
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    std::string line = text.substr(begin, end - begin);
    begin = end;
    if (line.starts_with("target datalayout"))
      line = fmt::format("target datalayout = \"{}\"\n", kDataLayout);
    if (line.starts_with("target triple")) // CUDA's is that of SPIR by now
      line = fmt::format("target triple = \"{}\"\n", kTriple);
    std::smatch parts;
    if (line.starts_with("declare ") && std::regex_search(line, parts, kDeclared)) {
      const std::string name = parts[1];
      if (auto definition = definition_of(name)) {
        definitions.push_back(std::move(*definition));
        continue;
      }
      declared.insert(name);
      if (!name.starts_with("llvm."))
        result.unresolved.push_back(name);
    }
    result.assembly += line;
  }
  for (const Definition &definition : definitions) {
    for (const std::string &declaration : definition.declares) {
      std::smatch parts;
      std::regex_search(declaration, parts, kDeclared);
      if (declared.insert(parts[1]).second)
        result.assembly += declaration + "\n";
    }
    result.assembly += definition.text;
  }
  return result;
}

} // namespace warpscope
