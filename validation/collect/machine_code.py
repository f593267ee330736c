"""The machine code that this machine's nvcc makes of a launch's kernel, in the place of what our clang makes of it: validation/accuracy --machine."""
import pathlib
import shlex

from collect import family_launches, machine_launches
from warpscope.base import cuda_tools
from warpscope.base.errors import InputError
from warpscope.run.kept import of_files


class MachineCode:
    """Words of trace-kernel for launches as machine code; cubins are made in a folder of the call."""

    def __init__(self):
        """Raises InputError where there is no nvcc."""
        if not cuda_tools.look("nvcc"):
            raise InputError("--machine: no nvcc in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH, expected the CUDA toolkit")

    @staticmethod
    def architecture(launch):
        return f"sm_{launch.cc.replace('.', '')}"

    def made_with(self, launch):
        """What a capture depends on, besides the kernel, the options and our tools."""
        return [self.architecture(launch), of_files([pathlib.Path(cuda_tools.look("nvcc")), pathlib.Path(cuda_tools.look("ptxas"))])]

    def words(self, launch, macros, options, folder):
        """The file and all options but -o: what the kernel's source is captured with, macros (-D NAME=VALUE of each) apart from the other options."""
        command = launch.command
        if command.path.suffix != ".cl":
            return [command.path, *(word for macro in macros for word in ("-D", macro)), *options, f"--machine={self.architecture(launch)}"]
        row = {"launch": f"{launch.family}/{launch.name}", "file": command.file, "options": shlex.join(word for macro in macros for word in ("-D", macro)), "part": ""}
        folder.mkdir(exist_ok=True)
        return [*machine_launches.compiled(family_launches.Launch(row, folder), self.architecture(launch), folder), *options]
