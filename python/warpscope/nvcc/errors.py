"""How nvcc ends: `nvcc fatal   : message` and status 1, or the status of the program that failed."""


class Fatal(Exception):
    """What nvcc itself refuses; one line."""

    status = 1


class Failed(Exception):
    """A compiler or linker ended with `status`; `messages`: what it said, if that is not printed yet."""

    def __init__(self, status, messages=""):
        super().__init__(f"exit status {status}")
        self.status, self.messages = status, messages
