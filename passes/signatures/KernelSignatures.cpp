//===- KernelSignatures.cpp - which kernels a file has, and their parameters --===//
//
// kernel-signatures FILE.cl [-- build options]: JSON on standard output. Exit status 2 with Clang's
// own messages if the file does not compile. A program of its own because Clang's libraries must
// not be loaded into traced programs.
//
//===----------------------------------------------------------------------===//
#include <memory>
#include <string>
#include <vector>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;
namespace json = llvm::json;

namespace {

constexpr int ExitBadInput = 2;

const char *nameOf(LangAS Space) {
  switch (Space) {
  case LangAS::opencl_global:
  case LangAS::opencl_global_device:
  case LangAS::opencl_global_host:
    return "global";
  case LangAS::opencl_constant:
    return "constant";
  case LangAS::opencl_local:
    return "local";
  case LangAS::opencl_generic:
    return "generic";
  default:
    return "private";
  }
}

/// OpenCL's name of a scalar ("uint", not "unsigned int"); Clang's spelling for anything else.
std::string scalarName(QualType Type, const PrintingPolicy &Policy) {
  if (const auto *Builtin = Type->getAs<BuiltinType>())
    switch (Builtin->getKind()) {
    case BuiltinType::UChar:
      return "uchar";
    case BuiltinType::UShort:
      return "ushort";
    case BuiltinType::UInt:
      return "uint";
    case BuiltinType::ULong:
      return "ulong";
    default:
      break;
    }
  return Type.getUnqualifiedType().getAsString(Policy);
}

/// buffer: pointer to global or constant memory; local: its size is set by the host; image,
/// sampler, value, struct.
const char *kindOf(QualType Type) {
  if (Type->isPointerType())
    return Type->getPointeeType().getAddressSpace() == LangAS::opencl_local ? "local" : "buffer";
  if (Type->isImageType())
    return "image";
  if (Type->isSamplerT())
    return "sampler";
  return Type->isRecordType() ? "struct" : "value";
}

json::Object describeParameter(const ParmVarDecl &Parameter, ASTContext &Context) {
  const PrintingPolicy &Policy = Context.getPrintingPolicy();
  const QualType Type = Parameter.getType();
  const bool IsPointer = Type->isPointerType();
  const QualType Pointee = (IsPointer ? Type->getPointeeType() : Type).getCanonicalType();
  const auto *Vector = Pointee->getAs<VectorType>();
  const QualType Element = Vector ? Vector->getElementType().getCanonicalType() : Pointee;
  json::Object Result;
  Result["name"] = Parameter.getNameAsString();
  // Every variable is in some address space; that of the parameter itself says nothing.
  Result["type"] = Context.removeAddrSpaceQualType(Type).getAsString(Policy);
  Result["kind"] = kindOf(Type);
  Result["pointer"] = IsPointer;
  Result["address_space"] = IsPointer ? nameOf(Pointee.getAddressSpace()) : "private";
  Result["element"] = scalarName(Element, Policy);
  Result["vector_width"] = Vector ? static_cast<int64_t>(Vector->getNumElements()) : 1;
  Result["bytes"] =
      Pointee->isIncompleteType() ? 0 : Context.getTypeSizeInChars(Pointee).getQuantity();
  Result["const"] = Pointee.isConstQualified();
  Result["volatile"] = Pointee.isVolatileQualified();
  Result["restrict"] = Type.isRestrictQualified();
  return Result;
}

/// Finds a kernel's variables in local memory.
class LocalVariables : public RecursiveASTVisitor<LocalVariables> {
public:
  explicit LocalVariables(const ASTContext &Context) : Context(Context) {}
  bool VisitVarDecl(VarDecl *Variable) {
    if (Variable->getType().getAddressSpace() == LangAS::opencl_local)
      Found.push_back(
          json::Object{{"name", Variable->getNameAsString()},
                       {"type", Variable->getType().getAsString(Context.getPrintingPolicy())},
                       {"bytes", Context.getTypeSizeInChars(Variable->getType()).getQuantity()}});
    return true;
  }
  json::Array Found;

private:
  const ASTContext &Context;
};

json::Object describeKernel(FunctionDecl &Kernel, ASTContext &Context) {
  json::Array Parameters;
  for (const ParmVarDecl *Parameter : Kernel.parameters())
    Parameters.push_back(describeParameter(*Parameter, Context));
  LocalVariables Locals(Context);
  Locals.TraverseStmt(Kernel.getBody());
  json::Object Result;
  Result["name"] = Kernel.getNameAsString();
  Result["line"] = Context.getSourceManager().getPresumedLineNumber(Kernel.getLocation());
  Result["parameters"] = std::move(Parameters);
  Result["locals"] = std::move(Locals.Found);
  Result["reqd_work_group_size"] = nullptr;
  if (const auto *Size = Kernel.getAttr<ReqdWorkGroupSizeAttr>())
    Result["reqd_work_group_size"] = json::Array{Size->getXDim(), Size->getYDim(), Size->getZDim()};
  return Result;
}

class KernelConsumer : public ASTConsumer {
public:
  explicit KernelConsumer(json::Array &Kernels) : Kernels(Kernels) {}
  void HandleTranslationUnit(ASTContext &Context) override {
    for (Decl *D : Context.getTranslationUnitDecl()->decls())
      if (auto *Function = dyn_cast<FunctionDecl>(D); Function &&
                                                      Function->hasAttr<OpenCLKernelAttr>() &&
                                                      Function->isThisDeclarationADefinition())
        Kernels.push_back(describeKernel(*Function, Context));
  }

private:
  json::Array &Kernels;
};

class SignatureAction : public ASTFrontendAction {
public:
  explicit SignatureAction(json::Array &Kernels) : Kernels(Kernels) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &, llvm::StringRef) override {
    return std::make_unique<KernelConsumer>(Kernels);
  }

private:
  json::Array &Kernels;
};

