"""What the tests of the models share: an answer from a machine and bare values, and the command itself."""
import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "python"))

from warpscope.base.command import run_main  # noqa: E402
from warpscope.commands import model as command  # noqa: E402
from warpscope.explore.models import gather, machine  # noqa: E402
from warpscope.explore.models.formulas import catalogue  # noqa: E402
from warpscope.explore.models.formulas.values import Value  # noqa: E402


def inputs(model, gpu=None, **values):
    """All inputs of a model: `values` in its units, the rest from the machine and the defaults."""
    hints = {name: Value(value, "", "") for name, value in values.items()}
    units = {spec.name: spec.unit for spec in catalogue.inputs_for(model, hints)}
    given = {name: Value(value, units[name], "test") for name, value in values.items()}
    return gather.resolve(model, machine.load(gpu) if gpu else None, {}, given, {})


def answer(model, gpu=None, **values):
    return gather.answer(model, inputs(model, gpu, **values))


class CommandTest(unittest.TestCase):
    """A test with its own folder, where warpscope model runs."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def call(self, *words):
        """Runs the command in this process, as run_main does; returns what subprocess.run would."""
        words, out, messages, status = [str(word) for word in words], io.StringIO(), io.StringIO(), None
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(messages):
            try:
                run_main("warpscope", lambda: command.main(words))
            except SystemExit as end:
                status = end.code
        return subprocess.CompletedProcess(words, status, out.getvalue(), messages.getvalue())

    def run_model(self, *words):
        done = self.call(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def assert_refused(self, message, *words):
        """Exit status 2, one line on standard error, nothing else, no file."""
        before = sorted(self.folder.iterdir())
        done = self.call(*words)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
        self.assertRegex(done.stderr, message)
        self.assertEqual(sorted(self.folder.iterdir()), before)
