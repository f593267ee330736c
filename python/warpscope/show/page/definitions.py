"""What every counter means: cachesim/access/counters.def, written by doc_tables --update."""
# Name: (unit, meaning, name on Fermi, name on Volta and later).
DEFINITIONS = {
    "requests": (
        "warp accesses",
        "warp accesses that reach the L1 or bypass it",
        "`gld_request`, `gst_request`; atomics `atom_count` + `gred_count`",
        "`l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum`, `…_op_st.sum`"),
    "lanes": (
        "lane accesses",
        "lane accesses in them",
        "no counterpart",
        "no counterpart per memory kind"),
    "transactions": (
        "lines",
        "lines looked up, and those that bypassed the L1",
        "loads: `l1_global_load_hit` + `l1_global_load_miss` (+ `uncached_global_load_transaction`, in its own unit); stores: `global_store_transaction` (32 to 128 bytes each, so at most comparable)",
        "`l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum`, `…_op_st.sum` (sectors)"),
    "hits": (
        "transactions",
        "line and sector present",
        "loads: `l1_global_load_hit`; stores: no counterpart",
        "`…_op_ld_lookup_hit.sum`, `…_op_st_lookup_hit.sum` (sectors)"),
    "hits_pending": (
        "transactions",
        "merged into an outstanding miss of the same line",
        "contained in `l1_global_load_hit` (assumed, not measured)",
        "contained in `…_lookup_hit` (assumed)"),
    "sector_misses": (
        "transactions",
        "line present, sector not",
        "0 (lines have no sectors)",
        "contained in `…_lookup_miss.sum`"),
    "misses": (
        "transactions",
        "line not present",
        "loads: `l1_global_load_miss`; stores: no counterpart",
        "`…_op_ld_lookup_miss.sum`, `…_op_st_lookup_miss.sum` (sectors)"),
    "bypasses": (
        "transactions",
        "atomics, volatile and cache-bypassing accesses: no look-up",
        "loads: `uncached_global_load_transaction`, in its own unit",
        "no counterpart"),
    "reservation_fails": (
        "retries",
        "retries because no MSHR or way was free",
        "no counterpart",
        "no counterpart"),
    "bytes": (
        "bytes",
        "what the transactions move: lines or sectors; segments of 32 to 128 bytes on G80 and GT200; sectors of 32 bytes for what bypasses the L1",
        "no counterpart",
        "sectors × 32"),
    "sectors": (
        "sectors of 32 bytes",
        "`bytes` / 32",
        "no counterpart",
        "`l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum`"),
    "tag_lookups": (
        "look-ups",
        "lines of `line_bytes` that a request touches; on Maxwell and Pascal those of each part of 8 lanes (4 for 8 bytes, 2 for 16)",
        "= `transactions` (lines)",
        "`l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum`"),
    "tag_wavefronts": (
        "wavefronts",
        "cycles of the tag stage, below",
        "as above",
        "`l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum`"),
    "data_wavefronts": (
        "wavefronts",
        "cycles of the data stage, below; 0 on Maxwell and Pascal: not known",
        "as above",
        "part of `l1tex__data_pipe_lsu_wavefronts.sum`"),
    "wavefronts": (
        "wavefronts",
        "cycles that requests occupy the L1: of each the larger of the two",
        "as above",
        "no counterpart"),
    "cold": (
        "transactions",
        "first such reference to the line (the sector) since the launch began",
        "",
        ""),
    "invalidated": (
        "transactions",
        "not cold; the line was there until a store removed it (write policy WENA)",
        "",
        ""),
    "capacity": (
        "transactions",
        "neither, and the shadow misses too",
        "",
        ""),
    "conflict": (
        "transactions",
        "neither, and the shadow hits: the sets or the replacement policy are the cause. Compare with LRU at the same sets to tell which",
        "",
        ""),
    "anti_conflict": (
        "transactions",
        "*hits* where the shadow misses; in no sum",
        "",
        ""),
    "write_backs": (
        "lines",
        "dirty lines written back on eviction; lines still dirty at the end are none",
        "",
        "none alone: private memory's are in `l1tex__m_l1tex2xbar_write_sectors`; global data is written through"),
    "write_back_sectors": (
        "transactions",
        "their dirty sectors; where lines have none, the lines",
        "",
        "as above"),
    "evictions": (
        "lines",
        "lines that left the cache to make room, or because a store removed them (WENA)",
        "",
        "no counterpart"),
    "timing.warp_instructions": (
        "warp instructions",
        "instructions that were issued",
        "",
        ""),
    "timing.memory_instructions": (
        "warp instructions",
        "among them those that access memory",
        "",
        ""),
    "timing.tag_lookups": (
        "look-ups",
        "tags looked up in the L1s",
        "",
        ""),
    "timing.l1_cycles": (
        "cycles",
        "cycles for which accesses of global and private memory occupied the L1s",
        "",
        ""),
    "timing.loads": (
        "warp instructions",
        "loads that got their data",
        "",
        ""),
    "timing.core_to_l2_bytes": (
        "bytes",
        "from cores to the L2",
        "",
        ""),
    "timing.l2_to_core_bytes": (
        "bytes",
        "from the L2 to cores",
        "",
        ""),
    "timing.resident_warp_cycles": (
        "cycles",
        "resident warps that have not ended, summed over cycles and cores",
        "",
        ""),
    "timing.active_cycles": (
        "cycles",
        "cycles in which a core had such a warp, summed over cores",
        "",
        ""),
    "timing.work_groups": (
        "work-groups",
        "work-groups that ran",
        "",
        ""),
    "timing.memory.shared_l1_load_hits": (
        "sectors",
        "loaded sectors that a cache between L1s and L2 has (RDNA)",
        "",
        ""),
    "timing.memory.shared_l1_load_hits_pending": (
        "sectors",
        "loaded sectors that are on their way to it",
        "",
        ""),
    "timing.memory.shared_l1_load_misses": (
        "sectors",
        "loaded sectors that it has not: all that it asks the L2 for",
        "",
        ""),
    "timing.memory.l2_load_hits": (
        "sectors",
        "loaded sectors that the L2 has",
        "",
        ""),
    "timing.memory.l2_load_hits_pending": (
        "sectors",
        "loaded sectors that are on their way to the L2",
        "",
        ""),
    "timing.memory.l2_load_misses": (
        "sectors",
        "loaded sectors that come from the DRAM",
        "",
        ""),
    "timing.memory.l2_far_loads": (
        "sectors",
        "of the loaded sectors those that another partition of the L2 was asked for",
        "",
        ""),
    "timing.memory.l2_store_hits": (
        "sectors",
        "stored sectors that the L2 has",
        "",
        ""),
    "timing.memory.l2_store_misses": (
        "sectors",
        "stored sectors that it has not",
        "",
        ""),
    "timing.memory.l2_atomics": (
        "sectors",
        "sectors of atomics, which the L2 executes",
        "",
        ""),
    "timing.memory.l2_write_backs": (
        "sectors",
        "dirty sectors that leave the L2",
        "",
        ""),
    "timing.memory.dram_read_bytes": (
        "bytes",
        "read from the DRAM",
        "",
        ""),
    "timing.memory.dram_write_bytes": (
        "bytes",
        "written to the DRAM",
        "",
        ""),
}
