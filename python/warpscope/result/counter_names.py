"""Hardware counters by our names: which metric of ncu or nvprof holds each, and reading what those profilers print.

Standard library only. Names of ncu's metrics: NVIDIA, Nsight Compute CLI, "nvprof metric comparison", and the memory
tables of its profiling guide; of nvprof's: CUDA profiler guide, metrics and events per compute capability. validation/hw-profile.md
defines every counter.
"""
import csv
import io
import re

from warpscope.base.errors import InputError


class Counter:
    """`ncu` and `nvprof` are sums of metrics ("a + b"), or None; events of nvprof are written event:NAME."""

    def __init__(self, name, unit, ncu, nvprof=None, note=""):
        self.name = name
        self.unit = unit
        self.ncu = ncu
        self.nvprof = nvprof or ()
        self.note = note

    def choices(self, profiler):
        """The sums that hold the counter, the best first; each a list of metrics."""
        given = self.ncu if profiler == "ncu" else self.nvprof
        given = (given,) if isinstance(given, str) else given
        return [text.split(" + ") for text in given or ()]


def _l1(ours, space, op, nvprof):
    """The counters of one kind of access to one memory space: requests, look-ups, sectors, hits, misses."""
    stem = f"pipe_lsu_mem_{space}_op_{op}"
    return [
        Counter(f"{ours}.requests", "warp accesses", f"l1tex__t_requests_{stem}.sum", nvprof.get("requests")),
        Counter(f"{ours}.tag_lookups", "look-ups", f"l1tex__t_set_accesses_{stem}.sum"),
        Counter(f"{ours}.sectors", "sectors", f"l1tex__t_sectors_{stem}.sum", nvprof.get("sectors")),
        Counter(f"{ours}.hits", "sectors", f"l1tex__t_sectors_{stem}_lookup_hit.sum", nvprof.get("hits")),
        Counter(f"{ours}.misses", "sectors", f"l1tex__t_sectors_{stem}_lookup_miss.sum", nvprof.get("misses")),
        Counter(f"{ours}.wavefronts", "wavefronts", f"l1tex__t_output_wavefronts_{stem}.sum"),
    ]


def _by_class(op):
    """Users report that compute capability 10.0 has only the second, which ncu counts by instrumenting the code."""
    return f"smsp__inst_executed_op_{op}.sum", f"smsp__sass_inst_executed_op_{op}.sum"


def _instructions(name, ncu, nvprof):
    return Counter(f"instructions.{name}", "warp instructions", _by_class(ncu), nvprof)


def _threads(name, nvprof):
    return Counter(f"thread_instructions.{name}", "thread instructions",
                   f"smsp__sass_thread_inst_executed_op_{name}_pred_on.sum", nvprof)


