"""warpscope-nvcc: nvcc's command line, for CUDA programs that run on the CPU and can be traced (docs/tools/nvcc.md).

Reading order: option_table.py, options.py, inputs.py; runner.py; device.py, container.py, host.py, link.py; driver.py.
"""
import sys

from warpscope.base import children
from warpscope.base.errors import Error, Stopped
from warpscope.nvcc.errors import Failed, Fatal


def start():
    """The command warpscope-nvcc; exit statuses are nvcc's."""
    from warpscope.nvcc import driver  # pylint: disable=import-outside-toplevel
    children.catch_signals()
    try:
        status = driver.main(sys.argv[1:])
    except (Fatal, Error) as error:
        print(f"nvcc fatal   : {error}", file=sys.stderr)
        status = 1
    except Failed as error:
        status = error.status
    except Stopped as stopped:
        status = stopped.status
    except KeyboardInterrupt:
        status = 130
    except BrokenPipeError:
        status = 1
    sys.exit(status)
