"""Compares machine-code's text of every instruction with that of nvdisasm 11.8. Run as a program: `disassembler.py FILE.cubin…`, or
`disassembler.py --expected FOLDER`, which writes digests of nvdisasm's text to FOLDER/expected.tsv.

nvdisasm reads raw words (--binary SM90), so that cubins of every compiler can be compared. It is found in $CUDA_HOME/bin or on PATH. Where it prints another form
than the records that the decoder follows (machine/ISA.md, "Where versions differ"), `in_form_of_11_8` says so.
"""
import hashlib
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

# Came with CUDA 12: nvdisasm 11.8 prints nothing for them.
UNKNOWN_TO_11_8 = ("VIADD", "VIADDMNMX", "VIMNMX", "VIMNMX3", "QMMA", "QGMMA")
NOP = 0x000FC00000000000_0000000000007918
SHOW_DESCRIPTOR = 1 << 101  # nvdisasm 11.8 hides descriptors of memory unless this bit is set


def find():
    """nvdisasm of CUDA 11.8, or None."""
    home = os.environ.get("CUDA_HOME")
    for path in filter(None, (home and f"{home}/bin/nvdisasm", shutil.which("nvdisasm"))):
        if os.access(path, os.X_OK) and "release 11.8" in subprocess.run([path, "--version"], capture_output=True, text=True).stdout:
            return path
    return None


def words_of(path):
    """Architecture, and the different words of a cubin's code as numbers."""
    data = path.read_bytes()
    start, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<2xHH", data, 58)
    flags, = struct.unpack_from("<I", data, 48)
    sections = [struct.unpack_from("<IIQQQQ", data, start + 64 * number) for number in range(count)]
    words = set()
    for name, _, _, _, offset, size in sections:
        place = sections[names][4] + name
        if data[place:place + 5] == b".text":
            words.update(int.from_bytes(data[at:at + 16], "little") for at in range(offset, offset + size - 15, 16))
    return (flags >> 8 if data[7] == 0x41 else flags) & 255, sorted(words)


def ours(program, architecture, words):
    """Text of each word, at address 16 times its number."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.writelines(f"{word:032x} {16 * number:x}\n" for number, word in enumerate(words))
        file.flush()
        done = subprocess.run([program, "--words", file.name, "--arch", f"sm_{architecture}"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[:len(words)]


def theirs(nvdisasm, architecture, words):
    """The same of nvdisasm; None for what it does not print. It stops at a word that it refuses: that one becomes a NOP."""
    words, refused = list(words), set()
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        while True:
            file.seek(0)
            file.write(b"".join(word.to_bytes(16, "little") for word in words))
            file.flush()
            done = subprocess.run([nvdisasm, "--binary", f"SM{architecture}", file.name], capture_output=True, text=True, check=False)
            wrong = re.search(r"at address (0x[0-9a-f]+)", done.stderr)
            if not wrong:
                break
            refused.add(int(wrong[1], 16) // 16)
            words[int(wrong[1], 16) // 16] = NOP
    lines = {int(address, 16) // 16: text.rstrip() for address, text in re.findall(r"/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;", done.stdout)}
    return [None if number in refused else lines.get(number) for number in range(len(words))]


def in_form_of_11_8(text, architecture):
    """On sm_90, 11.8 hides descriptors of memory and has a space in `gdesc [UR4]` of HGMMA."""
    return re.sub(r"(?<!g)desc\[UR\w+\]\[", "[", text) if architecture >= 90 else text


def name_of(text):
    return re.sub(r"^@\S+ ", "", text).split()[0].split(".")[0]


def differences(program, nvdisasm, path):
    """(how many words were compared, (word, ours, theirs) where both differ)."""
    architecture, words = words_of(path)
    mine = ours(program, architecture, words)
    shown = [word | SHOW_DESCRIPTOR if architecture < 90 and "desc[" in text else word for word, text in zip(words, mine)]
    found, compared = [], 0
    for word, text, other in zip(words, mine, theirs(nvdisasm, architecture, shown)):
        if name_of(text) in UNKNOWN_TO_11_8:
            continue
        compared += 1
        if in_form_of_11_8(text, architecture) != (other or "").replace("gdesc [", "gdesc["):
            found.append((f"{word:032x}", text, other))
    return compared, found


def digest_of(texts):
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:32]


def write_expected(nvdisasm, folder):
    lines = ["file\twords\tdigest"]
    for path in sorted(folder.glob("*/*.cubin")):
        architecture, words = words_of(path)
        # The bit that shows descriptors is unused elsewhere.
        shown = theirs(nvdisasm, architecture, [word | SHOW_DESCRIPTOR if architecture < 90 else word for word in words])
        texts = [text.replace("gdesc [", "gdesc[") for text in shown if text is not None]
        lines.append(f"{path.relative_to(folder)}\t{len(texts)}\t{digest_of(texts)}")
    (folder / "expected.tsv").write_text("\n".join(lines) + "\n")


def main():
    program = pathlib.Path(os.environ.get("WARPSCOPE_BIN", "build/release/bin")) / "machine-code"
    nvdisasm = find()
    if nvdisasm is None:
        sys.exit("disassembler.py: no nvdisasm of CUDA 11.8 in $CUDA_HOME/bin or on PATH")
    if sys.argv[1:2] == ["--expected"]:
        write_expected(nvdisasm, pathlib.Path(sys.argv[2]))
        return
    total = wrong = 0
    for path in map(pathlib.Path, sys.argv[1:]):
        compared, found = differences(program, nvdisasm, path)
        total, wrong = total + compared, wrong + len(found)
        for word, text, other in found:
            print(f"{path}: {word}: {text}, nvdisasm: {other}")
    print(f"{total} words compared, {wrong} differ")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
