"""From which nodes and lines each launch comes, from all that a capture's texts hold: the best that is there for each.

    artifact    Inductor's own mapping, by the debug handle in the comment above the launch           `provenance`
    graph       the fragment in the comment above the kernel, its nodes found in the printed graph    `provenance`, `matching`
    written     no comment: the printed graph's nodes that lead to the inputs which a launch writes in place    `matching`
    comment     what that comment, or the one above the launch, says by itself
    unknown

Ranks and recompiles write the same texts again: what was found for one is found for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from inductor_lab import fragment
from inductor_lab.aten import CONSTANTS
from inductor_lab.read import matching, provenance
from inductor_lab.read.kernel import Read
from inductor_lab.read.matching import SubgraphMatcher
from inductor_lab.read.module import Module
from inductor_lab.read.provenance import Mark, NodeMappings, mark_above
from inductor_lab.read.wrapper import Run
from inductor_lab.records import Claim, ExternCall, Node, Provenance, SourceLine

RANKS = ("unknown", "comment", "written", "graph", "artifact")

UNKNOWN = Provenance()


class Origins:
    """Takes modules and mappings as they come, and answers for launches at the end."""

    def __init__(self, source: Callable[[str], Read]) -> None:
        """Args:
        source: Reads a kernel's text, or has read it before.
        """
        self._source = source
        self._sites: dict[str, _Site] = {}
        self._facts: dict[tuple[int, int, tuple[int, ...]], ModuleProvenance] = {}

    def add_module(self, graph: str, text: str, module: Module, nodes: tuple[Node, ...]) -> None:
        """`text` and `nodes` are the same objects for equal texts."""
        self._sites[graph] = _Site(text, module, nodes)

    def add_mappings(self, graph: str, mappings: NodeMappings) -> None:
        """They speak of a graph whose module was added."""
        self._sites[graph].mappings.append(mappings)

    def of(self, graph: str) -> ModuleProvenance:
        """What there is to tell of a graph whose module was added; once all is there."""
        site = self._sites[graph]
        key = (id(site.text), id(site.nodes), tuple(map(id, site.mappings)))
        if key not in self._facts:
            self._facts[key] = ModuleProvenance(site, self._source)
        return self._facts[key]


def together(parts: Iterable[Provenance]) -> Provenance:
    """All of them as one, in order, each thing once; its origin is the best of theirs."""
    found = list({id(part): part for part in parts}.values())
    if len(found) < 2:
        return found[0] if found else UNKNOWN
    return Provenance(
        origin=max((part.origin for part in found), key=RANKS.index),
        nodes=_once(part.nodes for part in found),
        pre_grad=_once(part.pre_grad for part in found),
        source=tuple(dict.fromkeys(line for part in found for line in part.source)),
        stacks=tuple(dict.fromkeys(stack for part in found for stack in part.stacks)),
        handles=tuple(dict.fromkeys(handle for part in found for handle in part.handles)),
    )


def _shared(node: Node) -> bool:
    """A single number as a tensor: a graph holds each once, under the line that needed it first, whoever else uses it."""
    operator = node.target.removeprefix("aten.").partition(".")[0]
    return operator in CONSTANTS and node.type is not None and not node.type.shape


def _once(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for group in groups for name in group))


@dataclass
class _Site:
    """One module where it was written."""

    text: str
    module: Module
    nodes: tuple[Node, ...]
    mappings: list[NodeMappings] = field(default_factory=list)


class ModuleProvenance:
    """What one module, its graph and its mappings tell together."""

    def __init__(self, site: _Site, source: Callable[[str], Read]) -> None:
        self.site = site
        self.source = source
        self.mapping = NodeMappings()
        for mapping in site.mappings:
            self.mapping = self.mapping.joined(mapping)
        self.nodes = site.nodes
        self.position = {node.name: number for number, node in enumerate(site.nodes)}
        self.definitions = {definition.name: definition for definition in site.module.definitions}
        self.runs = {run.line: run for run in site.module.runs}
        self.launches: dict[int, Provenance] = {}
        self.first: dict[str, Run | None] = {}
        """The launch that each kernel's own comment speaks of."""

    @cached_property
    def lines(self) -> list[str]:
        return self.site.text.split("\n")

    @cached_property
    def matcher(self) -> SubgraphMatcher:
        return SubgraphMatcher(self.nodes)

    @cached_property
    def by_name(self) -> dict[str, list[Run]]:
        found: dict[str, list[Run]] = {}
        for run in self.site.module.runs:
            found.setdefault(run.name, []).append(run)
        return found

    def claim(self, name: str) -> Claim:
        definition = self.definitions.get(name)
        return definition.claim if definition else Claim()

    def launch(self, line: int) -> Provenance:
        if line not in self.launches:
            run = self.runs.get(line)
            self.launches[line] = self._launch(run) if run else UNKNOWN
        return self.launches[line]

    def _launch(self, run: Run) -> Provenance:
        mark = mark_above(self.lines, run.line)
        handles = () if mark.handle is None else (mark.handle,)
        keys = self.mapping.keys(mark.key or run.name, mark.handle)
        if keys:
            return self._mapped(keys, run.name, mark, handles)
        claim = self.claim(run.name)
        if mark.source_nodes is None or mark.source_nodes == claim.source_nodes or len(self.by_name[run.name]) == 1:
            found = self._claimed(run.name)
            if found is UNKNOWN:
                found = self._written(run, mark)
        else:
            found = self._matched(run, mark, claim) or Provenance("comment", (), mark.source_nodes)
        return Provenance(found.origin, found.nodes, found.pre_grad, found.source, found.stacks, handles)

    def _written(self, run: Run, mark: Mark) -> Provenance:
        """Of what the launch writes in place, as far as no comment names it; else of the one line of all the operators that its own names."""
        if not self.nodes:
            return UNKNOWN
        text = self.definitions[run.name].text if run.name in self.definitions else ""
        said = {name for each in self.definitions for name in self.claim(each).nodes}
        nodes = {node.name: node for node in self.nodes if node.name not in said}
        led = matching.leading(nodes, self.updates, matching.written(text, run.name, run.values))
        if not led:
            of = [node.name for node in self.nodes if ".".join(node.target.split(".")[:2]) in mark.aten]
            led = tuple(name for name in of if name in nodes) or tuple(of)  # what others name may be done in parts
            if len(self._lines(led)) != 1:
                return Provenance("comment", (), mark.source_nodes) if mark.source_nodes else UNKNOWN
        return Provenance("written", led, mark.source_nodes or (), self._lines(led))

    @cached_property
    def updates(self) -> dict[str, str]:
        """Inputs of the graph -> the node that each becomes."""
        return matching.updates(self.nodes)

    @cached_property
    def called(self) -> dict[int, str]:
        """Line of a library call -> its node."""
        return matching.nodes_of_calls(self.site.module.externs, self.nodes)

    def call(self, call: ExternCall) -> Provenance:
        """Of a library call."""
        mark = mark_above(self.lines, call.line)
        handles = () if mark.handle is None else (mark.handle,)
        keys = self.mapping.keys(mark.key or call.target, mark.handle)
        if keys:
            return self._mapped(keys, call.target, mark, handles)
        pre_grad = mark.source_nodes or ()
        node = self.called.get(call.line)
        if node:
            return Provenance("graph", (node,), pre_grad, self._lines((node,)), (), handles)
        return Provenance("comment", (), pre_grad, (), (), handles) if pre_grad else UNKNOWN

    def definition(self, name: str) -> Provenance:
        """Of a kernel that is not launched."""
        keys = self.mapping.keys(name, None)
        return self._mapped(keys, name, Mark(), ()) if keys else self._claimed(name)

    def _mapped(self, keys: Sequence[str], name: str, mark: Mark, handles: tuple[int, ...]) -> Provenance:
        """What Inductor's mapping says. Its basic level has stacks alone: the nodes are those of the comment then."""
        nodes = _once(self.mapping.nodes.get(key, ()) for key in keys)
        stacks = tuple(dict.fromkeys(stack for key in keys for stack in self.mapping.stacks.get(key, ())))
        claim = self.claim(name)
        if not nodes and mark.source_nodes in (None, claim.source_nodes):
            nodes = claim.nodes
        order = self.position or {node: number for number, node in enumerate(claim.nodes)}
        nodes = tuple(sorted(nodes, key=lambda node: order.get(node, len(order))))
        pre_grad = _once(self.mapping.pre_grad.get(node, ()) for node in nodes)
        given = set(claim.nodes) - set(self._here(name)) if mark.source_nodes in (None, claim.source_nodes) else set()
        here = [node for node in nodes if node not in given] or nodes
        told = self._lines(here) if given else ()  # a stack does not say which node it is of
        lines = told or self._lines(nodes, (stack[-1] for stack in stacks))
        if not pre_grad:
            pre_grad = mark.source_nodes or claim.source_nodes
        return Provenance("artifact", nodes, pre_grad, lines, stacks, handles)

    def _claimed(self, name: str) -> Provenance:
        """What the comment above a definition says, joined with the graph."""
        claim = self.claim(name)
        if any(node in self.position for node in claim.nodes):
            return Provenance("graph", claim.nodes, claim.source_nodes, self._lines(self._here(name)))
        definition = self.definitions.get(name)
        path = provenance.original_path(definition.comment) if definition else ()
        known = claim.nodes or claim.source_nodes or path
        return Provenance("comment", claim.nodes, claim.source_nodes, path) if known else UNKNOWN

    def _matched(self, run: Run, mark: Mark, claim: Claim) -> Provenance | None:
        """A later launch of a body: the nodes of the same form that read what it passes, where only some can be meant."""
        if run.name not in self.first:
            runs = (other for other in self.by_name[run.name] if self._is_first(other, claim))
            self.first[run.name] = next(runs, None)
        first = self.first[run.name]
        same_size = len(mark.source_nodes or ()) == len(claim.source_nodes) and set(mark.aten) == set(claim.aten)
        if first is None or not same_size or not any(node in self.position for node in claim.nodes):
            return None
        inputs = set(claim.inputs)
        given = {
            ours.storage: theirs.storage
            for ours, theirs in zip(first.values, run.values, strict=False)
            if ours.storage in inputs and theirs.storage in self.position
        }
        taken = frozenset(claim.nodes)
        said = {name for name in mark.source_nodes or () if name in self.position and self.names_agree}
        matches = (
            self.matcher.matches(claim.fragment, given, said) if said else []
        )  # soon found, however many are alike
        matches = matches or self.matcher.matches(claim.fragment, given)
        found = {
            frozenset(names): names for bound in matches if (names := [bound[n] for n in claim.nodes if n in bound])
        }
        left = [names for names in found.values() if frozenset(names) != taken]
        if len(left) > 1 and said:
            left = [names for names in left if said <= set(names)]
        if len(left) != 1:
            return None
        chosen = tuple(left[0])
        bound = next(bound for bound in matches if [bound[n] for n in claim.nodes if n in bound] == left[0])
        here = [bound[name] for name in self._here(run.name) if name in bound] or list(chosen)
        return Provenance("graph", chosen, mark.source_nodes or (), self._lines(here))

    def _here(self, kernel: str) -> tuple[str, ...]:
        """The claim's nodes without those whose values the kernel is given, or others have folded; all of them where that leaves none.

        A reshape of what another line's call gave stays: the reshape is that line's own. A kernel that loads nothing computes from nothing.
        """
        claim, definition = self.claim(kernel), self.definitions.get(kernel)
        given = fragment.found_in_memory(claim)
        given |= {name for name, of in fragment.seen_otherwise(claim).items() if self._line(name) == self._line(of)}
        if definition and "load(" not in definition.text:
            given |= set(claim.nodes) - fragment.of_nothing(claim)
        elif definition:
            source, _ = self.source(definition.text)
            reads = sum(argument.pointer and argument.role != "out" for argument in source.arguments)
            given |= fragment.before_folds(claim, source.ops, reads)
        return tuple(name for name in claim.nodes if name not in given) or claim.nodes

    def _line(self, name: str) -> SourceLine | None:
        return self.nodes[self.position[name]].source if name in self.position else None

    @cached_property
    def names_agree(self) -> bool:
        """Whether a source node that has the name of a post-grad node is that node, wherever both are told; so in a backward graph."""
        claims = [self.claim(name) for name in self.definitions]
        return all(name in claim.nodes for claim in claims for name in claim.source_nodes if name in self.position)

    def _is_first(self, run: Run, claim: Claim) -> bool:
        return mark_above(self.lines, run.line).source_nodes == claim.source_nodes

    def _lines(self, names: Iterable[str], innermost: Iterable[SourceLine] = ()) -> tuple[SourceLine, ...]:
        """The lines of these nodes in the graph's order, then those that only stacks name; each once, however its code is cut."""
        every = sorted({self.position[name] for name in names if name in self.position})
        places = [place for place in every if not _shared(self.nodes[place])] or every
        found: dict[tuple[str, int], SourceLine] = {}
        for line in (*(self.nodes[place].source for place in places), *innermost):
            if line:
                found.setdefault((line.file, line.line), line)
        return tuple(found.values())
