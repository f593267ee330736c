//===- CudaTypes.cpp --------------------------------------------------------===//
#include "passes/cuda/CudaTypes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;

namespace wspasses {

namespace {

/// Looks through typedefs and qualifiers, and remembers the latter.
const DIType *unqualified(const DIType *Type, bool &IsConst, bool &IsVolatile, bool &IsRestrict) {
  while (const auto *Derived = dyn_cast_or_null<DIDerivedType>(Type)) {
    if (Derived->getTag() == dwarf::DW_TAG_const_type)
      IsConst = true;
    else if (Derived->getTag() == dwarf::DW_TAG_volatile_type)
      IsVolatile = true;
    else if (Derived->getTag() == dwarf::DW_TAG_restrict_type)
      IsRestrict = true;
    else if (Derived->getTag() != dwarf::DW_TAG_typedef)
      break;
    Type = Derived->getBaseType();
  }
  return Type;
}

const DIType *unqualified(const DIType *Type) {
  bool Ignored = false;
  return unqualified(Type, Ignored, Ignored, Ignored);
}

/// OpenCL's name of a basic type: CUDA's long long and long are both "long".
std::string basicName(const DIBasicType &Basic) {
  const uint64_t Bytes = Basic.getSizeInBits() / 8;
  const StringRef Integer = Bytes == 1   ? "char"
                            : Bytes == 2 ? "short"
                            : Bytes == 4 ? "int"
                                         : "long";
  switch (Basic.getEncoding()) {
  case dwarf::DW_ATE_float:
    return Bytes == 2 ? "half" : Bytes == 4 ? "float" : "double";
  case dwarf::DW_ATE_boolean:
    return "uchar";
  case dwarf::DW_ATE_unsigned:
  case dwarf::DW_ATE_unsigned_char:
  case dwarf::DW_ATE_UTF:
    return ("u" + Integer).str();
  default:
    return Integer.str();
  }
}

/// Members of a struct that are data.
SmallVector<const DIDerivedType *, 4> membersOf(const DICompositeType &Struct) {
  SmallVector<const DIDerivedType *, 4> Members;
  for (const DINode *Element : Struct.getElements())
    if (const auto *Member = dyn_cast<DIDerivedType>(Element);
        Member && Member->getTag() == dwarf::DW_TAG_member && !Member->isStaticMember())
      Members.push_back(Member);
  return Members;
}

/// float4 and its relatives are structs of x, y, z, w; any struct so named and built counts.
unsigned vectorWidth(const DICompositeType &Struct, std::string &Element) {
  StringRef Name = Struct.getName();
  const auto Members = membersOf(Struct);
  if (Name.empty() || !isDigit(Name.back()) || Members.size() != unsigned(Name.back() - '0') ||
      Members.empty() || Members.size() > 4)
    return 0;
  for (size_t I = 0; I < Members.size(); ++I)
    if (Members[I]->getName() != StringRef("xyzw").substr(I, 1) ||
        !isa_and_nonnull<DIBasicType>(unqualified(Members[I]->getBaseType())))
      return 0;
  Element = basicName(*cast<DIBasicType>(unqualified(Members[0]->getBaseType())));
  return Members.size();
}

std::string textOf(const DIType *Type) {
  if (!Type)
    return "void";
  if (const auto *Derived = dyn_cast<DIDerivedType>(Type)) {
    const std::string Base =
        Derived->getTag() == dwarf::DW_TAG_typedef ? "" : textOf(Derived->getBaseType());
    switch (Derived->getTag()) {
    case dwarf::DW_TAG_pointer_type:
      return Base + (StringRef(Base).endswith("*") ? "*" : " *");
    case dwarf::DW_TAG_reference_type:
      return Base + " &";
    case dwarf::DW_TAG_const_type:
      return StringRef(Base).endswith("*") ? Base + " const" : "const " + Base;
    case dwarf::DW_TAG_volatile_type:
      return StringRef(Base).endswith("*") ? Base + " volatile" : "volatile " + Base;
    case dwarf::DW_TAG_restrict_type:
      return Base + " __restrict__";
    default:
      return Derived->getName().str();
    }
  }
  return Type->getName().empty() ? "(unnamed)" : Type->getName().str();
}

/// Fills in the element: of a value, or of what is pointed to.
void describeElement(const DIType *Type, ParameterType &Result) {
  Type = unqualified(Type, Result.IsConst, Result.IsVolatile, Result.IsRestrict);
  if (!Type)
    return;
  Result.Bytes = Type->getSizeInBits() / 8;
  Result.Element = textOf(Type);
  if (const auto *Basic = dyn_cast<DIBasicType>(Type)) {
    Result.Element = basicName(*Basic);
  } else if (const auto *Composite = dyn_cast<DICompositeType>(Type)) {
    if (Composite->getTag() == dwarf::DW_TAG_enumeration_type) {
      Result.Element = Result.Bytes == 4 ? "int" : Result.Bytes == 1 ? "char" : "long";
    } else if (unsigned Width = vectorWidth(*Composite, Result.Element)) {
      Result.VectorWidth = Width;
    } else {
      Result.IsStruct = true;
    }
  }
}

/// Takes a struct apart.
class Flattening {
public:
  Flattening(Type *InMemory, const DataLayout &Layout) : InMemory(InMemory), Layout(Layout) {}

