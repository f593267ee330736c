"""Changes of a layout that rules propose: where the bytes of an object go."""
import re
import subprocess

from warpscope.base import toolchain
from warpscope.explore.advice import patterns
from warpscope.explore.advice.proposal import EXACT, MODELLED, Proposal, Rule
from warpscope.explore.whatif.question import Changes
from warpscope.run.request import LayoutChange

LINE = 128                 # bytes
WIDEST = 64                # bytes between lanes up to which their neighbouring loads may become wide ones
LEAST_ROW = 64             # bytes; shorter rows are taken for structures
_ROW = re.compile(r"rows of (\d+) elements of (\d+) bytes become")
RULES = (
    Rule(
        "bank-conflicts",
        "wavefronts of local memory beyond one a pass",
        "`--pad` by one element, `--swizzle`, `--split`",
        "",
        "lanes of a request want different words of one bank of local memory",
        "pad or swizzle the rows of {object}",
        "{padded} or {object}[row][column ^ row]", "{padded} or {object}[row][column ^ row]", "bank-conflicts",
        "rtx3090/convolution: 3 tiles with and without padding (p0, p1); gb10/transpose_tile_load → transpose_tile_padded"),
    Rule(
        "column-wise",
        "neighbouring lanes a regular distance apart: rows",
        "`--transpose`, `--split`",
        "column-wise",
        "neighbouring lanes are one row apart: the warp walks down a column",
        "{walk}",
        "{swap}or: tile[ly][lx] = {object}[row]; barrier(CLK_LOCAL_MEM_FENCE); … tile[lx][ly]",
        "{swap}or: tile[ty][tx] = {object}[row]; __syncthreads(); … tile[tx][ty]", "coalescing",
        "rtx3070/column_sums, row_sums; rtx3070/transpose_strided_load, transpose_tile_load; a100/sgemm_uncoalesced → sgemm_coalesced"),
    Rule(
        "array-of-structures",
        "the same, at most 64 bytes, or several accesses at one distance up to 256",
        "`--split`, `--transpose`",
        "array of structures",
        "neighbouring lanes are one structure apart, and each access takes one field of it",
        "one array per field",
        "{split}", "{split}; or load whole elements through __shared__", "sectors"),
    Rule(
        "wide-loads",
        "a work-item loads neighbours one by one, lanes at most 64 bytes apart",
        "`--widen` at the source line",
        "narrow neighbouring loads",
        "a work-item loads neighbouring elements one by one",
        "load them at once ({at_once})",
        "{vector} v = vload{wide}(0, {object} + {wide} * i); or a __global {vector} *{object}", "{vector} v = reinterpret_cast<const {vector}*>({object})[i];",
        "sectors", "a6000/softmax_online → softmax_online_float4; a6000/softmax_shared_row → softmax_shared_row_float4"),
    Rule(
        "misaligned-base",
        "neighbouring lanes side by side, all requests begin at one place of a line",
        "`--align` to 128 bytes",
        "misaligned base",
        "lanes read neighbouring elements, and each request starts in the middle of a transaction",
        "align {object} to 128 bytes",
        "sub-buffers and offsets in multiples of 128 bytes; pad the header in front of the data",
        "cudaMalloc aligns to 256 bytes: shift the pointer by multiples of 128 bytes; pad the header in front of the data", "coalescing"),
    Rule(
        "misaligned-rows",
        "the same, at several places",
        "`--pitch` to a multiple of 128 bytes",
        "misaligned rows",
        "rows are no multiple of 128 bytes, so most of them start in the middle of a transaction",
        "round its pitch up to 128 bytes",
        "allocate rows of a multiple of {line} elements and index {object}[y * pitch + x]",
        "cudaMallocPitch(&{object}, &pitch, width * sizeof({type}), height), then {object}[y * (pitch / sizeof({type})) + x]", "coalescing"),
    Rule(
        "set-conflicts",
        "conflict misses",
        "`--pitch` from a power of two, else `--pad`, by a line",
        "",
        "rows are a power of two apart, so that a column falls into few sets of the L1",
        "pad its rows by a line",
        "allocate {object} with a pitch of width + {line} elements", "cudaMalloc with a pitch of width + {line} elements", "miss-classes",
        "gt630/matrix_sum, gtxtitan/matrix_sum (sizes around powers of two)"),
    Rule(
        "group-order",
        "capacity misses, or data that the L1s together fetch twice and more; work-groups in two dimensions",
        "`--groups tile:2x2`, `4x4`, `8x8`, `morton`",
        "reuse lost to the order of work-groups",
        "work-groups that share data run too far from each other in time",
        "start the work-groups tile by tile",
        "compute the tile from get_group_id(0) + get_group_id(1) * get_num_groups(0) instead of using the ids as they are",
        "compute the tile from blockIdx.x + blockIdx.y * gridDim.x instead of using blockIdx as it is", "warp-order"),
    Rule(
        "streams-evict",
        "capacity misses next to loads that are only missed once",
        "`--bypass` of those",
        "evicted by what is read once",
        "data that is read once takes the place of data that is read again",
        "keep {object} out of the L1",
        "no portable way: a vendor's builtin for streaming loads (volatile also keeps the compiler from moving them)", "__ldcg(&{object}[i]) or __ldcs(&{object}[i])",
        "miss-classes"),
    Rule(
        "stores-allocate",
        "the same next to stores, on GPUs where a store that misses takes a line (RTX 3080, RTX A6000)",
        "`--bypass` of what is stored",
        "evicted by what is stored",
        "stores take the place of data that is read again",
        "keep stores to {object} out of the L1",
        "__builtin_nontemporal_store(value, &{object}[i]), where the vendor's compiler has it", "__stcg(&{object}[i], value)", "miss-classes"),
    Rule(
        "stores-evict",
        "stores remove lines of structures",
        "`--split`",
        "",
        "stores remove lines of the L1 that other fields of the same structures are loaded from",
        "stored fields in their own array",
        "two arrays, {object}_in and {object}_out, instead of one of structures", "two arrays, {object}_in and {object}_out, instead of one of structures",
        "miss-classes"),
)


