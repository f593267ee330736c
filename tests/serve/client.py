"""A client of the Model Context Protocol over stdio, from its specification: JSON-RPC 2.0, one message a line."""
import json
import os
import queue
import subprocess
import threading

from support import BIN

NEWEST = "2025-11-25"


class Client:
    """One session. What the server says that is not an answer waited for is in `notifications` and `others`."""

    def __init__(self, folder, *words, protocol=NEWEST):
        self.process = subprocess.Popen([BIN / "warpscope", "serve", *words], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env={**os.environ, "WARPSCOPE_CACHE": ""})
        self._said, self._next = queue.Queue(), 0
        self.notifications, self.others = [], []
        threading.Thread(target=self._read, daemon=True).start()
        if protocol:
            self.begin(protocol)

    def _read(self):
        for line in self.process.stdout:
            self._said.put(json.loads(line))  # whatever is no JSON ends the thread, and the test waits in vain

    def begin(self, protocol):
        answer = self.ask("initialize", {"protocolVersion": protocol, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def send(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def begin_request(self, method, params=None):
        """Sends a request; its id."""
        self._next += 1
        self.send({"jsonrpc": "2.0", "id": self._next, "method": method, **({} if params is None else {"params": params})})
        return self._next

    def next(self, seconds=120):
        """The next message of any kind."""
        return self._said.get(timeout=seconds)

    def answer_of(self, identifier):
        while True:
            message = self.next()
            if not isinstance(message, dict) or "method" in message or message.get("id") != identifier:
                (self.notifications if isinstance(message, dict) and "method" in message else self.others).append(message)
                continue
            assert message["jsonrpc"] == "2.0" and ("result" in message) != ("error" in message), message
            return message

    def ask(self, method, params=None):
        return self.answer_of(self.begin_request(method, params))

    def call(self, name, arguments, **more):
        """The result of a tool."""
        return self.ask("tools/call", {"name": name, "arguments": arguments, **more})["result"]

    def close(self):
        """Ends the session as the specification says: the server's input is closed. Its exit status."""
        self.process.stdin.close()
        return self.process.wait(30)
