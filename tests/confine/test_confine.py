"""confine: each thing that it denies works without it and fails under it; kernels of each kind are traced under it, nothing of which is cached."""
import ctypes
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "endtoend"))

from support import BIN, SOURCE, ToolTest, kernel  # noqa: E402

PYTHON = "/usr/bin/python3"
REPORT = json.loads(subprocess.run([BIN / "confine", "--report"], capture_output=True, text=True, check=True).stdout)
CAN = REPORT["files"] and REPORT["seccomp"]
EPERM, EACCES, ENOSYS = 1, 13, 38
NOBODY = 65534
KERNEL = "import ctypes, os; c = ctypes.CDLL(None, use_errno=True)\n"
# A call by its number on x86-64: its return value, or its error. Most fail without confine, too, but with another error.
CALLS = {"ptrace": (101, 0, 0, 0, 0), "process_vm_readv": (310, 0, 0, 0, 0, 0, 0), "process_vm_writev": (311, 0, 0, 0, 0, 0, 0), "unshare": (272, 0),
         "setns": (308, -1, 0), "mount": (165, 0, 0, 0, 0, 0), "bpf": (321, -1, 0, 0), "io_uring_setup": (425, 0, 0), "keyctl": (250, 0, -3, 0),
         "perf_event_open": (298, 0, 0, -1, -1, 0), "userfaultfd": (323, -1), "shmget": (29, 0, 1, 0),
         "kexec_load": (246, 0, -1, 0, 0), "init_module": (175, 0, 0, 0), "execveat": (322, -1, 0, 0, 0, 0), "mq_open": (240, 0, 0, 0, 0)}
UNKNOWN = {"clone3": (435, 0, 0), "openat2": (437, -1, 0, 0, 0), "a call of the future": (999,)}
FOREIGN = """
int main(int words, char **) {
  if (words == 1) asm volatile("int $0x80" ::"a"(20));          // getpid of 32 bits
  else asm volatile("syscall" ::"a"(0x40000000 | 39) : "rcx", "r11", "memory");  // and of x32
}
"""


def failing_call(number, error):
    """For a child: this call of the kernel fails."""
    def limit():
        steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x50000 | error), (0x06, 0, 0, 0x7fff0000)]
        code = b"".join(code.to_bytes(2, "little") + bytes([yes, no]) + value.to_bytes(4, "little") for code, yes, no, value in steps)
        kept = ctypes.create_string_buffer(code)
        program = (len(steps)).to_bytes(8, "little") + ctypes.addressof(kept).to_bytes(8, "little")
        libc = ctypes.CDLL(None)
        libc.prctl(38, 1, 0, 0, 0)
        libc.prctl(22, 2, program, 0, 0)
    return limit


class Confined(ToolTest):
    def setUp(self):
        super().setUp()
        self.write, self.other = self.folder / "work", self.folder / "other"
        self.write.mkdir()
        self.other.mkdir()
        (self.other / "file").write_text("content")

    def confine(self, *words, options=(), **more):
        return self.call("confine", "--write", self.write, *options, "--", *words, **more)

    def python(self, code, confined=True, options=(), **more):
        """(exit status, what the code prints)."""
        code = code.replace("OTHER", str(self.other)).replace("WORK", str(self.write))
        words = (PYTHON, "-I", "-c", code)
        done = self.confine(*words, options=options, **more) if confined else subprocess.run(words, capture_output=True, **more)
        return done.returncode, done.stdout.decode() + done.stderr.decode()

    def both(self, code, expected, options=()):
        """The code raises this error under confine, and then works without it."""
        status, said = self.python(code, options=options)
        self.assertEqual(status, 1, (code, said))
        self.assertRegex(said, expected, code)
        status, said = self.python(code, confined=False)
        self.assertEqual(status, 0, (code, said))


