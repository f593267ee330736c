"""JSON-RPC 2.0 as the Model Context Protocol has it over stdio: one message a line, in UTF-8."""
import json
import threading

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
# Revisions of the protocol that are spoken, the newest last, which is offered to a client that asks for another.
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
WITH_BATCHES = "2025-03-26"  # the only revision that has them
MOST_BYTES = 1 << 20  # of a message


class RpcError(Exception):
    """What a request is answered with instead of a result."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message

    def answer(self, identifier):
        return {"jsonrpc": "2.0", "id": identifier, "error": {"code": self.code, "message": self.message}}


class Connection:
    """Messages of one client. Several threads may send."""

    def __init__(self, source, sink):
        """`source`, `sink`: binary files."""
        self._source, self._sink, self._lock = source, sink, threading.Lock()

    def messages(self):
        """What arrives, as (message, None), or (None, RpcError) for a line that is none; ends with the input."""
        while line := self._source.readline(MOST_BYTES + 1):
            if len(line) > MOST_BYTES:
                while line and not line.endswith(b"\n"):
                    line = self._source.readline(MOST_BYTES)
                yield None, RpcError(INVALID_REQUEST, f"a message of more than {MOST_BYTES} bytes, expected a shorter one")
            elif line.strip():
                try:
                    yield json.loads(line.decode("utf-8")), None
                except (ValueError, RecursionError) as error:
                    yield None, RpcError(PARSE_ERROR, f"not JSON: {error}")

    def send(self, message):
        """One message, or a batch of them. A client that has gone ends nothing here: its end of the input does."""
        line = json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            try:
                self._sink.write(line)
                self._sink.flush()
            except (OSError, ValueError):
                pass


def checked(message):
    """(method, params, whether it is a request, its id) of a message. Raises RpcError; a response of the client is (None, ...)."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, "expected an object with jsonrpc \"2.0\"")
    if "method" not in message and ("result" in message or "error" in message):
        return None, {}, False, None
    method, params = message.get("method"), message.get("params", {})
    if not isinstance(method, str):
        raise RpcError(INVALID_REQUEST, "method: expected a text")
    if not isinstance(params, dict):
        raise RpcError(INVALID_PARAMS, "params: expected an object")
    identifier = message.get("id")
    if "id" in message and (isinstance(identifier, bool) or not isinstance(identifier, (str, int))):
        raise RpcError(INVALID_REQUEST, "id: expected a text or a whole number")
    return method, params, "id" in message, identifier
