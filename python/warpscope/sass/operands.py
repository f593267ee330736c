"""How many 32-bit registers an operand of a machine instruction is.

Widths follow from names: `.64` and `.128` of memory instructions, double precision, `.WIDE`, and the shapes of matrix instructions, whose
fragments are those of the PTX ISA ("Matrix Fragments for mma"): lane by lane, rows × depth elements of A, depth × 8 of B, rows × 8 of C.
"""
import re

MEMORY = re.compile(r"(LD|ST|ATOM|RED(?!UX)|CCTL|SULD|SUST)")
SHAPE = re.compile(r"(16|8)8(\d+)")
LANES_BITS = 32 * 32  # of one register of all lanes
ELEMENT = {"HMMA": 16, "IMMA": 8, "QMMA": 8, "BMMA": 1, "DMMA": 64}
LONG = ("64", "U64", "S64", "F64")
DOUBLE = ("DADD", "DMUL", "DFMA", "DMNMX", "DSETP", "DSET")


def _of_matrix(name, kinds, place):
    """Registers of D (place 0), A, B, C."""
    shape = next((found for kind in kinds if (found := SHAPE.fullmatch(kind))), None)
    if name == "HMMA" and kinds[:1] == ["884"]:
        return 2  # Volta: each step has pairs
    if shape is None or place > 3:
        return 1
    rows, depth = int(shape[1]), int(shape[2])
    bits = 32 if "TF32" in kinds else 4 if {"S4", "U4"} & set(kinds) else ELEMENT[name]
    sums = 64 if name == "DMMA" else 16 if name in ("HMMA", "QMMA") and "F32" not in kinds else 32
    elements = {1: rows * depth // (2 if "SP" in kinds else 1), 2: depth * 8}
    return -(-(elements[place] * bits if place in elements else rows * 8 * sums) // LANES_BITS)


def _of_group(kinds, place):
    """HGMMA and its kin (Hopper): four warps multiply 64 rows; A may be in four registers of each."""
    columns = next((int(found[1]) for kind in kinds if (found := re.fullmatch(r"64x(\d+)x\d+", kind))), 8)
    return 4 if place == 1 else columns // (4 if "F16" in kinds and "F32" not in kinds else 2)


def _of_conversion(name, kinds, place):
    """F2F.F64.F32 has the result first; F2I.F64 and I2F.F64 name one side, the other is of 32 bits, or S64, U64."""
    types = [kind for kind in kinds if re.fullmatch(r"[FUS]\d+|BF16|TF32", kind)]
    if name == "F2F":
        own = types[:1] if place == 0 else types[1:2]
    elif (name == "F2I") == (place == 0):
        own = [kind for kind in types if not kind.startswith("F")]
    else:
        own = [kind for kind in types if kind.startswith("F")]
    return 2 if any(kind in LONG for kind in own) else 1


def _of_address(name, kinds, place, operand):
    """Global memory has 64 bits of address (.E), unless there is a uniform register with the rest."""
    is_global = name in ("LDG", "STG", "LD", "ST", "ATOM", "ATOMG", "RED") or name == "LDGSTS" and place > 1
    return 2 if is_global and "E" in kinds and "UR" not in operand and ".U32" not in operand else 1


def width(full_name, place, operand, register_suffixes):
    """32-bit registers of a register in the operand at `place`; 0 is the result, sources count from 1."""
    name, *kinds = full_name.split(".")
    if "64" in register_suffixes:
        return 2
    if MEMORY.match(name):
        if "[" in operand:
            return _of_address(name, kinds, place, operand)
        if name == "LDSM":
            return int(kinds[-1]) if kinds[-1] in ("2", "4") else 1
        return 4 if "128" in kinds else 3 if "96" in kinds else 2 if any(kind in kinds for kind in LONG) else 1
    if name in ELEMENT:
        return _of_matrix(name, kinds, place)
    if name.endswith("GMMA"):
        return _of_group(kinds, place)
    if name in DOUBLE:
        return 2
    if name in ("F2F", "F2I", "I2F", "FRND"):
        return 2 if name == "FRND" and "F64" in kinds else 1 if name == "FRND" else _of_conversion(name, kinds, place)
    if name in ("IMAD", "UIMAD") and "WIDE" in kinds:
        return 2 if place in (0, 3) else 1
    if name == "CS2R":
        return 1 if "32" in kinds else 2
    return 2 if name in ("IADD", "MOV", "ISETP", "LOP3") and "64" in kinds else 1
