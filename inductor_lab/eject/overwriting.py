"""Which tensors a launch passes twice: once to be read, once to be written, as batch norm's running mean is.

Both parameters are one memory then: a kernel that stores before it has loaded reads what it stored.
"""

from __future__ import annotations

from collections.abc import Mapping

from inductor_lab.records import LaunchArgument, TensorType


def overwritten(
    roles: Mapping[str, str], types: Mapping[str, TensorType], passed: Mapping[str, LaunchArgument]
) -> dict[str, str]:
    """Parameter that is written -> the one that is read, where a launch passes the same tensor for both.

    The same expression of the wrapper is the same tensor. Two views of one storage are not: they may lie apart in it.

    Args:
        roles: By parameter: `in`, `out` or `inout`.
    """
    read = {(passed[name].value, types[name]): name for name, role in roles.items() if role == "in"}
    return {
        name: read[passed[name].value, types[name]]
        for name, role in roles.items()
        if role != "in" and (passed[name].value, types[name]) in read
    }
