"""A loop that writes kernels: each proposal is judged by the kernel that there is, and the fastest one that is accepted stays.

    python3 kernel_loop.py mm_tiled.cl        with mm_tiled.launch next to it
"""
import pathlib
import sys

import warpscope


def propose(source, history):
    """The next kernel and its options, or None. This one has a list; a model would read `history`, which says why others were refused."""
    variants = [(source, 8), (source, 16), (source.replace("tile < width / TILE", "tile < 1"), 16), (source.replace("barrier(", "mem_fence("), 16)]
    if len(history) == len(variants):
        return None
    text, tile = variants[len(history)]
    return text, ["-D", f"TILE={tile}"]


def main(reference):
    history, best = [], None
    while proposal := propose(pathlib.Path(reference).read_text(), history):
        candidate = pathlib.Path(f"candidate{len(history)}.cl")
        candidate.write_text(proposal[0])
        verdict = warpscope.judge(candidate, reference, gpu="h100", sizes=["odd", "default"], candidate_options=proposal[1])
        history.append((proposal, [reason["text"] for reason in verdict.reasons]))
        cycles = verdict.cost["candidate"]["cycles"] if verdict.accepted else None
        print(candidate, *proposal[1], f"{cycles} cycles, {verdict.cost['speedup']['says']}" if cycles else f"refused: {verdict.reasons[0]['code']}")
        if cycles and (best is None or cycles < best[0]):
            best = cycles, candidate
    print("best:", best[1] if best else "none")


main(sys.argv[1])
