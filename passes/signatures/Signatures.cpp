//===- Signatures.cpp -------------------------------------------------------===//
#include "passes/signatures/Signatures.h"

#include "passes/lower/BuiltinNames.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace wspasses {

namespace {

cl::opt<std::string> SignatureFile("warpscope-signatures", cl::value_desc("file"),
                                   cl::desc("Write the parameters of kernels as JSON"));

StringRef nameOf(unsigned Space) {
  static constexpr const char *Names[] = {"private", "global", "constant", "local", "generic"};
  return Space <= GenericSpace ? Names[Space] : "private";
}

/// Operand `Index` of a kernel's argument metadata.
const Metadata *argumentMetadata(const Function &F, StringRef Key, unsigned Index) {
  const MDNode *Node = F.getMetadata(Key);
  return Node && Index < Node->getNumOperands() ? Node->getOperand(Index).get() : nullptr;
}

/// "const __global float4 *restrict" of "float4*" and "restrict const": as clang writes it.
std::string pointerText(StringRef Pointee, StringRef Qualifiers, unsigned Space) {
  const std::string Prefix = ("__" + nameOf(Space) + " ").str();
  std::string Text = Qualifiers.contains("const") && Space != ConstantSpace ? "const " : "";
  Text += Qualifiers.contains("volatile") ? "volatile " : "";
  Text += Space == PrivateSpace || Pointee.startswith(Prefix) ? "" : Prefix;
  Text += Pointee;
  Text += Pointee.endswith("*") ? "*" : " *";
  return Text + (Qualifiers.contains("restrict") ? "restrict" : "");
}

/// Size of the value, or of what is pointed to; 0 if nobody knows it.
uint64_t bytesOf(const Argument &A, const ParameterType &Type) {
  llvm::Type *Value = A.getType();
  if (A.hasByValAttr())
    Value = A.getParamByValType();
  else if (Type.IsPointer && Value->isPointerTy() && !Value->isOpaquePointerTy())
    Value = Value->getNonOpaquePointerElementType();
  if (Type.Element == "void" || !Value->isSized())
    return 0;
  return A.getParent()->getParent()->getDataLayout().getTypeAllocSize(Value);
}

/// Reads "float __attribute__((ext_vector_type(4)))*", without typedefs.
ParameterType typeOf(const Argument &A) {
  const Function &F = *A.getParent();
  const unsigned Index = A.getArgNo();
  const std::string Base = argumentText(F, "kernel_arg_base_type", Index);
  const std::string Written = argumentText(F, "kernel_arg_type", Index);
  const std::string Qualifiers = argumentText(F, "kernel_arg_type_qual", Index);
  StringRef Element = Base, Pointee = Written;
  ParameterType Type;
  Type.IsPointer = Element.consume_back("*");
  Type.IsStruct = A.hasByValAttr();
  if (auto [Scalar, Width] = Element.split(" __attribute__((ext_vector_type("); !Width.empty()) {
    Element = Scalar;
    Width.consumeInteger(10, Type.VectorWidth);
  }
  Type.Element = Element.str();
  if (Type.IsPointer) {
    Pointee.consume_back("*");
    const unsigned Space = argumentSpace(F, Index);
    Type.Text = pointerText(Pointee, Qualifiers, Space);
    Type.IsConst = StringRef(Qualifiers).contains("const") && Space != ConstantSpace; // implied
    Type.IsVolatile = StringRef(Qualifiers).contains("volatile");
    Type.IsRestrict = StringRef(Qualifiers).contains("restrict");
  } else {
    const std::string Access = argumentText(F, "kernel_arg_access_qual", Index);
    Type.Text = (Access.empty() || Access == "none" ? "" : "__" + Access + " ") + Written;
  }
  Type.Bytes = bytesOf(A, Type);
  return Type;
}

StringRef kindOf(const Argument &A, const ParameterType &Type, unsigned Space) {
  if (argumentText(*A.getParent(), "kernel_arg_type_qual", A.getArgNo()) == "pipe")
    return "pipe";
  if (Type.IsPointer)
    return Space == LocalSpace ? "local" : "buffer";
  if (Type.Element == "sampler_t")
    return "sampler";
  const StringRef Element = Type.Element;
  if (Element.startswith("image") && Element.endswith("_t") && A.getType()->isPointerTy())
    return "image";
  return Type.IsStruct ? "struct" : "value";
}

json::Value requiredWorkGroup(const Function &F) {
  const MDNode *Size = F.getMetadata("reqd_work_group_size");
  if (!Size)
    return nullptr;
  json::Array Sizes;
  for (const MDOperand &Operand : Size->operands())
    Sizes.push_back(mdconst::extract<ConstantInt>(Operand)->getZExtValue());
  return Sizes;
}

json::Object describe(const Function &F) {
  json::Array Parameters;
  for (const Argument &A : F.args()) {
    const ParameterType Type = typeOf(A);
    const unsigned Space = Type.IsPointer ? argumentSpace(F, A.getArgNo()) : unsigned{PrivateSpace};
    Parameters.push_back(toJson(Type, argumentText(F, "kernel_arg_name", A.getArgNo()),
                                kindOf(A, Type, Space), Space));
  }
  const DISubprogram *Subprogram = F.getSubprogram();
  return json::Object{{"name", F.getName()},
                      {"line", Subprogram ? Subprogram->getLine() : 0},
                      {"parameters", std::move(Parameters)},
                      {"reqd_work_group_size", requiredWorkGroup(F)}};
}

} // namespace

std::string argumentText(const Function &F, StringRef Key, unsigned Index) {
  const auto *Text = dyn_cast_or_null<MDString>(argumentMetadata(F, Key, Index));
  return Text ? Text->getString().str() : "";
}

unsigned argumentSpace(const Function &F, unsigned Index) {
  const auto *Node =
      dyn_cast_or_null<ConstantAsMetadata>(argumentMetadata(F, "kernel_arg_addr_space", Index));
  if (!Node)
    return PrivateSpace;
  return cast<ConstantInt>(Node->getValue())->getZExtValue();
}

json::Object toJson(const ParameterType &Type, StringRef Name, StringRef Kind, unsigned Space) {
  return json::Object{{"name", Name.str()},
                      {"type", Type.Text},
                      {"kind", Kind},
                      {"pointer", Type.IsPointer},
                      {"address_space", nameOf(Space)},
                      {"element", Type.Element},
                      {"vector_width", Type.VectorWidth},
                      {"bytes", Type.Bytes},
                      {"const", Type.IsConst},
                      {"volatile", Type.IsVolatile},
                      {"restrict", Type.IsRestrict}};
}

void writeSignatures(json::Object Signatures) {
  if (SignatureFile.empty())
    return;
  std::error_code Error;
  raw_fd_ostream Out(SignatureFile, Error);
  if (Error)
    report_fatal_error(Twine(SignatureFile) + ": cannot write: " + Error.message());
  Out << formatv("{0:2}\n", json::Value(std::move(Signatures)));
}

PreservedAnalyses SignaturesPass::run(Module &M, ModuleAnalysisManager &) {
  json::Array Kernels;
  for (const Function &F : M)
    if (!F.isDeclaration() && F.getCallingConv() == CallingConv::SPIR_KERNEL)
      Kernels.push_back(describe(F));
  writeSignatures(json::Object{{"kernels", std::move(Kernels)}});
  return PreservedAnalyses::all();
}

} // namespace wspasses
