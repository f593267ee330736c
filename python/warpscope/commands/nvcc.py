"""warpscope-nvcc: runs nvcc's command line; exit statuses and messages are nvcc's."""
import sys

from warpscope.base import children
from warpscope.base.errors import Error, Stopped
from warpscope.nvcc import driver
from warpscope.nvcc.errors import Failed, Fatal


def start():
    """The command warpscope-nvcc."""
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
