"""A benchmark kernel's CUDA twin as a whole program: a host that does what the launch file says."""
import re
import struct

from launches import FORMATS, Launch, content

PROGRAM = """\
// {name}.cu launched by a program, as {name}.launch says.
{defines}#include "{source}"
#include <cstdio>
#include <cstdlib>

static void must(cudaError_t error) {{
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\\n", cudaGetErrorString(error));
  exit(1);
}}

template <class T> static void fill(T *device, const char *name, size_t bytes) {{
  void *host = malloc(bytes);
  FILE *file = fopen(name, "rb");
  if (!host || !file || fread(host, 1, bytes, file) != bytes) exit(1);
  fclose(file);
  must(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
  free(host);
}}

template <class T> static void keep(const T *device, const char *name, size_t bytes) {{
  void *host = malloc(bytes);
  must(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
  FILE *file = fopen(name, "wb");
  if (!file || fwrite(host, 1, bytes, file) != bytes || fclose(file)) exit(1);
  free(host);
}}

int main() {{
{body}}}
"""


class TwinProgram:
    """The text of one twin's host, and the contents of its buffers."""

    def __init__(self, name):
        self.name = name
        self.launch = Launch(name)
        self.source = self.launch.source.with_suffix(".cu")
        constants = re.findall(r"__constant__ \w+ (\w+)\[", self.source.read_text(encoding="utf-8"))
        self.buffers = {}  # content by parameter
        self.constants = []
        self.arguments = []
        self.shared_bytes = 0
        for parameter in self.launch.parameters:
            self.add(parameter, parameter["name"] in constants)

    def add(self, parameter, is_constant):
        """One parameter of the OpenCL kernel: what becomes of it in CUDA."""
        name, given = parameter["name"], self.launch.arguments[parameter["name"]]
        if parameter["kind"] == "local":
            self.shared_bytes += given.shared_bytes
        elif parameter["kind"] == "value":
            assert parameter["vector_width"] == 1, f"{self.name}: {name}: teach vectors to tests/programs/twin_program.py"
            self.arguments.append(repr(given.values[0]))
        else:
            values = content(given.fill, parameter["element"], given.count * parameter["vector_width"])
            self.buffers[name] = struct.pack(f"<{len(values)}{FORMATS[parameter['element']]}", *values)
            if is_constant:
                self.constants.append(name)
            else:
                self.arguments.append(name)

    def text(self):
        """C++ of the whole program. Its buffers are called, and made in the order, as the kernel's parameters are."""
        lines = []
        for parameter in self.launch.parameters:
            if (name := parameter["name"]) not in self.buffers:
                continue
            size = len(self.buffers[name])
            if name in self.constants:
                lines += [f"void *symbol;\n  must(cudaGetSymbolAddress(&symbol, {name}));", f'fill(symbol, "{name}.in", {size});']
            else:
                element, width = parameter["element"], parameter["vector_width"]
                element = re.sub("^u", "unsigned ", element) if width == 1 else f"{element}{width}"
                lines += [f"{element} *{name};\n  must(cudaMalloc(&{name}, {size}));", f'fill({name}, "{name}.in", {size});']
        sizes = (f"dim3({', '.join(map(str, three))})" for three in (self.launch.grid, self.launch.local_size))
        lines += [f"{self.launch.kernel}<<<{', '.join(sizes)}, {self.shared_bytes}>>>({', '.join(self.arguments)});",
                  "must(cudaGetLastError());", "must(cudaDeviceSynchronize());"]
        lines += [f'keep({name if name not in self.constants else "symbol"}, "{name}.bin", {len(bytes_)});'
                  for name, bytes_ in self.buffers.items()]
        defines = "".join(f"#define {name} {value}\n" for name, value in self.launch.defines.items())
        return PROGRAM.format(name=self.name, defines=defines, source=self.source, body="".join(f"  {line}\n" for line in lines))

    def write(self, folder):
        """The program and its inputs."""
        for name, bytes_ in self.buffers.items():
            (folder / f"{name}.in").write_bytes(bytes_)
        (folder / f"{self.name}.cu").write_text(self.text(), encoding="utf-8")
        return folder / f"{self.name}.cu"