COUNTERS = [
    *_l1("load", "global", "ld", {"requests": ("global_load_requests", "event:gld_request"), "sectors": "gld_transactions"}),
    *_l1("store", "global", "st", {"requests": ("global_store_requests", "event:gst_request"), "sectors": "gst_transactions"}),
    *_l1("atomic", "global", "atom", {"requests": "global_atomic_requests"}),
    *_l1("reduction", "global", "red", {"requests": "global_reduction_requests"}),
    *_l1("private_load", "local", "ld", {"requests": "local_load_requests", "sectors": "local_load_transactions"}),
    *_l1("private_store", "local", "st", {"requests": "local_store_requests", "sectors": "local_store_transactions"}),
    # Before Maxwell the L1 counts lines of 128 bytes; one core is counted, so that these are not sums over the GPU.
    Counter("load.line_hits_of_one_core", "lines", None, "event:l1_global_load_hit"),
    Counter("load.line_misses_of_one_core", "lines", None, "event:l1_global_load_miss"),
    Counter("load.hit_rate_percent", "%", None, ("global_hit_rate", "l1_cache_global_hit_rate"),
            "loads; Maxwell and later count stores and atomics in"),
    Counter("l1.hit_rate_percent", "%", "l1tex__t_sector_hit_rate.pct", "tex_cache_hit_rate"),
    Counter("l1.read_sectors_from_l2", "sectors", "l1tex__m_xbar2l1tex_read_sectors.sum"),
    Counter("l1.write_sectors_to_l2", "sectors", "l1tex__m_l1tex2xbar_write_sectors.sum"),
    Counter("l2.reads", "sectors", "lts__t_sectors_op_read.sum", "l2_read_transactions"),
    Counter("l2.writes", "sectors", "lts__t_sectors_op_write.sum", "l2_write_transactions"),
    Counter("l2.reads_of_l1", "sectors", "lts__t_sectors_srcunit_tex_op_read.sum", "l2_tex_read_transactions"),
    Counter("l2.read_hits_of_l1", "sectors", "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum"),
    Counter("l2.writes_of_l1", "sectors", "lts__t_sectors_srcunit_tex_op_write.sum", "l2_tex_write_transactions"),
    Counter("l2.hit_rate_percent", "%", "lts__t_sector_hit_rate.pct", "l2_tex_hit_rate"),
    Counter("shared_load.requests", "warp accesses", _by_class("shared_ld"), "event:shared_load"),
    Counter("shared_store.requests", "warp accesses", _by_class("shared_st"), "event:shared_store"),
    Counter("shared_load.wavefronts", "wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
            "shared_load_transactions"),
    Counter("shared_store.wavefronts", "wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
            "shared_store_transactions"),
    Counter("shared_load.conflicts", "wavefronts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
            "event:shared_ld_bank_conflict"),
    Counter("shared_store.conflicts", "wavefronts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
            "event:shared_st_bank_conflict"),
    Counter("instructions", "warp instructions", "smsp__inst_executed.sum", "inst_executed"),
    _instructions("global_load", "global_ld", "inst_executed_global_loads"),
    _instructions("global_store", "global_st", "inst_executed_global_stores"),
    _instructions("private_load", "local_ld", "inst_executed_local_loads"),
    _instructions("private_store", "local_st", "inst_executed_local_stores"),
    Counter("instructions.branch", "warp instructions", _by_class("branch")),
    _threads("fp32", "inst_fp_32"),
    _threads("fp64", "inst_fp_64"),
    _threads("integer", "inst_integer"),
    _threads("control", "inst_control"),
    _threads("memory", "inst_compute_ld_st"),
    _threads("conversion", "inst_bit_convert"),
    Counter("cycles.active_sum", "cycles", "sm__cycles_active.sum", "event:active_cycles"),
    Counter("cycles.elapsed", "cycles", "sm__cycles_elapsed.max", "event:elapsed_cycles_sm"),
    Counter("occupancy.achieved_percent", "%", "sm__warps_active.avg.pct_of_peak_sustained_active", "achieved_occupancy"),
    Counter("registers", "per work-item", "launch__registers_per_thread"),
    Counter("shared.config_bytes", "bytes", "launch__shared_mem_config_size", note="what is left of the unified memory is L1"),
    Counter("duration_ns", "ns", "gpu__time_duration.sum", note="under the profiler"),
]
BY_NAME = {counter.name: counter for counter in COUNTERS}
# Not listed by ncu --query-metrics although it has them.
UNLISTED = ("launch__", "gpu__")
FRACTIONS = {"achieved_occupancy": 100.0}  # nvprof prints these as 0 to 1

SCALES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
TIMES = {"second": 1e9, "s": 1e9, "msecond": 1e6, "ms": 1e6, "usecond": 1e3, "us": 1e3, "nsecond": 1.0, "ns": 1.0}
COUNTED = {"byte", "sector", "request", "inst", "cycle", "warp", "block", "thread", "register", "wavefront"}


def wanted(profiler, available=None, refused=(), only=None):
    """Metrics to ask for: of each counter the best sum that the profiler has.

    `available` None = it has all but the `refused` ones; `only`: names of counters, None = all.
    """
    metrics = []
    for counter in COUNTERS:
        for choice in counter.choices(profiler) if only is None or counter.name in only else ():
            names = [name.removeprefix("event:") for name in choice]
            if any(name in refused for name in names):
                continue
            if available is None or all(is_available(name, available) for name in names):
                metrics += [name for name in choice if name not in metrics]
                break
    return metrics


def is_available(metric, available):
    return metric in available or metric.split(".")[0] in available or metric.startswith(UNLISTED)


def by_our_names(values, profiler):
    """Counter name -> value out of the profiler's metric -> value; counters without their metrics are left out."""
    result = {}
    for counter in COUNTERS:
        for choice in counter.choices(profiler):
            names = [name.removeprefix("event:") for name in choice]
            if all(name in values for name in names):
                result[counter.name] = sum(values[name] * FRACTIONS.get(name, 1.0) for name in names)
                break
    return result


SPACES = " \u00a0\u202f\u2009'’"  # with which some languages group digits


def decimal_mark(cells):
    """"." or "," where numbers of a table tell which of them it has for decimals; None where none does, or they disagree."""
    marks = set()
    for cell in cells:
        text = re.sub(f"[{SPACES}]", "", cell.strip().strip('"'))
        grouped = re.fullmatch(r"[-+]?[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*(?:(?!\1)([.,])\d+)?", text)
        if grouped and (grouped[2] or text.count(grouped[1]) > 1):
            marks.add("," if grouped[1] == "." else ".")  # the other one groups digits
        elif not grouped and (single := re.fullmatch(r"[-+]?\d+([.,])\d+", text)):
            marks.add(single[1])  # no group of three digits
    return marks.pop() if len(marks) == 1 else None


