#!/usr/bin/python3
"""Makes warpscope-VERSION-linux-x86_64.tar.zst: the tools with PoCL, LLVM, clang and Python, to be run from any folder. scripts/package calls it.

    packaging/archive.py BUILD FOLDER [--level N]     from the build folder, into FOLDER; N: how hard zstd tries, 1 to 19 (default 19)

BUILD is a build that has been made; this machine is the Debian 12 that the libraries are taken from. Exit status 2 if something is missing.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
sys.dont_write_bytecode = True

import contents  # noqa: E402
import elf  # noqa: E402
from warpscope.base.errors import Error, InputError  # noqa: E402


def install(build, top):
    """Our own part. Programs go to libexec/, and bin/ has the launcher under their names."""
    done = subprocess.run(["cmake", "--install", build, "--prefix", top], capture_output=True, text=True, env={**os.environ, "DESTDIR": ""})
    if done.returncode:
        raise InputError(f"{build}: {(done.stderr.strip().splitlines() or ['cannot be installed'])[-1]}, expected a build of all tools")
    (top / "bin").rename(top / "libexec")
    subprocess.run(["strip", "--strip-unneeded", *elf.of(top)], check=True)


def copy_system(top):
    """What is Debian's; the files that were copied."""
    copied = []
    for pattern, place, name in contents.FILES:
        for path in contents.matches(pattern):
            target = top / place / (name or path.name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            copied.append(path)
    for pattern, place in contents.TREES:
        for path in contents.matches(pattern):
            shutil.copytree(path, top / place.format(parent=path.parent.name), dirs_exist_ok=True)
            copied += [file for file in path.rglob("*") if file.is_file()]
    for path, place in contents.package_files():
        (top / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, top / place)
        copied.append(path)
    (top / contents.COMPILER).parent.mkdir(parents=True)
    (top / contents.COMPILER).touch()
    find_settings(top / "lib/python/lib/python3/dist-packages/matplotlib/__init__.py")
    return copied + elf.copy_libraries(top)


def find_settings(module):
    """matplotlib's own settings are next to it again, not in /etc, where Debian has them."""
    debian, own = "yield '/etc/matplotlibrc'", "yield os.path.join(get_data_path(), 'matplotlibrc')"
    text = module.read_text()
    if text.count(debian) != 1:
        raise InputError(f"{module.name} of matplotlib: '{debian}' is not in it once, expected Debian 12's")
    module.write_text(text.replace(debian, own))


def compile_python(top):
    """Byte code that holds wherever the archive lies, and is never written later."""
    places = [top / "lib/python/lib/python3.11", top / "lib/python/lib/python3/dist-packages", top / "lib/python3/dist-packages"]
    subprocess.run(["/usr/bin/python3", "-m", "compileall", "-q", "-s", top, "--invalidation-mode", "unchecked-hash", *places],
                   stdout=subprocess.DEVNULL, check=False)  # a few files are tests of errors


def add_launcher(top):
    """bin/NAME for every program, and what they find in $PATH."""
    programs = sorted(path.name for path in (top / "libexec").iterdir())
    python = [name for name in programs if not elf.is_elf(top / "libexec" / name)]
    cxx = re.search(r"\.(\d+)$", os.path.realpath(contents.LIBRARIES / "libstdc++.so.6"))[1]
    text = (HERE / "launcher").read_text().replace("@PYTHON_COMMANDS@", " | ".join(python))
    text = text.replace("@GLIBC_MINOR@", str(elf.newest_glibc(top)[1])).replace("@CXX_MINOR@", cxx)
    for folder in ("bin", "lib/path"):
        (top / folder).mkdir()
    for name in programs:
        (top / "bin" / name).write_text(text)
        (top / "bin" / name).chmod(0o755)
    for name in ("opt-15", "llvm-link-15"):
        (top / "lib/path" / name).symlink_to(f"../llvm/bin/{name}")
    for name in ("clang-15", "ld"):
        shutil.copy(HERE / "path" / name, top / "lib/path" / name)
    (top / "lib/path/clang++-15").symlink_to("clang-15")


def add_licences(top, copied, version):
    """licences/PACKAGE of all that is Debian's, and the README with their versions."""
    packages = contents.packages_of(copied)
    (top / "licences").mkdir()
    for name, *_ in packages:
        text = pathlib.Path(f"/usr/share/doc/{name}/copyright")
        if not text.is_file():
            raise InputError(f"{text}: not found, expected the licence of what goes into the archive")
        shutil.copyfile(text, top / "licences" / name)
    table = "\n".join(f"| {name} | {number} | {source} |" for name, number, source in packages)
    readme = (HERE / "archive.md").read_text().replace("@VERSION@", version).replace("@PACKAGES@", table)
    (top / "README.md").write_text(readme.replace("@GLIBC@", "2.%d" % elf.newest_glibc(top)[1]))
    shutil.copyfile(HERE.parent / "LICENSE", top / "LICENSE")


def version_of(build):
    found = re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.+)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found[1]


def make(build, folder, level):
    """The archive's path, and its size unpacked in bytes."""
    if not (build / "CMakeCache.txt").is_file():
        raise InputError(f"{build}: no CMakeCache.txt, expected a build folder (scripts/package makes one)")
    version = version_of(build)
    name = f"warpscope-{version}-linux-x86_64"
    with tempfile.TemporaryDirectory(prefix="warpscope-archive-", dir=folder) as work:
        top = pathlib.Path(work) / name
        install(build, top)
        copied = copy_system(top)
        elf.set_paths(top)
        compile_python(top)
        add_launcher(top)
        add_licences(top, copied, version)
        size = sum(path.lstat().st_size for path in top.rglob("*") if not path.is_dir())
        archive = folder / f"{name}.tar.zst"
        subprocess.run(["tar", "--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mode=u+rw,go=rX", "--mtime=@1",
                        f"--use-compress-program=zstd -{level} -T0 -q", "--file", f"{archive}.part", "--directory", work, name], check=True)
        os.replace(f"{archive}.part", archive)
    return archive, size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--level", type=int, choices=range(1, 20), default=19, metavar="N")
    given = parser.parse_args()
    try:
        archive, size = make(given.build, given.folder, given.level)
    except (Error, OSError, subprocess.CalledProcessError) as error:
        sys.exit(print(f"archive: {error}", file=sys.stderr) or 2)
    print(f"{archive}: {archive.stat().st_size / 1e6:.0f} MB, unpacked {size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