@unittest.skipUnless(CAN, "needs Landlock and seccomp")
class Denied(Confined):
    def test_files_outside_are_neither_read_nor_changed(self):
        home = os.path.expanduser("~")
        for code in (f"import os; os.listdir('{home}')", "open('OTHER/file').read()", "import os; os.listdir('OTHER')", "open('OTHER/new', 'w')",
                     "open('OTHER/file', 'a')", "import os; os.mkdir('OTHER/folder')", "import os; os.rename('OTHER/folder', 'OTHER/folder2')",
                     "import os; os.rmdir('OTHER/folder2')", "import os; os.symlink('x', 'OTHER/link')", "import os; os.unlink('OTHER/link')",
                     "import os; open(f'/proc/{os.getppid()}/environ').read()", "open('/etc/hostname').read()"):
            with self.subTest(code=code):
                self.both(code, "PermissionError: .Errno 13.")

    def test_files_that_are_read_are_not_changed(self):
        read = ("--read", self.other)
        self.assertEqual(self.python("print(open('OTHER/file').read())", options=read), (0, "content\n"))
        for code in ("open('OTHER/file', 'w')", "import os; os.open('OTHER/file', os.O_RDONLY | os.O_TRUNC)", "import os; os.truncate('OTHER/file', 1)",
                     "import os; os.chmod('OTHER/file', 0o600)", "import os; os.utime('OTHER/file')", "import os; os.chown('OTHER/file', -1, -1)",
                     "import os; os.fchmod(os.open('OTHER/file', os.O_RDONLY), 0o644)", "import os; os.setxattr('OTHER/file', 'user.x', b'')",
                     "import os; os.link('OTHER/file', 'WORK/file'); os.unlink('WORK/file')"):
            with self.subTest(code=code):
                (self.other / "file").write_text("content")
                self.both(code, r"(Permission|OS)Error: .Errno (1|13|18)\W", read)

    def test_programs_of_the_folder_do_not_run(self):
        shutil.copy("/bin/true", self.write / "program")
        self.assert_refused(self.confine(self.write / "program"), "program: cannot run: Permission denied; expected a program of the system, or --read PATH")
        self.assertEqual(self.confine(self.write / "program", options=("--read", self.write / "program")).returncode, 0)

    def test_no_network(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            self.both(f"import socket; socket.create_connection(('127.0.0.1', {port}))", "Errno 1")
        for family, kind in (("AF_INET", "SOCK_DGRAM"), ("AF_INET6", "SOCK_STREAM"), ("AF_UNIX", "SOCK_STREAM"), ("AF_NETLINK", "SOCK_RAW")):
            self.both(f"import socket; socket.socket(socket.{family}, socket.{kind})", "Errno 1")
        self.both("import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)", "Errno 1")
        pair = "import socket; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))"
        self.assertEqual(self.python(pair), (0, "b'x'\n"))

    def test_calls(self):
        for expected, calls in ((EPERM, CALLS), (ENOSYS, UNKNOWN)):
            for name, arguments in calls.items():
                with self.subTest(call=name):
                    code = KERNEL + f"print(c.syscall({', '.join(f'ctypes.c_long({one})' for one in arguments)}), ctypes.get_errno())"
                    self.assertEqual(self.python(code), (0, f"-1 {expected}\n"))

    def test_calls_by_argument(self):
        new_user = 0x10000000
        self.both(KERNEL + f"pid = c.syscall(56, {new_user} | 17, 0, 0, 0, 0)\nif pid == 0: os._exit(0)\nassert pid > 0, f'Errno {{ctypes.get_errno()}}'",
                  "Errno 1")
        self.both("import resource, os; resource.prlimit(os.getppid(), resource.RLIMIT_CORE, resource.prlimit(os.getppid(), resource.RLIMIT_CORE))",
                  "Errno 1")
        main, side = os.openpty()
        try:
            code = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSTI, b'x')"
            status, said = self.python(code, stdin=side)
            self.assertIn("PermissionError: [Errno 1]", said)
        finally:
            os.close(main)
            os.close(side)

    @unittest.skipUnless(REPORT["signals"], "needs Landlock 6")
    def test_processes_outside_get_no_signals(self):
        self.both("import os; os.kill(os.getppid(), 0)", "Errno 1")
        self.assertEqual(self.python("import os; os.kill(os.getpid(), 0)"), (0, ""))

    def test_nobody_leaves_the_process_group(self):
        self.both("import os\nif os.fork(): raise SystemExit(os.waitstatus_to_exitcode(os.wait()[1]))\nos.setsid()", "Errno 1")

    def test_calls_of_other_architectures_kill(self):
        compiler = shutil.which("clang++-15") or shutil.which("g++")
        subprocess.run([compiler, "-x", "c++", "-", "-o", self.other / "foreign"], input=FOREIGN.encode(), check=True)
        self.assertEqual(subprocess.run([self.other / "foreign"]).returncode, 0)
        for words in ((), ("x32",)):
            done = self.confine(self.other / "foreign", *words, options=("--read", self.other))
            self.assertEqual(done.returncode, -signal.SIGSYS)

    def test_open_files_of_the_caller_are_closed(self):
        with open(self.other / "file", "rb") as opened:
            code = f"import os; os.read({opened.fileno()}, 1)"
            self.assertIn("Errno 9", self.python(code, pass_fds=[opened.fileno()])[1])

    def test_privileges(self):
        said = self.python("print(open('/proc/self/status').read())")[1]
        self.assertRegex(said, r"NoNewPrivs:\s+1\n")
        self.assertRegex(said, r"CapPrm:\s+0+\nCapEff:\s+0+\n")


