"""The accuracy page's part about what hw-profile collected on real GPUs (validation/hardware/GPU/DATE.csv)."""
import pathlib
import re

from collect import compare_hw, comparison, measurements, suite_launches

SOURCE = pathlib.Path(__file__).resolve().parent.parent


def collected(work, hardware=SOURCE / "validation" / "hardware"):
    """Comparisons of what hw-profile wrote, a run's slices together, in fixed order and cycle by cycle: (name, what was compared, markdown,
    figure)."""
    runs = {}
    for path in sorted(hardware.glob("*/*.csv")):
        if is_of_suite(path):
            runs.setdefault((path.parent.name, re.sub(r"-\d+of\d+$", "", path.stem)), []).append(path)
    sections = []
    for (gpu, run), paths in runs.items():
        for engine, clock in (("fixed", ""), ("timed", ", cycle by cycle")):
            arguments = compare_hw.parse_arguments([*map(str, paths), "--work", str(work), "--engine", engine])
            title, ones, notes = compare_hw.compare_suite(arguments)
            if ones:
                sections.append((f"{gpu}, {run}{clock}", f"{title[:1].upper()}{title[1:]}. {'; '.join(notes)}.", comparison.summary(ones),
                                 compare_hw.figure(ones, f"{gpu}: {title}{clock}")))
    return sections


def is_of_suite(path):
    """Of hw-profile --probe, and published observations, cachesim infer is the reader; of --families `accuracy --add`; other tables are those of
    validation/hardware/micro."""
    if not measurements.is_measurements(path) or re.search(r"-probe(-\d+of\d+)?$", path.stem):
        return False
    return any(suite_launches.is_of_suite(one.launch) for one in measurements.read(path)[1])
