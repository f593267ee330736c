"""What `ptxas -v` says of each kernel. Run as a program: `ptxas_output.py FILE:SAID…` prints resources.tsv for cubins and what ptxas said of them."""
import re
import sys

COLUMNS = ("registers", "stack_bytes", "spill_store_bytes", "spill_load_bytes", "shared_bytes", "constant_bytes")


def kernels_of(said):
    """Name of each kernel to its figures, as text; "" where ptxas says nothing (constant bytes from CUDA 13.0 on some architectures)."""
    found, last = {}, None
    for line in said.splitlines():
        if match := re.search(r"Compiling entry function '([^']+)'", line):
            last = found.setdefault(match[1], dict.fromkeys(COLUMNS, ""))
            last["shared_bytes"] = "0"
            current = match[1]
        elif match := re.search(r"Function properties for (\S+)", line):
            current = match[1]
        elif (match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line)) and current in found:
            found[current].update(zip(COLUMNS[1:4], match.groups()))
        elif match := re.search(r"Used (\d+) registers", line):
            last["registers"] = match[1]
            for key, pattern in (("shared_bytes", r"(\d+) bytes smem"), ("constant_bytes", r"(\d+) bytes cmem\[0\]")):
                if figure := re.search(pattern, line):
                    last[key] = figure[1]
    return found


def main():
    print("\t".join(("file", "kernel", *COLUMNS)))
    for pair in sys.argv[1:]:
        name, path = pair.split(":")
        with open(path) as file:
            for kernel, figures in kernels_of(file.read()).items():
                print("\t".join((name, kernel, *(figures[column] for column in COLUMNS))))


if __name__ == "__main__":
    main()