@unittest.skipUnless(CAN, "needs Landlock and seccomp")
class Limited(Confined):
    def test_time(self):
        limit = ("--cpu-seconds", 1)
        self.assertEqual(self.python("while True: pass", options=limit)[0], -signal.SIGXCPU)
        stubborn = "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
        self.assertEqual(self.python(stubborn, options=limit)[0], -signal.SIGKILL)

    def test_memory(self):
        self.both("bytearray(1 << 29)", "MemoryError", ("--memory", 1 << 28))

    def test_size_of_files(self):
        code = "open('WORK/file', 'wb').write(bytes(1 << 20))"
        self.assertIn("Errno 27", self.python(code, options=("--file-size", 65536))[1])
        self.assertEqual((self.write / "file").stat().st_size, 65536)
        self.both(code, "Errno 27", ("--file-size", 65536))
        done = self.confine("/bin/dd", "if=/dev/zero", f"of={self.write}/file", "bs=64k", "count=9", options=("--file-size", 65536))
        self.assertEqual(done.returncode, -signal.SIGXFSZ)

    def test_addresses(self):
        """What a program computes from addresses is the same in every run."""
        place = (PYTHON, "-c", "import ctypes; print(ctypes.cast(ctypes.CDLL(None).printf, ctypes.c_void_p).value)")
        self.assertNotEqual(*(subprocess.run(place, stdout=subprocess.PIPE, check=True).stdout for _ in range(2)))
        confined = [self.confine(*place).stdout for _ in range(2)]
        self.assertTrue(confined[0].strip())
        self.assertEqual(*confined)

    def test_core_files(self):
        self.assertEqual(self.python("import resource; print(resource.getrlimit(resource.RLIMIT_CORE))"), (0, "(0, 0)\n"))

    @unittest.skipIf(os.getuid() != 0, "needs root, to be nobody")
    def test_processes(self):
        for path in (self.folder, self.write):
            path.chmod(0o777)
        code = ("import os, time\nmade = 0\ntry:\n  while made < 50:\n    if os.fork() == 0: time.sleep(3); os._exit(0)\n    made += 1\n"
                "except OSError as error: print(error.errno)\nprint(made)")
        done = self.confine(PYTHON, "-I", "-c", code, options=("--processes", 5), user=NOBODY, group=NOBODY)
        error, made = done.stdout.decode().split()
        self.assertEqual(error, "11")
        self.assertIn(int(made), range(3, 7))  # others of this user may come and go