def number(text, mark=None):
    """A printed value without its thousands separators, or None for "n/a" and words.

    `mark`: of the whole table. Without it one number tells by itself: 1,205.00 and 1.205,00 and 9,00 are known, 1,205 and
    1.205 are taken as English.
    """
    text = re.sub(f"[{SPACES}]", "", text.strip().strip('"'))
    if re.fullmatch(r"[-+]?[\d.,]+", text):
        mark = mark or decimal_mark([text]) or "."
        text = text.replace("," if mark == "." else ".", "").replace(",", ".")
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value == value and abs(value) != float("inf") else None


def scaled(value, unit):
    """In bytes, nanoseconds, or single things: ncu prints Kbyte and usecond unless asked for base units."""
    unit = unit.split("/")[0].strip()
    if unit in TIMES:
        return value * TIMES[unit]
    if unit[:1] in SCALES and unit[1:] in COUNTED:
        return value * SCALES[unit[0]]
    return value


class Profiled:
    """One launch (ncu) or one kernel's launches together (nvprof). `values`: metric -> value of a launch."""

    def __init__(self, kernel, grid=None, block=None, launches=1):
        self.kernel = kernel
        self.grid = grid
        self.block = block
        self.launches = launches
        self.device = ""
        self.capability = ""  # "8.0", if the profiler says it
        self.values = {}
        self.lowest = {}
        self.highest = {}


def _sizes(text):
    found = re.findall(r"\d+", text or "")
    return [int(one) for one in found[:3]] if len(found) >= 3 else None


