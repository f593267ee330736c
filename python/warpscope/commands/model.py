"""warpscope model: predicts a kernel's time with a published formula."""
import pathlib
import tempfile

from warpscope.base import files
from warpscope.base.errors import InputError, printable
from warpscope.base.inputs import is_capture
from warpscope.base.options import FLAG, MANY, Option, Options, not_an_option, shown_help
from warpscope.commands import model_counts, model_fit, model_rank
from warpscope.explore.models import from_result, gather, machine, output, sweep
from warpscope.explore.models.formulas import catalogue
from warpscope.explore.models.formulas.values import checked
from warpscope.run.record import capture_program

OPTIONS = Options(
    Option("--model", "MODEL", "hong-kim, dasgupta, gpuperf, spt, roofline or sgemm (docs/tools/model.md)"),
    Option("--gpu", "GPU", "a machine of models/machines, for roofline also a GPU preset, or a .json file of your own"),
    Option("--inputs", "FILE", 'inputs as {"name": {"value": …, "unit": …, "origin": …}}, or what --json wrote; they go before all others'),
    Option("--set", "NAME=VALUE", "one input, in the model's unit; may be repeated", kind=MANY),
    Option("--sweep", "NAME=LIST", "the time for every value, for example tile=32-256:16 or ways=2,4,8; may be repeated", kind=MANY),
    Option("--launch", "N", "which launch of a capture or result (default: the only one)"),
    Option("--json", "FILE", "the answer with all inputs; --inputs takes it back (- = standard output)"),
    Option("--csv", "FILE", "the same as a table", rare=True),
    Option("--chart", "STEM", "STEM.png and STEM.svg: benefits or parts; with --sweep the time over the values"),
    Option("--fresh", meaning="simulate the capture, even if an earlier call kept the result (in $WARPSCOPE_CACHE, else ~/.cache/warpscope)",
           kind=FLAG, rare=True),
    Option("--list", meaning="the inputs of the model with units, and the machines that it knows", kind=FLAG))
HELP = f"""warpscope model: predicts a kernel's time with a published formula, and says what limits it.

warpscope model --model MODEL [--gpu GPU] [CAPTURE | RESULT.json] [--inputs FILE] [--set NAME=VALUE]... [options below]
warpscope model --model MODEL --gpu GPU [options below] -- PROGRAM [ARGUMENT]...    of a launch that the program makes
warpscope model --rank CAPTURE CAPTURE... [--by LIST] [--gpu GPU]    the order of variants; warpscope model --rank --help
warpscope model --counts CAPTURE --gpu GPU    all that the models ask of a launch, counted; warpscope model --counts --help
warpscope model --fit MODEL TIMINGS.csv    a machine's parameters from micro-benchmarks; warpscope model --fit --help

{OPTIONS.text()}

Examples:
  warpscope model --model spt --gpu m4000 --set algorithm=gemm --set rows=10000 --set columns=10000 --set depth=10000
  warpscope model --model spt --gpu k40 --set algorithm=mms-sort --set keys=268435456 --sweep ways=2-64*2
  warpscope model --model hong-kim --inputs models/examples/hong-kim.json --json answer.json
  warpscope model --model gpuperf --gpu c2050 --launch 0 -- ./app 1024

Exit status: 0; 2 bad input."""



def _program_of(words):
    """(the words before --, the program and its arguments behind it or None)."""
    if "--" not in words:
        return words, None
    place = words.index("--")
    if place + 1 == len(words):
        raise InputError("--: expected a program behind it")
    return words[:place], words[place + 1:]


def parse(words):
    """(options by name, the capture or result or None)."""
    options, sources = OPTIONS.read(words, not_an_option("warpscope model"))
    if len(sources) > 1:
        raise InputError(f"{sources[1]}: expected one capture or result, {sources[0]} is given already")
    source = sources[0] if sources else None
    if options["--model"] not in catalogue.MODELS:
        given = f"--model {options['--model']}" if options["--model"] else "--model: not given"
        raise InputError(f"{given}, expected one of {', '.join(catalogue.MODELS)}")
    if options["--json"] == options["--csv"] == "-":
        raise InputError("--json - and --csv -: both are standard output, expected one of them")
    return options, source


def _collected(source, options, gpu):
    """({name: Value}, {name: why not}) of a capture or result."""
    if source is None:
        return {}, {}
    if options["--model"] not in catalogue.OF_LAUNCHES:
        raise InputError(f"{source}: {options['--model']} takes sizes with --set, expected no capture and no result")
    if is_capture(source, "a capture or a result.json"):
        return from_result.of_capture(source, options["--model"], options["--launch"], gpu, options["--fresh"])
    return from_result.of_file(source, options["--model"], options["--launch"], gpu)


