"""The accuracy page's part about what hw-profile collected on real GPUs (benchmarks/hardware/GPU/DATE.csv)."""
import pathlib
import re

from warpscope.hardware import compare_hw, comparison, measurements

SOURCE = pathlib.Path(__file__).resolve().parent.parent


def collected(work, hardware=SOURCE / "benchmarks" / "hardware"):
    """Comparisons of what hw-profile wrote, a run's slices together: (name, what was compared, markdown, figure)."""
    runs = {}
    for path in sorted(hardware.glob("*/*.csv")):
        # Of hw-profile --probe, and published observations, cachesim infer is the reader; other tables are those of benchmarks/hardware/micro.
        if measurements.is_measurements(path) and not re.search(r"-probe(-\d+of\d+)?$", path.stem):
            runs.setdefault((path.parent.name, re.sub(r"-\d+of\d+$", "", path.stem)), []).append(path)
    sections = []
    for (gpu, run), paths in runs.items():
        arguments = compare_hw.parse_arguments([*map(str, paths), "--work", str(work)])
        title, ones, notes = compare_hw.compare_suite(arguments)
        if ones:
            sections.append((f"{gpu}, {run}", f"{title[:1].upper()}{title[1:]}. {'; '.join(notes)}.", comparison.summary(ones),
                             compare_hw.figure(ones, f"{gpu}: {title}")))
    return sections