def _layout(kind, value):
    """One change of the layout alone."""
    return Changes((LayoutChange(kind, value),))


def row_of(case, name):
    """(elements of a row, bytes of an element) of an object as trace-change finds them; None where it finds none."""
    done = subprocess.run(toolchain.command("trace-change", case.capture, "--pad", f"{name}=+1", "-o", "/dev/null"),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    found = _ROW.search(done.stdout)
    return (int(found[1]), int(found[2])) if done.returncode == 0 and found else None


def bank_conflicts(case, finding):
    """Longer rows, or rows whose pieces are exchanged, of an array in local memory; an array of structures by its fields."""
    name = case.object_of(finding.access)
    if name is None:
        return []
    changes = [LayoutChange("pad", f"{name}=+1")]
    if row := case.row(name):
        elements, size = row
        if elements * size in (128, 256, 512, 1024) or elements & (elements - 1) == 0:
            changes.append(LayoutChange("swizzle", f"{name}={elements * size}"))
        if elements <= 16:
            changes.append(LayoutChange("split", f"{name}={elements * size}"))
    return [Proposal("bank-conflicts", finding, Changes((change,))) for change in changes]


def _matrix(case, access, row_bytes, element):
    """ROWSxCOLS:ELEMBYTES of a buffer whose rows have so many bytes; None where it does not consist of such rows."""
    size = case.size_of(access)
    if not size or row_bytes <= 0 or row_bytes % element or size % row_bytes or size // row_bytes < 2:
        return None
    return f"{size // row_bytes}x{row_bytes // element}:{element}"


def _is_structure(case, access, stride):
    """Whether lanes that far apart rather walk an array of structures than a column: close together, or several source accesses do. A
    work-item that goes on to the next element walks along a row of its own."""
    pattern = case.pattern(access)
    if pattern.step is not None and abs(pattern.step) == max(access.width, 1) < stride:
        return False
    if stride <= LEAST_ROW:
        return True
    others = [other for other in case.others_of(access) if (found := case.pattern(other)) and found.stride and abs(found.stride) == stride]
    return len(others) > 1 and stride <= patterns.MOST_STRUCT


def _strided(case, finding, name, pattern):
    """Lanes that are regularly apart: the fields of structures, or a column of a matrix."""
    width, stride = max(finding.access.width, 1), abs(pattern.stride)
    split = Proposal("array-of-structures", finding, _layout("split", f"{name}={stride}"))
    proposals = [split] if stride % width == 0 and stride <= 4 * patterns.MOST_STRUCT else []
    if finding.access.kind == "load" and finding.access.line and finding.access.file and stride <= WIDEST:
        proposals.append(Proposal("wide-loads", finding, _layout("widen", f"{finding.access.file}:{finding.access.line}")))
    if matrix := _matrix(case, finding.access, stride, width):
        column = Proposal("column-wise", finding, _layout("transpose", f"{name}={matrix}"))
        proposals.insert(len(proposals) if _is_structure(case, finding.access, stride) else 0, column)
    return proposals


def _misaligned(case, finding, name, pattern):
    """Neighbouring lanes at neighbouring elements, in a request that does not start where a transaction does."""
    proposals = []
    if all(start % case.unit_bytes == 0 for start in pattern.starts):
        return []  # a warp that spans rows
    if pattern.same_start:
        proposals.append(Proposal("misaligned-base", finding, _layout("align", f"{name}={LINE}")))
    elif row := case.row(name):
        elements, size = row
        whole = -(-elements * size // LINE) * LINE
        if whole != elements * size:
            pitch = LayoutChange("pitch", f"{name}={elements}:{whole // size}")
            proposals.append(Proposal("misaligned-rows", finding, Changes((pitch,))))
            proposals.append(Proposal("misaligned-rows", finding, Changes((pitch, LayoutChange("align", f"{name}={LINE}")))))
        else:
            proposals.append(Proposal("misaligned-base", finding, _layout("align", f"{name}={LINE}")))
    return proposals


def uncoalesced(case, finding):
    """By what a sample says: structures, columns, misaligned bases and rows. Scattered accesses have no layout that helps."""
    name, pattern = case.object_of(finding.access), case.pattern(finding.access)
    if name is None or pattern is None or not pattern.is_regular:
        return []
    width = max(finding.access.width, 1)
    if abs(pattern.stride) == width:
        return _misaligned(case, finding, name, pattern)
    return _strided(case, finding, name, pattern) if abs(pattern.stride) > width else []


def set_conflicts(case, finding):
    """Rows that are longer by a line, so that they start in another set: rows that are a power of two apart in a warp, else those found."""
    name, pattern = case.object_of(finding.access), case.pattern(finding.access)
    width = max(finding.access.width, 1)
    if name is None:
        return []
    if pattern and pattern.jump and pattern.jump & (pattern.jump - 1) == 0 and pattern.jump % width == 0:
        old = pattern.jump // width
        return [Proposal("set-conflicts", finding, _layout("pitch", f"{name}={old}:{old + LINE // width}"), MODELLED)]
    row = case.row(name)
    return [Proposal("set-conflicts", finding, _layout("pad", f"{name}=+{max(1, LINE // row[1])}"), MODELLED)] if row else []


def group_order(case, finding):
    """Another order of work-groups."""
    x, y, *_ = [*case.grid(finding.kernel), 1]
    if x == 1 or y == 1:
        return []
    orders = [f"tile:{side}x{side}" for side in (4, 2, 8) if side < x and side < y]
    return [Proposal("group-order", finding, _layout("groups", order), MODELLED) for order in [*orders, "morton"]]


def capacity(case, finding):
    """Another order of work-groups; and what is read once does not take the place of what is read again."""
    proposals = group_order(case, finding)
    own = set(finding.access.buffers)
    for other in case.streams():
        name = case.object_of(other)
        if name and not own & set(other.buffers):
            rule = "streams-evict" if other.kind == "load" else "stores-allocate"
            proposals.append(Proposal(rule, finding, _layout("bypass", name), MODELLED))
    return proposals


def invalidated(case, finding):
    """Stores remove the lines of what is loaded: fields that are stored go to an array of their own."""
    name, pattern = case.object_of(finding.access), case.pattern(finding.access)
    if name is None or pattern is None or not pattern.is_regular:
        return []
    stride, width = abs(pattern.stride), max(finding.access.width, 1)
    if stride > width and stride % width == 0 and stride <= 4 * patterns.MOST_STRUCT:
        return [Proposal("stores-evict", finding, _layout("split", f"{name}={stride}"), EXACT)]
    return []
