"""The GPU that a capture is simulated on where nobody names one: the one that the captured program saw."""
import json

from warpscope.base import toolchain

NO_GPU = ("common", "pocl", None)  # of device_like


def default_gpu(capture_file):
    status, shown, _ = toolchain.attempt("trace-view", capture_file, "--json", "--launch", "0")
    try:
        seen = json.loads(shown)["file"].get("device_like") if status == 0 else None
    except (ValueError, LookupError):
        seen = None  # no launch; or no capture, which the simulator says
    return toolchain.DEFAULT_GPU if seen in NO_GPU else seen
