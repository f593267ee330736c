"""warpscope.run.limited: nothing of a run is left, what it says is bounded, and it may not wait for ever."""
import os
import pathlib
import sys
import tempfile
import time
import unittest
from unittest import mock

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python"))
from warpscope.run import limited  # noqa: E402


def shell(text):
    return limited.run(["/bin/sh", "-c", text], os.environ)


class Limited(unittest.TestCase):
    def test_status_and_messages(self):
        done = shell("echo said >&2; echo dropped; exit 3")
        self.assertEqual((done.status, done.messages, done.waited), (3, b"said\n", False))

    def test_nothing_is_left(self):
        """Neither what holds the pipe of the messages nor what has closed it."""
        with tempfile.TemporaryDirectory() as folder:
            began = time.monotonic()
            for word in ("", ">&- 2>&-"):
                self.assertEqual(shell(f"(sleep 3; touch {folder}/left) {word} & exit 0").status, 0)
            self.assertLess(time.monotonic() - began, 3)
            time.sleep(3.5)
            self.assertEqual(os.listdir(folder), [])

    def test_messages_are_bounded(self):
        done = shell("head -c 5000000 /dev/zero >&2; echo end >&2")
        self.assertEqual((done.status, len(done.messages)), (0, limited.MOST_MESSAGES))

    def test_waiting_ends(self):
        with mock.patch.object(limited, "IDLE_SECONDS", 2):
            done = shell("sleep 1000")
            self.assertTrue(done.waited)
            done = shell("exec 2>&-; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; sleep 1")  # works, then waits less than that
            self.assertEqual((done.status, done.waited), (0, False))


if __name__ == "__main__":
    unittest.main()
