"""What the tests of scripts/ and python/ share: the path to the package, and a small result with hand-made numbers."""
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[3]
SCRIPTS = SOURCE / "scripts"
VALIDATION = SOURCE / "validation"
sys.path.insert(0, str(SOURCE / "python"))

KERNEL = "__kernel void copy(__global const float* in,\n                   __global float* out) {\n" \
         "  size_t i = get_global_id(0);\n  out[i] = in[i] + in[i + 1];\n}\n"


def kind(requests=0, transactions=0, hits=0, misses=0, bypasses=0):
    return {"requests": requests, "lanes": 32 * requests, "transactions": transactions, "hits": hits,
            "hits_pending": 0, "sector_misses": 0, "misses": misses, "bypasses": bypasses, "reservation_fails": 0}


def counts(load=None, store=None, **classes):
    names = ("cold", "invalidated", "capacity", "conflict", "anti_conflict")
    return {"load": load or kind(), "store": store or kind(), "atomic": kind(),
            "miss_classes": {name: classes.get(name, 0) for name in names}, "write_backs": 0, "evictions": 0}


def result():
    """64 work-items, 2 warps: load in[i] 1 transaction each, in[i + 1] 2 each, store 1 each; 3 lines of `in`."""
    first = counts(load=kind(2, 2, 0, 2), cold=2)
    second = counts(load=kind(2, 4, 3, 1), cold=1)
    third = counts(store=kind(2, 2, 0, 2))
    total = counts(load=kind(4, 6, 3, 3), store=kind(2, 2, 0, 2), cold=3)

    def site(number, part, what, column, name):
        return {**part, "kernel": "copy", "site": number, "kind": what, "space": "global", "operation": "", "width": 4,
                "alignment": 4, "function": "copy", "locations": [{"file": "copy.cl", "line": 4, "column": column}],
                "source": 0, "reaches_l1": True, "bypasses_l1": False,
                "buffers": [{"buffer": 1 if name == "in" else 2, "name": name, "transactions": 2, "misses": 1}]}

    def buffer(number, name, part, address):
        return {**part, "buffer": number, "name": name, "space": "global", "size": 512, "flags": "", "address": address}

    cache = {"size_kib": 16, "line_bytes": 128, "ways": 4, "sets": 32, "lines": 128, "replacement": "LRU",
             "write_policy": "WTNA", "set_index": "linear"}
    return {
        "schema": 1,
        "context": {"input": {"name": "copy.wtrace", "kind": "capture"}, "cache": cache, "cores": 1, "preset": None,
                    "partial": False, "warp_size": 32},
        "total": total,
        "launches": [{**total, "launch": 0, "kernel": "copy", "global": [64, 1, 1], "local": [32, 1, 1], "source": 0}],
        "cores": [{**total, "core": 0}],
        "sites": [site(0, first, "load", 12, "in"), site(1, second, "load", 20, "in"),
                  site(2, third, "store", 10, "out")],
        "buffers": [buffer(1, "in", counts(load=kind(4, 6, 3, 3), cold=3), 0x10000000),
                    buffer(2, "out", third, 0x10000200)],
        "sets": {"transactions": [], "misses": []},
        "reuse_histogram": {"unit": "distinct lines", "capacity_lines": 128, "cold": {"load": 3, "store": 2},
                            "bins": [{"from": 0, "to": 0, "load": 2, "store": 0},
                                     {"from": 1, "to": 1, "load": 1, "store": 0}]},
        "runs": None,
        "sources": [{"name": "copy.cl", "text": KERNEL}],
    }
