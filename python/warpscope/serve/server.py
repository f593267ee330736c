"""A session of the Model Context Protocol: who asks what, what is running, and what is answered."""
import concurrent.futures
import json
import pathlib
import threading
import time
import traceback

from warpscope.base.errors import Error, InputError, printable_message
from warpscope.serve import answers, schemas
from warpscope.serve.protocol import (INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, VERSIONS, WITH_BATCHES, RpcError, checked)
from warpscope.serve.runs import Cancelled, Run
from warpscope.serve.tools import MOST_STRUCTURED, TOOLS

PROGRESS_SECONDS = 1.0
PURPOSE = "judge says whether a kernel is right and faster, check finds its faults, profile says what it costs and why, what_if tries remedies."


class Server:
    """Calls of tools run in `jobs` threads, in the order in which they came; all else is answered at once."""

    def __init__(self, connection, folder, jobs, version):
        self._connection, self._folder, self._version = connection, folder, version
        self._pool = concurrent.futures.ThreadPoolExecutor(jobs, thread_name_prefix="call")
        self._running, self._lock, self._count = {}, threading.Lock(), 0  # id of a request: its Run
        self.protocol = None  # the revision, from initialize on

    def serve(self):
        """Until the client closes our input; then what still runs is ended."""
        try:
            for message, error in self._connection.messages():
                if error:
                    self._connection.send(error.answer(None))
                elif isinstance(message, list) and self.protocol == WITH_BATCHES and message:
                    _Batch(self._connection, message).take(self._take)
                else:
                    self._take(message, self._reply)
        finally:
            with self._lock:
                left = list(self._running.values())
            for run in left:
                run.cancel()
            self._pool.shutdown(cancel_futures=True)

    def _reply(self, message):
        if message is not None:
            self._connection.send(message)

    def _take(self, message, send):
        """Answers one message, now or later; `send` is called once for a request, with None where it was cancelled."""
        identifier = message.get("id") if isinstance(message, dict) and isinstance(message.get("id"), (str, int)) else None
        try:
            method, params, is_request, identifier = checked(message)
            if not is_request:
                self._noted(method, params)
            elif method == "tools/call":
                self._call(identifier, params, send)
            else:
                send({"jsonrpc": "2.0", "id": identifier, "result": self._answer(method, params)})
        except RpcError as error:
            send(error.answer(identifier))

    def _answer(self, method, params):
        if method == "initialize":
            return self._initialize(params)
        if method == "ping":
            return {}
        if self.protocol is None:
            raise RpcError(INVALID_REQUEST, f"{method}: expected initialize first")
        if method == "tools/list":
            if params.get("cursor") is not None:
                raise RpcError(INVALID_PARAMS, "cursor: all tools are in one list, expected none")
            return {"tools": [tool.listed(name) for name, tool in TOOLS.items()]}
        raise RpcError(METHOD_NOT_FOUND, f"{printable_message(method)}: unknown method")

    def _initialize(self, params):
        wanted = params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise RpcError(INVALID_PARAMS, "protocolVersion: expected a text")
        if self.protocol is not None:
            raise RpcError(INVALID_REQUEST, "initialize: this session has begun, expected it once")
        self.protocol = wanted if wanted in VERSIONS else VERSIONS[-1]
        return {"protocolVersion": self.protocol, "capabilities": {"tools": {"listChanged": False}},
                "serverInfo": {"name": "warpscope", "title": "Warpscope", "version": self._version},
                "instructions": f"GPU kernels without a GPU. {PURPOSE} Long answers are files, whose paths are in files."}

    def _noted(self, method, params):
        """Notifications need no answer; those that nobody knows are ignored."""
        if method != "notifications/cancelled":
            return
        identifier = params.get("requestId")
        with self._lock:
            run = self._running.get(identifier) if isinstance(identifier, (str, int)) else None
        if run is not None:
            threading.Thread(target=run.cancel, daemon=True).start()  # it takes as long as the program tidies up

    def _call(self, identifier, params, send):
        """Begins a call of a tool."""
        if self.protocol is None:
            raise RpcError(INVALID_REQUEST, "tools/call: expected initialize first")
        name, given, meta = params.get("name"), params.get("arguments"), params.get("_meta")
        if not isinstance(name, str) or name not in TOOLS:
            raise RpcError(INVALID_PARAMS, f"Unknown tool: {printable_message(str(name))}, expected one of {', '.join(TOOLS)}")
        given = {} if given is None else given
        if not isinstance(given, dict):
            raise RpcError(INVALID_PARAMS, "arguments: expected an object")
        with self._lock:
            if identifier in self._running:
                raise RpcError(INVALID_REQUEST, f"id {json.dumps(identifier)}: is that of a request that still runs")
            self._count += 1
            folder = self._folder / f"{self._count:04}-{name}"
            folder.mkdir()
            self._running[identifier] = run = Run(folder)
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        self._pool.submit(self._run, identifier, run, name, given, token, send)

    def _run(self, identifier, run, name, given, token, send):
        """One call, in a thread of its own."""
        done = threading.Event()
        if token is not None:
            threading.Thread(target=self._progress, args=(run, token, done), daemon=True).start()
        try:
            message = {"jsonrpc": "2.0", "id": identifier, "result": _result(run, TOOLS[name], given)}
        except Cancelled:
            message = None  # a cancelled request gets no answer
        except Exception:  # pylint: disable=broad-except
            (run.folder / "failure.txt").write_text(traceback.format_exc(), encoding="utf-8")
            message = RpcError(INTERNAL_ERROR, f"unexpected failure, please report it: {run.folder / 'failure.txt'}").answer(identifier)
        finally:
            done.set()
            with self._lock:
                self._running.pop(identifier, None)
        send(message)

    def _progress(self, run, token, done):
        """Notifies the client until the call is done: seconds so far, and what the program said last."""
        began = time.monotonic()
        while not done.wait(PROGRESS_SECONDS):
            params = {"progressToken": token, "progress": round(time.monotonic() - began, 1)}
            if note := run.note():
                params["message"] = note
            self._connection.send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})


def _result(run, tool, given):
    """What a tool answers; bad input and a program that failed are results, too, so that whoever asks can do better. Raises Cancelled."""
    try:
        given = schemas.read(given, tool.schema)
        directory = pathlib.Path(given.get("directory", "."))
        if not directory.is_dir():
            raise InputError(f"directory: {directory} is no folder, expected one")
        ended = run.front(tool.words(given, run.folder), directory)
        found = tool.answer(ended, run.folder, given) if ended.status not in (1, 2) or "program" in given else None
    except (Error, OSError) as error:
        return answers.failure(printable_message(str(error)))
    if found is None:
        return answers.failure(ended.why())
    text, structured = found
    return answers.result(answers.short(text, ended.output), answers.fitting(structured, MOST_STRUCTURED))


class _Batch:
    """Messages that came together, and whose answers go together (in the revision that has this)."""

    def __init__(self, connection, messages):
        self._connection, self._messages, self._lock = connection, messages, threading.Lock()
        self._left = sum(not isinstance(each, dict) or "id" in each or "method" not in each for each in messages)
        self._answers = []

    def take(self, take):
        for message in self._messages:
            take(message, self._add)

    def _add(self, answer):
        with self._lock:
            self._left -= 1
            if answer is not None:
                self._answers.append(answer)
            ready = self._left == 0 and self._answers
        if ready:
            self._connection.send(self._answers)
