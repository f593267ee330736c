"""warpscope serve: sessions, every tool, errors, progress, cancellation, and nothing but the protocol on standard output."""
import json
import pathlib
import queue
import sys
import time
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parent / "endtoend"), str(FOLDER)]

from client import NEWEST, Client  # noqa: E402
from support import SOURCE, ToolTest, kernel  # noqa: E402

RACE = SOURCE / "tests/install/hosts/race.cl"
RACING = {"file": str(RACE), "global": "128", "local": "64", "args": ["out=count=128"]}
MM = {"file": str(kernel("mm")), "global": "64,64"}
ENDLESS = "kernel void spin(global volatile int *out) { while (out[0] == 0) { } }\n"
TYPES = {"string", "array", "object", "number", "integer", "boolean"}


class SessionTest(ToolTest):
    def client(self, *words, **more):
        client = Client(self.folder, *words, **more)
        self.addCleanup(client.process.stdout.close)
        self.addCleanup(client.process.wait, 30)
        self.addCleanup(client.process.stdin.close)
        return client

    def endless(self):
        (self.folder / "spin.cl").write_text(ENDLESS)
        return {"name": "check", "arguments": {"file": "spin.cl", "global": "1", "local": "1", "args": ["out=count=1,fill=zero"]}}

    def children(self, client):
        """The processes below the server's."""
        return pathlib.Path(f"/proc/{client.process.pid}/task/{client.process.pid}/children").read_text().split() + [
            child for task in pathlib.Path(f"/proc/{client.process.pid}/task").iterdir() for child in (task / "children").read_text().split()]


class Sessions(SessionTest):
    def test_revisions_are_agreed_on(self):
        for wanted, agreed in (("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"), (NEWEST, NEWEST), ("1999-01-01", NEWEST)):
            with self.subTest(wanted=wanted):
                client = self.client(protocol=None)
                result = client.begin(wanted)
                self.assertEqual(result["protocolVersion"], agreed)
                self.assertEqual((result["serverInfo"]["name"], "tools" in result["capabilities"]), ("warpscope", True))
                self.assertEqual(client.ask("ping")["result"], {})
                self.assertEqual(client.close(), 0)

    def test_tools_have_schemas(self):
        tools = self.client().ask("tools/list")["result"]["tools"]
        self.assertEqual({tool["name"] for tool in tools}, {"judge", "check", "profile", "what_if", "list_gpus"})
        for tool in tools:
            schema = tool["inputSchema"]
            self.assertEqual(schema["type"], "object")
            self.assertLessEqual(set(schema["required"]), set(schema["properties"]))
            self.assertTrue(all(one["type"] in TYPES and one["description"] for one in schema["properties"].values()))

    def test_errors_of_the_protocol(self):
        client = self.client(protocol=None)
        self.assertEqual(client.ask("tools/list")["error"]["code"], -32600)
        self.assertEqual(client.ask("ping")["result"], {})
        client.begin(NEWEST)
        for line, code in ((b"{", -32700), (b"\xff\xfe", -32700), (b"[" * 100000, -32700), (b"[]", -32600), (b"3", -32600), (b'{"id":1,"method":"ping"}', -32600),
                           (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600), (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600),
                           (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600), (b'"' + b"x" * 3000000 + b'"', -32600)):
            client.send(line)
            self.assertEqual(client.next()["error"]["code"], code, line[:60])
        for method, params, code in (("resources/list", {}, -32601), ("tools/call", {"name": "none"}, -32602), ("tools/call", {}, -32602), ("initialize", {}, -32602),
                                     ("tools/call", {"name": "check", "arguments": 3}, -32602), ("tools/list", {"cursor": "x"}, -32602),
                                     ("initialize", {"protocolVersion": NEWEST}, -32600), ("ping", [1], -32602)):
            with self.subTest(method=method, params=params):
                self.assertEqual(client.ask(method, params)["error"]["code"], code)
        client.send({"jsonrpc": "2.0", "method": "notifications/of_another_kind"})
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}})
        client.send({"jsonrpc": "2.0", "id": 3, "result": {}})
        self.assertEqual(client.ask("ping")["result"], {})
        self.assertEqual((client.notifications, client.others), ([], []))

    def test_batches_of_the_revision_that_has_them(self):
        client = self.client(protocol="2025-03-26")
        client.send([{"jsonrpc": "2.0", "id": 71, "method": "ping"}, {"jsonrpc": "2.0", "method": "notifications/initialized"}, 5,
                     {"jsonrpc": "2.0", "id": 72, "method": "tools/call", "params": {"name": "list_gpus", "arguments": {}}}])
        answers = client.next()
        self.assertEqual({answer["id"] for answer in answers}, {71, 72, None})

    def test_options(self):
        for words in (("--jobs", "0"), ("--jobs", "x"), ("--none",), ("file",), ("--folder", str(RACE))):
            done = self.call("warpscope", "serve", *words)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (2, b"", 1), done.stderr)