def _rows(text, needed, where, what):
    """The table that begins with a header line holding all of `needed`; lines before it are the profiler's messages."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        header = next(csv.reader([line]), [])
        if all(name in header for name in needed):
            rows = csv.reader(io.StringIO("\n".join(one for one in lines[at + 1:] if not one.startswith("=="))))
            return header, [row for row in rows if len(row) == len(header)]
    raise InputError(f"{where}: no table of {what}, expected a header line with {', '.join(needed)}")


def parse_ncu(text, where="ncu"):
    """Launches in order, from `ncu --csv`: --page raw (a column per metric) or details (a row per metric)."""
    if re.search(r'(?m)^"?ID"?,.*"?Metric Name"?,', text):
        header, rows = _rows(text, ("ID", "Kernel Name", "Metric Name", "Metric Value"), where, "ncu --csv")
        return _ncu_long(header, rows)
    header, rows = _rows(text, ("ID", "Kernel Name"), where, "ncu --csv")
    units = dict(zip(header, rows[0])) if rows and not rows[0][header.index("ID")].strip() else {}
    launches, rows = [], rows[1 if units else 0:]
    mark = decimal_mark(cell for row in rows for name, cell in zip(header, row) if "__" in name)
    for row in rows:
        cells = dict(zip(header, row))
        launch = Profiled(cells["Kernel Name"], _sizes(cells.get("Grid Size")), _sizes(cells.get("Block Size")))
        launch.device, launch.capability = cells.get("Device", ""), cells.get("CC", "")
        for name, cell in cells.items():
            value = number(cell, mark) if "__" in name else None
            if value is not None:
                launch.values[name] = scaled(value, units.get(name, ""))
        launches.append(launch)
    return launches


def _ncu_long(header, rows):
    launches = {}
    mark = decimal_mark(row[header.index("Metric Value")] for row in rows)
    for row in rows:
        cells = dict(zip(header, row))
        # Several processes each count from 0.
        key = (cells.get("Process ID", ""), cells["ID"])
        if key not in launches:
            launches[key] = Profiled(cells["Kernel Name"], _sizes(cells.get("Grid Size")), _sizes(cells.get("Block Size")))
            launches[key].device, launches[key].capability = cells.get("Device", ""), cells.get("CC", "")
        value = number(cells["Metric Value"], mark)
        if value is not None:
            launches[key].values[cells["Metric Name"]] = scaled(value, cells.get("Metric Unit", ""))
    return list(launches.values())


def parse_nvprof(text, where="nvprof"):
    """One Profiled per kernel, from `nvprof --csv --metrics … --events …` in its summary mode."""
    kernels = {}
    lines = text.splitlines()
    header = None
    for line in lines:
        if line.startswith("=="):
            continue
        row = next(csv.reader([line]), [])
        if "Kernel" in row and "Invocations" in row and "Avg" in row:
            header = row
        elif header and len(row) == len(header):
            cells = dict(zip(header, row))
            key = (cells.get("Device", ""), cells["Kernel"])
            kernel = kernels.setdefault(key, Profiled(cells["Kernel"], launches=int(number(cells["Invocations"]) or 0)))
            kernel.device = cells.get("Device", "")
            name = cells.get("Metric Name") or cells.get("Event Name")
            for column, values in (("Avg", kernel.values), ("Min", kernel.lowest), ("Max", kernel.highest)):
                value = number(re.sub(r"(%|[KMGT]?B/s)$", "", cells[column]))
                if name and value is not None:
                    values[name] = value
    if header is None:
        raise InputError(f"{where}: no table of nvprof --csv, expected a header line with Kernel, Invocations, Avg; or, with "
                         "--print-gpu-trace, with Kernel and metrics")
    return list(kernels.values())


# Columns of --print-gpu-trace that are no metric.
TRACE_COLUMNS = {"Device", "Context", "Stream", "Kernel", "Name", "Correlation_ID", "Start", "Duration", "Invocations", "Size", "Throughput",
                 "Grid X", "Grid Y", "Grid Z", "Block X", "Block Y", "Block Z", "Registers Per Thread", "Static SMem", "Dynamic SMem"}


def parse_nvprof_trace(text, where="nvprof"):
    """Launches in order, from `nvprof --csv --print-gpu-trace --metrics … --events …`: a table for events and one for metrics, each
    with a row per launch and a column per counter."""
    launches, tables = {}, 0
    header, place = None, 0
    for line in text.splitlines():
        row = [] if line.startswith("==") else next(csv.reader([line]), [])
        if "Kernel" in row and "Device" in row:
            header, place = row, 0
            tables += any(name not in TRACE_COLUMNS for name in row)
        elif header and len(row) == len(header):
            cells = dict(zip(header, row))
            if not cells["Kernel"]:  # a row of units
                continue
            name, _, number_of = re.fullmatch(r"(.*?)( \[(\d+)\])?", cells["Kernel"]).groups()
            launch = launches.setdefault((number_of or cells.get("Correlation_ID") or place, name), Profiled(name))
            launch.device, place = cells["Device"], place + 1
            for metric in set(header) - TRACE_COLUMNS:
                value = number(re.sub(r"(%|[KMGT]?B/s)$", "", cells[metric]))
                if value is not None:
                    launch.values[metric] = value
    if not tables:
        raise InputError(f"{where}: --print-gpu-trace without counters, expected --metrics or --events with it")
    return list(launches.values())


def text_of(content):
    """What a profiler wrote, as text: UTF-8, or what PowerShell makes of a redirected output (UTF-16 with a mark)."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", errors="replace")
    return content.decode("utf-8-sig", errors="replace")


def parse(text, where):
    """(profiler, launches) of a file that `ncu --csv` or `nvprof --csv` wrote."""
    if re.search(r'(?m)^"?ID"?,', text):
        return "ncu", parse_ncu(text, where)
    if re.search(r'(?m)^("?Start"?,.*)?"?Device"?,"?Context"?,"?Stream"?,"?(Kernel|Name)"?', text):
        return "nvprof", parse_nvprof_trace(text, where)
    if "Invocations" in text:
        return "nvprof", parse_nvprof(text, where)
    raise InputError(f"{where}: expected what ncu --csv or nvprof --csv writes: a header line with ID or Invocations")


# What the profilers say when the driver keeps counters from users (seen in their documentation and in users' reports).
NOT_PERMITTED = re.compile(r"ERR_NVGPUCTRPERM|not have permission to (?:access|profile)", re.I)
HOW_TO_PERMIT = ("the driver keeps the counters for administrators. To fix this, run as root (in a container: with "
                 "--cap-add SYS_ADMIN), or an administrator sets the module option NVreg_RestrictProfilingToAdminUsers=0 "
                 "(a line 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' in /etc/modprobe.d) and reloads the "
                 "driver; https://developer.nvidia.com/ERR_NVGPUCTRPERM")


def base_name(kernel):
    """A kernel's name without return type, parameters and template arguments: void f<4>(int) is f."""
    depth, plain = 0, ""
    for character in kernel:
        if character == "(" and depth == 0:
            break
        depth += (character == "<") - (character == ">")
        if depth == 0 and character != ">":
            plain += character
    return plain.split()[-1].rpartition("::")[2] if plain.split() else kernel


def shortest(value):
    """A number without needless digits: 4096, 93.75."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else f"{value:.9g}"
