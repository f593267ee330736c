"""Names and headings of the counters of result.json: cachesim/access/counters.def, written by doc_tables --update."""
KIND_COUNTERS = (
    "requests",
    "lanes",
    "transactions",
    "hits",
    "hits_pending",
    "sector_misses",
    "misses",
    "bypasses",
    "reservation_fails",
)
STAGE_COUNTERS = (
    "bytes",
    "sectors",
    "tag_lookups",
    "tag_wavefronts",
    "data_wavefronts",
    "wavefronts",
)
MISS_CLASSES = (
    "cold",
    "invalidated",
    "capacity",
    "conflict",
    "anti_conflict",
)
LINE_COUNTERS = (
    "write_backs",
    "write_back_sectors",
    "evictions",
)
# Of columns; of a class, what it means.
HEADINGS = {
    "requests": "warp accesses",
    "transactions": "transactions",
    "hits": "hits",
    "misses": "misses",
    "bypasses": "bypassed",
    "tag_lookups": "tag look-ups",
    "tag_wavefronts": "tag wavefronts",
    "data_wavefronts": "data wavefronts",
    "wavefronts": "wavefronts",
    "cold": "first use of the line in the launch",
    "invalidated": "a store had removed the line",
    "capacity": "a fully associative LRU cache of this size misses too",
    "conflict": "it would have hit: too few ways, or the replacement policy",
    "write_backs": "write-backs",
    "evictions": "evictions",
}
