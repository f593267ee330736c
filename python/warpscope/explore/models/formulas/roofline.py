"""Roofline: what peak rate and bandwidth allow at a kernel's arithmetic intensity.

S. Williams, A. Waterman and D. Patterson, "Roofline: An Insightful Visual Performance Model for Multicore Architectures", CACM 52(4),
2009, doi:10.1145/1498765.1498785. Local memory as a second roof: X. Zhang et al., "Understanding the GPU Microarchitecture to Achieve
Bare-Metal Performance Tuning", PPoPP 2017, doi:10.1145/3018743.3018755, equations (5) and (6).
"""
from warpscope.explore.models.formulas.values import Answer, Input, is_known, summed

NAME = "roofline"
TITLE = "Roofline"
NAN = float("nan")

INPUTS = (
    Input("flops", "operations", "floating-point operations of the launch; a fused multiply-add is two"),
    Input("global_bytes", "bytes", "bytes between global memory and the cores"),
    Input("local_bytes", "bytes", "bytes between local memory and the lanes", default=NAN),
    Input("fp64_flops", "operations", "those of them that are of 64 bits", default=0),
    Input("peak", "Gop/s", "peak rate of floating-point operations", "machine", above=True),
    Input("fp64_peak", "Gop/s", "peak rate of those of 64 bits", "machine", default=NAN, above=True),
    Input("bandwidth", "GB/s", "peak bandwidth of global memory", "machine", above=True),
    Input("local_bandwidth", "GB/s", "peak bandwidth of all local memories", "machine", default=NAN, above=True),
)


def evaluate(v):
    """The answer for a launch; `v` has the inputs as members."""
    computation = (v.flops - v.fp64_flops) / v.peak + v.fp64_flops / (v.fp64_peak if is_known(v.fp64_peak) else v.peak)
    peak = v.flops / computation if v.flops else v.peak
    times = {"computation": computation * 1e-9, "global memory": v.global_bytes / v.bandwidth * 1e-9}
    parts = [("time of computation", times["computation"], "s", ""), ("time of global memory", times["global memory"], "s", "")]
    if v.global_bytes:
        intensity = v.flops / v.global_bytes
        parts += [("intensity", intensity, "operations/byte", ""),
                  ("attainable rate", min(peak, v.bandwidth * intensity), "Gop/s", "")]
    parts.append(("intensity of the ridge", peak / v.bandwidth, "operations/byte", ""))
    if is_known(v.local_bytes) and is_known(v.local_bandwidth):
        times["local memory"] = v.local_bytes / v.local_bandwidth * 1e-9
        parts.append(("time of local memory", times["local memory"], "s", ""))
        if v.local_bytes:
            parts += [("intensity of local memory", v.flops / v.local_bytes, "operations/byte", "Zhang et al., 6"),
                      ("ridge of local memory", peak / v.local_bandwidth, "operations/byte", "Zhang et al., 6")]
    bound = max(times, key=times.get)
    ranked = sorted(times.values(), reverse=True)
    saving = ranked[0] - ranked[1]
    return Answer(times[bound], summed(parts), f"{bound}: it alone takes as long", [(HELP[bound], saving)])


HELP = {"computation": "fewer operations: the memories could deliver more",
        "global memory": "fewer bytes per operation: tiles in local memory or registers, coalescing",
        "local memory": "fewer local bytes per operation: larger tiles in registers, wider loads"}