def _user(options, model):
    """({name: Value} of --inputs and --set, the GPU that the file names)."""
    given, of_gpu = gather.read_inputs(options["--inputs"], model) if options["--inputs"] else ({}, None)
    entries = gather.set_entries(options["--set"], model, gather.hints(given))
    hints = gather.hints({**given, **entries})
    return {**gather.user_values(model, given, options["--inputs"], hints),
            **gather.user_values(model, entries, "--set", hints)}, of_gpu


def _list(model):
    """Inputs and machines of a model."""
    module = catalogue.MODELS[model]
    print(f"{module.TITLE}")
    for spec in module.INPUTS:
        default = "" if spec.default is None or spec.default != spec.default else f" (default {spec.default})"
        unit = " | ".join(spec.choices) if spec.choices else spec.unit or "-"
        print(f"  {spec.name:<26}{spec.origin:<9}{unit:<24}{spec.meaning}{default}")
    known = machine.knowing(model)
    print(f"machines: {', '.join(known) or 'none of its own'}{'; every GPU preset' if model in catalogue.OF_PRESETS else ''}")


def _sweep(options, model, resolve, user):
    """A row per point. `resolve`: {name: Value} of the user's -> all inputs."""
    specs = {spec.name: spec for spec in catalogue.inputs_for(model, user)}
    answers, inputs = [], {}
    for point in sweep.points(options["--sweep"], specs):
        inputs = resolve({**user, **{name: checked("--sweep", specs[name], value, specs[name].unit, "sweep")
                                     for name, value in point.items()}})
        answers.append((point, gather.answer(model, inputs)))
    if "-" not in (options["--json"], options["--csv"]):
        for line in sweep.table(answers):
            print(line)
    if options["--csv"]:
        files.write_or_print(options["--csv"], sweep.csv_text(answers))
    if options["--json"]:
        files.write_or_print(options["--json"], output.json_text(sweep.as_json(model, inputs, answers)))
    if options["--chart"]:
        _show_paths(sweep.chart(catalogue.MODELS[model].TITLE, answers, options["--chart"]))


def _show_paths(paths):
    for path in paths:
        print(path)


def main(words):
    if "--rank" in words:
        return model_rank.main(words)
    if any(word.partition("=")[0] == "--counts" for word in words):
        return model_counts.main(words)
    if any(word.partition("=")[0] in ("--fit", "--measure") for word in words):
        return model_fit.main(words)
    words, program = _program_of(words)
    if shown_help(words, HELP, OPTIONS, needs_words=True):
        return 0 if words else 2
    options, source = parse(words)
    model = options["--model"]
    if options["--list"]:
        return _list(model)
    if program is None:
        return _answer(options, model, source)
    if source is not None:
        raise InputError(f"{source}: the program behind -- is recorded, expected no capture and no result")
    return _of_program(options, model, program)


def _of_program(options, model, program):
    """Records the program, and answers for a launch of it; returns trace-kernel's status."""
    if not options["--gpu"]:
        raise InputError("--: a program is recorded and simulated, expected --gpu")
    for name in ("--json", "--csv"):
        if options[name] == "-":
            raise InputError(f"{name} -: the program writes to standard output, expected a file")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"{pathlib.Path(program[0]).name}.wtrace"
        status = capture_program(program, [], path, options["--gpu"])
        try:
            return _answer(options, model, str(path)) or status
        except InputError as error:
            raise InputError(str(error).replace(f"{path}", pathlib.Path(program[0]).name)) from error


def _answer(options, model, source):
    """Prints and writes what the model says."""
    user, of_gpu = _user(options, model)
    if options["--gpu"] and of_gpu and options["--gpu"] != of_gpu:
        raise InputError(f"{options['--inputs']}: has the values of {of_gpu}, expected --gpu {of_gpu} or no --gpu")
    gpu = machine.load(options["--gpu"]) if options["--gpu"] else None
    if gpu and source:  # before a capture is simulated
        gather.machine_values(model, gpu, catalogue.inputs_for(model, user))
    collected, absent = _collected(source, options, gpu)
    def resolve(given):
        return gather.resolve(model, gpu, collected, given, absent)

    if options["--sweep"]:
        return _sweep(options, model, resolve, {**collected, **user})
    inputs = resolve(user)
    answer = gather.answer(model, inputs)
    name = gpu.name if gpu else of_gpu
    if options["--json"] != "-" and options["--csv"] != "-":
        for line in output.text(model, name, inputs, answer):
            print(printable(line))
    if options["--json"]:
        files.write_or_print(options["--json"], output.json_text(output.as_json(model, name, inputs, answer)))
    if options["--csv"]:
        files.write_or_print(options["--csv"], output.csv_text(inputs, answer))
    if options["--chart"]:
        from warpscope.show.plots import model_parts
        _show_paths(model_parts.save(catalogue.MODELS[model].TITLE, answer, options["--chart"]))
    return 0
