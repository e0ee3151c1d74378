"""Explanations: records in, notes out, which are titles, a sentence for each line, and hazards.

What each kernel computes, moves and costs, derived from its body. Pure: no torch, no triton, nothing executed.
"""

from __future__ import annotations

from dataclasses import replace

from inductor_lab.annotate.explain import explain
from inductor_lab.annotate.steps import phase, phases
from inductor_lab.annotate.summary import computes, summary, titled
from inductor_lab.bind.names import called
from inductor_lab.costs.hints import first_graph, of_graphs
from inductor_lab.costs.library import moved
from inductor_lab.costs.traffic import traffic
from inductor_lab.records import Capture, Kernel

__all__ = ["annotate", "computes", "explain", "summary", "titled", "traffic"]


def annotate(capture: Capture) -> Capture:
    """The capture with what each kernel is called, computes and moves filled in, and what each library call does."""
    from inductor_lab.annotate.titles import Namer  # not for who only explains: it takes a tenth of the start of `show`

    capture = replace(
        capture, graphs=tuple(replace(graph, called=called(graph, capture.graphs)) for graph in capture.graphs)
    )
    namer = Namer(capture)
    hints, known = of_graphs(capture), {graph.id: phase(graph) for graph in capture.graphs}

    def annotated(kernel: Kernel) -> Kernel:
        named = namer.name(kernel)
        return replace(
            kernel,
            traffic=traffic(kernel, hints.get(first_graph(kernel))),
            computes=computes(kernel),
            title=named.title,
            recognised=named.recognised,
            phases=phases(kernel, known),
        )

    calls = (replace(call, traffic=moved(call, hints.get(call.graph))) for call in capture.extern_calls)
    graphs = (replace(graph, phase=known[graph.id]) for graph in capture.graphs)
    return replace(
        capture,
        kernels=tuple(map(annotated, capture.kernels)),
        extern_calls=tuple(calls),
        graphs=tuple(graphs),
    )
