"""Users without a home that they can write: PoCL's and our own folders are others then, and nothing is left behind."""
import os
import subprocess
import unittest

from support import BIN, TEST_BIN, RuntimeProgramTest

COPY = "__kernel void copy(__global int* a, __global int* b) {\n  b[get_global_id(0)] = a[get_global_id(0)];\n}\n"
NOBODY = 65534


class Homes(RuntimeProgramTest):
    HOMES = {
        "none": {},
        "that cannot be made": {"HOME": "/proc/nobody"},
        "that is not writable": {"HOME": "/proc"},
        "and a folder of caches that is not writable": {"HOME": "/proc", "XDG_CACHE_HOME": "/proc/caches"},
        "and a cache of PoCL's that is not writable": {"HOME": "/proc", "POCL_CACHE_DIR": "/proc/pocl"},
    }

    def setUp(self):
        super().setUp()
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir(mode=0o777)
        self.temporary.chmod(0o777)
        self.folder.chmod(0o777)
        (self.folder / "copy.cl").write_text(COPY, encoding="ascii")
        self.program = self.build("twin")
        for name in ("HOME", "XDG_CACHE_HOME", "POCL_CACHE_DIR", "WARPSCOPE_CACHE"):
            self.environment.pop(name, None)
        self.environment["TMPDIR"] = str(self.temporary)

    def commands(self):
        kernel = ("copy.cl", "--global", "64")
        return {
            "a kernel file": (BIN / "trace-kernel", *kernel, "-o", "k.wtrace"),
            "the whole path": (BIN / "warpscope", *kernel, "--gpu", "t4", "-o", "out", "--no-plots"),
            "an OpenCL program": (BIN / "trace-kernel", "-o", "o.wtrace", "--", TEST_BIN / "programs_host", "one_launch"),
            "a CUDA program": (BIN / "trace-kernel", "-o", "c.wtrace", "--", self.program),
            "an untraced CUDA program": (self.program,),
        }

    def run_as(self, user, command, home):
        def become():
            if user:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
        return subprocess.run(list(map(str, command)), cwd=self.folder, env={**self.environment, **home}, capture_output=True, text=True,
                              timeout=240, preexec_fn=become)

    def check_one(self, command, home, user=0):
        done = self.run_as(user, command, home)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("not found", done.stderr)
        self.assertEqual([path.name for path in self.temporary.iterdir()], [], "left behind")

    def test_of_every_kind(self):
        for name, home in self.HOMES.items():
            with self.subTest(home=name):
                self.check_one(self.commands()["a kernel file"], home)
        for what, command in self.commands().items():
            with self.subTest(what):
                self.check_one(command, {"HOME": "/proc"})

    @unittest.skipUnless(os.getuid() == 0 and os.access("/proc/self/uid_map", os.R_OK), "only root becomes somebody else")
    def test_another_user(self):
        for what, command in self.commands().items():
            with self.subTest(what):
                self.check_one(command, {"HOME": "/nonexistent"}, NOBODY)

    def test_without_any_folder_it_is_named(self):
        self.environment["TMPDIR"] = "/proc"
        done = self.run_as(0, self.commands()["an untraced CUDA program"], {"HOME": "/proc"})
        self.assertIn("PoCL has no folder for compiled kernels: /proc/.cache/pocl/kcache cannot be written", done.stderr)
        self.assertIn("expected a writable $POCL_CACHE_DIR or $TMPDIR", done.stderr)
        self.assertNotIn("not found", done.stderr)


if __name__ == "__main__":
    unittest.main()
