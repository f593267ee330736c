"""What the tests of validation/ share: the paths to it and to the package."""
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
VALIDATION = SOURCE / "validation"
sys.path[:0] = [str(SOURCE / "python"), str(VALIDATION)]


def kind(requests=0, transactions=0, hits=0, misses=0, bypasses=0):
    """The counters of one kind of access, as a result has them."""
    return {"requests": requests, "lanes": 32 * requests, "transactions": transactions, "hits": hits, "hits_pending": 0,
            "sector_misses": 0, "misses": misses, "bypasses": bypasses, "reservation_fails": 0}