  /// False if something in it has no fixed type and place.
  bool add(const DIType *Type, const std::string &Name, uint64_t Offset) {
    const DIType *Plain = unqualified(Type);
    if (!Plain)
      return false;
    const auto *Composite = dyn_cast<DICompositeType>(Plain);
    switch (Composite ? Composite->getTag() : dwarf::DW_TAG_base_type) {
    case dwarf::DW_TAG_structure_type:
    case dwarf::DW_TAG_class_type:
      return all_of(Composite->getElements(),
                    [&](const DINode *Element) { return addMember(*Element, Name, Offset); });
    case dwarf::DW_TAG_array_type:
      return addArray(*Composite, Name, Offset);
    case dwarf::DW_TAG_base_type:
    case dwarf::DW_TAG_enumeration_type:
      return addLeaf(Type, *Plain, Name, Offset);
    default:
      return false;
    }
  }

  std::vector<FlatField> Fields;
  bool HasPointer = false, HasArray = false;

private:
  static constexpr size_t MaxFields = 64;

  bool addMember(const DINode &Element, const std::string &Name, uint64_t Offset) {
    const auto *Member = dyn_cast<DIDerivedType>(&Element);
    if (!Member) // a member function
      return true;
    const bool IsBase = Member->getTag() == dwarf::DW_TAG_inheritance;
    if (!IsBase && Member->getTag() != dwarf::DW_TAG_member)
      return true;
    if (Member->isStaticMember())
      return true;
    if (Member->isBitField() || Member->isVirtual() || Member->isArtificial())
      return false;
    return add(Member->getBaseType(), IsBase ? Name : Name + "." + Member->getName().str(),
               Offset + Member->getOffsetInBits() / 8);
  }

  bool addArray(const DICompositeType &Array, const std::string &Name, uint64_t Offset) {
    HasArray = true;
    const DIType *Element = unqualified(Array.getBaseType());
    if (!Element || Element->getSizeInBits() == 0 || Array.getElements().size() != 1)
      return false;
    const uint64_t Count = Array.getSizeInBits() / Element->getSizeInBits();
    for (uint64_t I = 0; I < Count && I <= MaxFields; ++I)
      if (!add(Array.getBaseType(), Name + "[" + std::to_string(I) + "]",
               Offset + I * Element->getSizeInBits() / 8))
        return false;
    return true;
  }

  bool addLeaf(const DIType *Type, const DIType &Plain, const std::string &Name, uint64_t Offset) {
    llvm::Type *Leaf = leafAt(Offset);
    if (!Leaf || Fields.size() == MaxFields ||
        Layout.getTypeAllocSize(Leaf) * 8 != Plain.getSizeInBits())
      return false;
    HasPointer |= Leaf->isPointerTy();
    Fields.push_back({Name, Type, Offset, Leaf});
    return true;
  }

  llvm::Type *leafAt(uint64_t Offset) const {
    llvm::Type *T = InMemory;
    while (T->isAggregateType()) {
      if (auto *Struct = dyn_cast<StructType>(T)) {
        const StructLayout *Places = Layout.getStructLayout(Struct);
        if (Offset >= Places->getSizeInBytes())
          return nullptr;
        const unsigned Index = Places->getElementContainingOffset(Offset);
        Offset -= Places->getElementOffset(Index);
        T = Struct->getElementType(Index);
      } else {
        T = T->getArrayElementType();
        Offset %= Layout.getTypeAllocSize(T);
      }
    }
    return Offset == 0 ? T : nullptr;
  }

  llvm::Type *InMemory;
  const DataLayout &Layout;
};

} // namespace

Optional<std::vector<FlatField>> flattenStruct(const DIType *Type, StringRef Name,
                                               llvm::Type *InMemory, const DataLayout &Layout) {
  Flattening Parts(InMemory, Layout);
  if (!Parts.add(Type, Name.str(), 0) || (Parts.HasArray && !Parts.HasPointer))
    return None;
  return std::move(Parts.Fields);
}

ParameterType parameterType(const DIType *Type) {
  ParameterType Result;
  Result.Text = textOf(Type);
  bool Ignored = false;
  const DIType *Plain = unqualified(Type, Ignored, Ignored, Result.IsRestrict);
  const auto *Pointer = dyn_cast_or_null<DIDerivedType>(Plain);
  Result.IsPointer = Pointer && (Pointer->getTag() == dwarf::DW_TAG_pointer_type ||
                                 Pointer->getTag() == dwarf::DW_TAG_reference_type);
  if (Result.IsPointer && isa_and_nonnull<DISubroutineType>(unqualified(Pointer->getBaseType()))) {
    Result.IsPointer = false; // the number of a function (CudaCalls.cpp)
    Result.Element = "ulong";
    Result.Bytes = Pointer->getSizeInBits() / 8;
    return Result;
  }
  bool KeepRestrict = Result.IsRestrict;
  describeElement(Result.IsPointer ? Pointer->getBaseType() : Plain, Result);
  Result.IsRestrict = KeepRestrict;
  return Result;
}

ParameterType pointerTo(const DIType *Variable) {
  ParameterType Result;
  const DIType *Element =
      unqualified(Variable, Result.IsConst, Result.IsVolatile, Result.IsRestrict);
  while (const auto *Array = dyn_cast_or_null<DICompositeType>(Element)) {
    if (Array->getTag() != dwarf::DW_TAG_array_type)
      break;
    Element = Array->getBaseType();
  }
  describeElement(Element, Result);
  Result.IsPointer = true;
  Result.Text = textOf(Element) + " *";
  return Result;
}

} // namespace wspasses