int usage() {
  llvm::errs() << "kernel-signatures: expected one file; use: kernel-signatures FILE.cl [-- build "
                  "options]; see --help\n";
  return ExitBadInput;
}

int help() {
  llvm::outs()
      << "Usage: kernel-signatures FILE.cl [-- build options]\n"
         "The kernels of an OpenCL C file as JSON: name, line, required work-group size,\n"
         "and of every parameter name, type, address space and size. Build options as for\n"
         "the compiler, such as -DN=4. Exit status 2 with Clang's messages if the file\n"
         "does not compile.\n\n"
         "Examples:\n"
         "  kernel-signatures mm.cl\n"
         "  kernel-signatures mm.cl -- -DTILE=16\n"
         "  kernel-signatures mm.cl -- -I include -cl-std=CL1.1\n";
  return 0;
}

std::vector<std::string> compilerOptions(llvm::ArrayRef<const char *> UserOptions) {
  std::vector<std::string> Options{"-x",
                                   "cl",
                                   "-cl-std=CL1.2",
                                   "-target",
                                   "spir64-unknown-unknown",
                                   "-Xclang",
                                   "-finclude-default-header",
                                   "-resource-dir",
                                   WARPSCOPE_CLANG_RESOURCES,
                                   "-D__OPENCL_VERSION__=300",
                                   "-fno-color-diagnostics"};
  Options.insert(Options.end(), UserOptions.begin(), UserOptions.end());
  return Options;
}

} // namespace

int main(int Count, const char **Values) {
  llvm::ArrayRef<const char *> Arguments(Values + 1, Count - 1);
  if (!Arguments.empty() &&
      (llvm::StringRef(Arguments[0]) == "--help" || llvm::StringRef(Arguments[0]) == "-h"))
    return help();
  if (Arguments.empty() || llvm::StringRef(Arguments[0]).startswith("-") ||
      (Arguments.size() > 1 && llvm::StringRef(Arguments[1]) != "--"))
    return usage();
  const std::string Path = Arguments[0];
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer) {
    llvm::errs() << Path << ": " << Buffer.getError().message() << ", expected an OpenCL C file\n";
    return ExitBadInput;
  }
  json::Array Kernels;
  const bool Good = tooling::runToolOnCodeWithArgs(
      std::make_unique<SignatureAction>(Kernels), (*Buffer)->getBuffer(),
      compilerOptions(Arguments.drop_front(Arguments.size() > 1 ? 2 : 1)), Path,
      "kernel-signatures");
  if (!Good)
    return ExitBadInput;
  llvm::outs() << llvm::formatv("{0:2}", json::Value(json::Object{{"kernels", std::move(Kernels)}}))
               << "\n";
  return 0;
}