@unittest.skipUnless(CAN, "needs Landlock and seccomp")
class Works(Confined):
    def test_status_and_signal_are_those_of_the_command(self):
        self.assertEqual(self.confine("/bin/sh", "-c", "exit 37").returncode, 37)
        self.assertEqual(self.confine("/bin/sh", "-c", "kill -TERM $$").returncode, -signal.SIGTERM)
        self.assertEqual(self.confine("/bin/sh", "-c", "kill -PIPE $$").returncode, -signal.SIGPIPE)

    def test_the_folder(self):
        code = ("import os, subprocess, tempfile, threading\nassert tempfile.gettempdir() == 'WORK'\nos.chdir('WORK')\nos.mkdir('a'); os.mkdir('b')\n"
                "for text in 'longer', 'x': open('a/f', 'w').write(text)\nos.rename('a/f', 'b/f'); os.symlink('f', 'b/g'); os.link('b/f', 'b/h')\n"
                "print(open('b/g').read()); os.unlink('b/h'); os.ftruncate(os.open('b/f', os.O_RDWR), 0); open('/dev/null', 'w').write('x')\n"
                "print(len(open('/dev/urandom', 'rb').read(3)), subprocess.run(['sh', '-c', 'echo $TMPDIR'], capture_output=True, text=True).stdout)\n"
                "thread = threading.Thread(target=print); thread.start(); thread.join()")
        self.assertEqual(self.python(code), (0, f"x\n3 {self.write}\n\n\n"))

    def trace(self, name, *words):
        private = {"POCL_CACHE_DIR": str(self.write / "pocl"), "WARPSCOPE_CACHE": str(self.write / "cache"), "XDG_CACHE_HOME": str(self.write / "xdg")}
        limits = ("--cpu-seconds", 100, "--memory", 16 << 30, "--file-size", 1 << 30, "--processes", 1000)
        done = self.confine(BIN / "trace-kernel", self.write / name, *words, "-o", self.write / "capture.wtrace", environment=private, options=limits)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        confined = self.run_tool("trace-view", self.write / "capture.wtrace")
        self.run_tool("trace-kernel", self.write / name, *words, "-o", self.write / "capture.wtrace")
        self.assertEqual(self.run_tool("trace-view", self.write / "capture.wtrace"), confined)

    def copied(self, *paths):
        for path in paths:
            shutil.copy(path, self.write)

    def test_opencl(self):
        self.copied(kernel("mm_tiled"), kernel("mm_tiled").with_suffix(".launch"))
        self.trace("mm_tiled.cl", "--size", "small", "--verify")

    def test_cuda(self):
        self.copied(kernel("mm_tiled").with_suffix(".cu"), kernel("mm_tiled").with_suffix(".launch"))
        self.trace("mm_tiled.cu", "--size", "small")

    def test_threads_with_stacks(self):
        """Their code is in memory, under a name of /proc."""
        (self.write / "k.cu").write_text("__global__ void k(int *out) {\n  __shared__ int flag;\n  if (threadIdx.x == 0) atomicExch(&flag, 0);\n  __syncthreads();\n"
                                         "  if (threadIdx.x == 40) atomicExch(&flag, 7);\n  while (atomicAdd(&flag, 0) == 0) {}\n  out[threadIdx.x] = flag;\n}\n")
        self.trace("k.cu", "--grid", 1, "--block", 64, "--arg", "out=count=64")

    def test_machine_code(self):
        self.copied(SOURCE / "tests/machine/suite/mm_tiled.fatbin", *(kernel("mm_tiled").with_suffix(suffix) for suffix in (".cu", ".launch")))
        self.trace("mm_tiled.fatbin", "--size", "small", "--machine=sm_80")


@unittest.skipUnless(CAN and pathlib.Path("/usr/local/cuda/bin/nvcc").exists(), "needs NVIDIA's nvcc")
class NeedsCudaToolkit(Works):
    test_status_and_signal_are_those_of_the_command = test_the_folder = test_opencl = test_cuda = test_threads_with_stacks = test_machine_code = None

    def test_machine_code_of_nvcc(self):
        self.copied(kernel("mm_tiled").with_suffix(".cu"), kernel("mm_tiled").with_suffix(".launch"))
        self.trace("mm_tiled.cu", "--size", "small", "--machine=sm_90")


class Refused(Confined):
    def test_bad_input(self):
        there = ("--write", self.write)
        for words, expected in (((), "no command given"), (there, "no command given"), ((*there, "--"), "no command given"), (("--", "true"), "no --write DIR"),
                                (("--write", self.other / "file", "--", "true"), "file: expected a folder"),
                                (("--write", "none", "--", "true"), "none: expected a folder"),
                                ((*there, "--cpu-seconds", 0, "--", "true"), "--cpu-seconds: '0', expected a whole number from 1")):
            self.assert_refused(self.call("confine", *words), f"^confine: .*{expected}.*\n$")
        if CAN:
            self.assert_refused(self.confine("no-such-program"), "^confine: no-such-program: cannot run: No such file or directory\n$")
            self.assert_refused(self.confine("true", options=("--read", "none")), "^confine: none: cannot open: No such file or directory\n$")

    @unittest.skipUnless(CAN, "needs seccomp")
    def test_without_landlock_or_seccomp_nothing_runs(self):
        for call, name, reported in ((444, "Landlock", ("files", False)), (317, "seccomp", ("seccomp", False))):
            limit = failing_call(call, ENOSYS)
            done = self.confine("/bin/echo", "it ran", preexec_fn=limit)
            self.assert_refused(done, f"^confine: {name} is needed .*\n$", 3)
            report = json.loads(self.call("confine", "--report", preexec_fn=limit).stdout)
            self.assertEqual(report[reported[0]], reported[1])


if __name__ == "__main__":
    unittest.main()