class Calls(SessionTest):
    def test_every_tool_answers(self):
        client = self.client("--folder", "answers")
        raced = client.call("check", {**RACING, "global": 128})  # clients send numbers as numbers
        self.assertEqual([(fault["code"], fault["at"]) for fault in raced["structuredContent"]["faults"]], [("race-global", ["race.cl:2", "race.cl:2"])])
        self.assertEqual((raced["isError"], raced["structuredContent"]["passed"]), (False, False))
        self.assertTrue(client.call("check", MM)["structuredContent"]["passed"])
        profile = client.call("profile", {**MM, "gpu": "v100"}, _meta={"progressToken": "p"})
        content = profile["structuredContent"]
        self.assertEqual(content["load"]["requests"], 2 * 64**3 // 32)  # each of 64² work-items reads a row and a column; 32 a warp
        self.assertEqual(content["store"]["requests"], 64**2 // 32)
        capture = content["files"]["mm.wtrace"]
        changed = client.call("what_if", {"capture": capture, "changes": ["--pad", "A=+1"], "gpu": "v100"})
        self.assertIn("comparison", changed["structuredContent"])
        self.judge(client)
        gpus = client.call("list_gpus", {"contains": "h100"})
        self.assertIn("h100", gpus["structuredContent"]["gpus"])
        for result in (raced, profile, changed, gpus):
            text = result["content"][0]["text"]
            self.assertTrue(0 < len(text.encode()) <= 2048, text)
            self.assertLessEqual(len(json.dumps(result["structuredContent"])), 4096)
            self.assertTrue(all(pathlib.Path(path).exists() for path in result["structuredContent"].get("files", {}).values()))
        progress = [note["params"]["progress"] for note in client.notifications]
        self.assertEqual(progress, sorted(set(progress)))
        self.assertTrue(all(note["method"] == "notifications/progress" and note["params"]["progressToken"] == "p" for note in client.notifications))
        self.assertEqual(client.close(), 0)
        self.assertTrue(pathlib.Path(capture).exists())  # --folder keeps them

    def judge(self, client):
        """A kernel by itself is accepted, one that leaves out a product is refused; both are answers."""
        wrong = self.folder / "wrong.cl"
        wrong.write_text(kernel("mm").read_text().replace("k < width", "k < width - 1"))
        asked = {"reference": str(kernel("mm")), "sizes": "small", "no_cost": True}
        good, bad = (client.call("judge", {"candidate": str(candidate), **asked}) for candidate in (kernel("mm"), wrong))
        self.assertEqual((good["isError"], good["structuredContent"]["accepted"], good["structuredContent"]["reasons"]), (False, True, []))
        self.assertEqual((bad["isError"], bad["structuredContent"]["accepted"]), (False, False))
        self.assertIn("wrong-value", [reason["code"] for reason in bad["structuredContent"]["reasons"] if "code" in reason])

    def test_failures_are_results_of_one_line(self):
        client = self.client()
        for name, arguments, said in (
                ("check", {"file": "none.cl"}, "none.cl: No such file"), ("check", {}, "expected a file or a program"), ("check", {**MM, "program": ["x"]}, "not both"),
                ("check", {**MM, "global": [64]}, "global: expected a value of type string"), ("check", {**MM, "global": True}, "not boolean"), ("check", {**MM, "gpus": "x"}, "'gpus': unknown argument"),
                ("check", {**MM, "fail_on": "all"}, "fail_on: 'all', expected one of"), ("check", {**MM, "options": ["--json=/x"]}, "--json=/x is not an option here"),
                ("profile", {**MM, "gpu": "none"}, "none"), ("profile", {"program": ["./none"]}, "./none"), ("what_if", {"capture": "x.wtrace", "changes": ["--pad", "a=+1"]}, "x.wtrace"), ("what_if", {"capture": "x.wtrace", "changes": []}, "no change given"),
                ("check", {**MM, "args": [[3]]}, "args: expected a list of texts"), ("check", {**MM, "directory": "none"}, "directory: none is no folder"),
                ("check", {"file": "a\0b"}, "file: has a NUL"), ("judge", {"candidate": "x.cl"}, "reference is missing"),
                ("judge", {"candidate": "x.cl", "reference": "y.cl"}, "x.cl: No such file"), ("list_gpus", {"contains": "zzz"}, "zzz")):
            with self.subTest(tool=name, arguments=arguments):
                result = client.call(name, arguments)
                self.assertTrue(result["isError"])
                text = result["content"][0]["text"]
                self.assertIn(said, text)
                self.assertNotIn("\n", text)
                self.assertNotIn("unexpected failure", text)

    def test_a_cancelled_call_ends_without_an_answer(self):
        client = self.client()
        running = client.begin_request("tools/call", {**self.endless(), "_meta": {"progressToken": 7}})
        waiting = client.begin_request("tools/call", {"name": "list_gpus", "arguments": {}})
        while True:  # it runs, and says so
            if client.next().get("method") == "notifications/progress":
                break
        self.assertEqual(client.ask("ping")["result"], {})  # answered meanwhile
        self.assertTrue(self.children(client))
        for request in (waiting, running):
            client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request, "reason": "test"}})
        self.assertIn("gpus", client.call("list_gpus", {})["structuredContent"])  # its turn has come
        self.assertEqual(client.others, [])
        self.assertEqual(self.children(client), [])
        with self.assertRaises(queue.Empty):
            client.next(seconds=1.5)

    def test_calls_run_beside_each_other_if_asked(self):
        client = self.client("--jobs", "2")
        client.begin_request("tools/call", self.endless())
        self.assertIn("gpus", client.call("list_gpus", {})["structuredContent"])
        self.assertTrue(self.children(client))  # the first one still runs
        self.assertEqual(client.close(), 0)

    def test_nothing_outlives_the_session(self):
        client = self.client()
        client.begin_request("tools/call", self.endless())
        while not self.children(client):
            time.sleep(0.05)
        child = self.children(client)[0]
        self.assertEqual(client.close(), 0)
        self.assertFalse(pathlib.Path(f"/proc/{child}").exists())


if __name__ == "__main__":
    unittest.main()
