"""What Triton's interpreter cannot run, which says nothing about a kernel."""


class NotJudged(BaseException):
    """A sentence that begins "not judged here". No `Exception`: neither the interpreter nor a launcher's `except` may make it one of theirs."""
