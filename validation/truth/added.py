"""`validation/accuracy --add FILE`: launches that somebody measured, or that another simulator computed, in one JSON file each
(docs/validation/contribute.md): scored with our engines and the trivial predictors."""
import pathlib

from truth import command, counters, errors, page, scores, statistics, tables
from collect import compare_hw, one_file
from collect.comparison import table
from warpscope.base.errors import InputError
from warpscope.result import rates


def _sizes(launch, key):
    sizes = [int(size) for size in launch[key]]
    return tuple(sizes + [1] * (3 - len(sizes)))


def launches_of(content, path, preset=None):
    """The launches of a measured file."""
    gpu = content["gpu"]
    preset = preset or gpu.get("preset") or compare_hw.preset_for({"gpu": gpu["name"],
                                                                   "compute_capability": gpu.get("compute_capability")})
    capability = str(gpu.get("compute_capability") or compare_hw.PRESETS[preset]["compute_capability"]["value"])
    found = []
    for launch in content["launches"]:
        family = launch.get("family", launch["launch"].split("/")[0])
        one = tables.Launch(launch["launch"], gpu["name"], preset, capability, content["profiler"]["name"], family, family, "no",
                            _sizes(launch, "grid"), _sizes(launch, "block"), {key: str(value) for key, value in
                                                                             launch.get("settings", {}).items()})
        if "registers" in launch:
            one.settings["registers"] = str(launch["registers"])
        one.measured = {name: value["median"] for name, value in launch["counters"].items()}
        one.spread = {name: (value["highest"] - value["lowest"]) / 2 for name, value in launch["counters"].items()
                      if value["highest"] > value["lowest"]}
        if launch.get("file"):
            one.command = tables.Command(launch["file"], _options(launch["options"]))
            if not one.command.path.is_file():
                raise InputError(f"{path}: {launch['launch']}: no file '{launch['file']}', expected one of this source tree or a whole path")
        found.append(one)
    return found


ALLOWED = ("--size", "--launch-file", "--kernel", "--global", "--local", "--grid", "--block", "--offset", "--dynamic-shared", "--arg", "-D",
           "--define", "--build-options", "--address-space", "--work-groups")


def _options(words):
    """Those of trace-kernel that say what is captured; a file from outside names no others, which could write files. A launch file is
    relative to the source tree, as the kernel is."""
    for word in words:
        if str(word).startswith("-") and str(word).split("=")[0] not in ALLOWED:
            raise InputError(f"option '{word}' of a launch, expected one of {' '.join(ALLOWED)}")
    return tuple(str(tables.SOURCE / word) if previous == "--launch-file" else str(word)
                 for previous, word in zip([None, *words], words))


def add_simulator(rows, content):
    """A simulator's counters next to ours, for the launches that it computed."""
    name = content["simulator"]["name"]
    computed = {launch["launch"]: {counter: value["median"] for counter, value in launch["counters"].items()}
                for launch in content["launches"]}
    matched = 0
    for row in rows:
        values = computed.get(row.launch.name)
        if values is None:
            continue
        matched += 1
        for counter, value in values.items():
            row.values.setdefault(counter, {})[name] = value
        if row.hit_counter in values:
            value = values[row.hit_counter]
            row.rates[name] = rates.rest_percent(100 * value) if row.hit_counter == "l1_miss_ratio" else value
        row.reads[name] = next((values[counter] for counter in counters.L2_READS if counter in values), None)
    return name, matched


def score_table(rows, series):
    """A line per engine, predictor and simulator."""
    lines = []
    above, trivial = scores.read_rows(rows)
    for name in series:
        tested = [abs(row.error(name)) for row in rows if row.tests_cache and row.error(name) is not None]
        errors = [[abs(row.read_error(name)) for row in ones if row.read_error(name) is not None] for ones in (above, trivial)]
        exact = [scores.is_exact(row.launch.measured[counter], values[name], row.launch.spread.get(counter, 0.0))
                 for row in rows for counter, values in row.values.items() if name in values and scores.should_be_exact(counter)]
        lines.append([page.HEADS.get(name, name), len(tested), page.number_text(scores.statistics.mean(tested)),
                      len(errors[0]), page.percent_text(statistics.median(errors[0])),
                      len(errors[1]), page.percent_text(statistics.median(errors[1])),
                      f"{sum(exact)} of {len(exact)}" if exact else "–"])
    return table(["by", "launches that test the cache", "hit rate, mean \\|error\\| in points", "L2 reads above 1.2 × unlimited",
                  "median \\|error\\|", "other L2 reads", "median \\|error\\|", "exact"], lines)


def launch_table(rows, series):
    lines = []
    for row in rows:
        if row.hit_rate is not None:
            lines.append([f"`{row.launch.name}`", "yes" if row.tests_cache else "no", page.number_text(row.hit_rate, 2),
                          *(page.number_text(row.rates.get(name), 2) for name in series)])
    return table(["launch", "tests the cache", "measured, %", *(page.HEADS.get(name, name) for name in series)], lines) if lines else ""


def run(arguments):
    """Scores the files of --add; writes OUT/added.csv and OUT/added.md."""
    contents = [(path, one_file.read(path)) for path in arguments.add]
    measured = [(path, content) for path, content in contents if "profiler" in content]
    simulators = [(path, content) for path, content in contents if "simulator" in content]
    launches = [launch for path, content in measured for launch in launches_of(content, path, arguments.gpu)]
    if not measured:
        launches = tables.launches()
        computed = {launch["launch"] for _, content in simulators for launch in content["launches"]}
        launches = [launch for launch in launches if launch.name in computed]
    known = command.names(launches)
    if unknown := [name for name in arguments.only if name not in known]:
        raise InputError(f"--only {unknown[0]}: expected families or launches of {', '.join(str(path) for path, _ in contents)}")
    launches = command.chosen(launches, arguments.only, arguments.sample)
    rows, failures = command.rows_of(launches, arguments)
    if arguments.errors:
        errors.write(arguments.errors, rows)
    names = []
    for path, content in simulators:
        name, matched = add_simulator(rows, content)
        if not matched:
            raise InputError(f"{path}: none of its launches was measured, expected names as in {' or '.join(map(str, dict(measured)))}"
                             if measured else f"{path}: no launch of validation/truth, expected names as in launches.csv")
        names.append(name)
    series = [*scores.ENGINES, *scores.PREDICTORS, *names]
    command.write_csv(arguments.output / "added.csv", rows, names)
    text = "\n".join([f"# {', '.join(str(pathlib.Path(path).name) for path in arguments.add)}", "",
                      *(f"- {content['gpu']['name']}, {content['profiler']['name']} {content['profiler'].get('version', '')}: "
                        f"{len(content['launches'])} launches" for _, content in measured), "",
                      f"{len(rows)} of {len(launches)} launches compared" + (f", {len(failures)} failed" if failures else "") + ".", "",
                      score_table(rows, series), "", launch_table(rows, series)]).rstrip() + "\n"
    (arguments.output / "added.md").write_text(text, encoding="utf-8")
    return text
