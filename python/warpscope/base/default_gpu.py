"""The GPU that a capture is simulated on where nobody names one: the one that the captured program saw."""
import json

from warpscope.base import toolchain


def _seen(capture_file):
    """What the captured program saw; None if that was no GPU in particular, or for a kernel file."""
    status, shown, _ = toolchain.attempt("trace-view", capture_file, "--json", "--launch", "0")
    try:
        header = json.loads(shown) if status == 0 else {}
        like, source = header["file"].get("device_like"), header["launches"][0].get("source_name", "")
    except (ValueError, LookupError):
        return None  # no launch; or no capture, which the simulator says
    if like in ("common", "pocl"):
        return toolchain.DEFAULT_GPU_OF_CUDA if source.endswith((".cu", ".cuh")) else None
    return like


def default_gpu(capture_file):
    return _seen(capture_file) or toolchain.DEFAULT_GPU
