"""Why each line of a body is there, in one sentence: a table of (pattern, rule), the first that fits wins.

A pattern is matched against the statement as `ast.unparse` writes it; a rule gets the match, the statement and the
context.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from inductor_lab.annotate import access_rules, frame_rules, value_rules
from inductor_lab.annotate.context import LONGEST, Context
from inductor_lab.computation.tree import Unknown

Rule = Callable[["re.Match[str]", ast.stmt, Context], str]


def explained(statement: ast.stmt, context: Context) -> str:
    """The sentence for one statement.

    Must be called for each in order: the context learns what names mean on the way.
    """
    context.enter(statement.lineno)
    written = ast.unparse(statement).split("\n")[0]
    for pattern, rule in RULES:
        found = pattern.match(written)
        if found:
            sentence = rule(found, statement, context)
            break
    else:
        value = context.value()
        whole = None if value is None or isinstance(value, Unknown) else context.writer.whole(value, LONGEST)
        sentence = whole or "no rule of this explanation fits; read it as Triton"
    context.leave()
    return sentence


def says(sentence: str) -> Rule:
    """A rule that needs to look at nothing."""
    return lambda found, statement, context: sentence.format(**found.groupdict())


A = r"(?P<axis>[xyz]|r\d?_?)"
T = r"(?P<name>_?tmp\w*)"
TABLE: tuple[tuple[str, Rule], ...] = (
    (rf"{A}numel = (?P<count>\d+)$", frame_rules.numel),
    (r"x?pid = tl\.program_id", frame_rules.program),
    (r"num_xblocks_(?P<job>\d+) = ", frame_rules.job_end),
    (r"if .*\bx?pid\b", says("the programs of one job: what follows is a kernel of its own")),
    (r"x?pid_offset = ", says("this program's number inside its job")),
    (rf"{A}offset = x?pid_offset \* ", frame_rules.offset),
    (r"(?P<block>[XYZ]BLOCK): tl\.constexpr = (?P<size>\d+)$", frame_rules.fixed_block),
    (r"(?P<axis>x)index = tl\.full\(\[1\], xoffset", says("this program's one row")),
    (r"rsplit_\w+ = |num_rblocks = |(RSPLIT|HAS_RSPLIT)\w*: ", says("which part of each row this program folds: several share one")),
    (r"if (HAS_RSPLIT|RSPLIT_IS_POWER_OF_2|rsplit_id)", says("only where rows are shared")),
    (r"triton_helpers\.x_grid_barrier\(", says("waits until all programs that share these rows are here")),
    (r"(tl\.store\(|\w+ = tl\.load\()tmp\d+_ws\b", says("each program's part of the rows, through a workspace in memory")),
    (r"split_size = min\(", says("the rows of its group that there are")),
    (r"for _ in tl\.range\(0, split_size, ", says("the rows of the group, XBLOCK at a time")),
    (r"xindex \+= XBLOCK$", says("the next turn's rows")),
    (r"accum\d+ = tl\.full\(", value_rules.column),
    (r"accum\d+ = tmp", says("which the next turn goes on with")),
    (r"tmp\w+ = accum\d+ (?P<op>[+*]) (?P<value>\w+)$", value_rules.accumulate),
    (r"tl\.store\(ws_ptr \+ \(tl\.program_id\(0\)", value_rules.left),
    (r"pass$", says("programs beyond the last job have nothing to do")),
    (rf"{A}offset = .*program_id", frame_rules.offset),
    (rf"{A}index = {A.replace('axis', 'same')}offset \+ tl\.arange", frame_rules.index),
    (r"r\d?_?index = tl\.arange\(0, (?P<block>\w+)\)", frame_rules.reduction_positions),
    (r"r\d?_?base = tl\.arange\(0, (?P<block>\w+)\)", frame_rules.reduction_positions),
    (r"r\d?_?index = r\d?_?offset \+", says("this block's positions along the reduction")),
    (r"r\d?_?offset = 0$", says("the whole reduction is one block: it starts at 0")),
    (rf"{A}mask = tl\.full\(", frame_rules.mask_true),
    (rf"{A}mask = \w+ < ", frame_rules.mask_bound),
    (
        r"(?P<block>R\d?_?BLOCK): tl\.constexpr = (?P<size>\d+)$",
        says("the whole reduction in one block of {size}: persistent, no loop"),
    ),
    (
        r"(?P<a>RBLOCK|rnumel|roffset|rindex|rbase)(: tl\.constexpr)? = (?P<b>\w+)",
        says("another name for {b}, kept for older code"),
    ),
    (rf"for {A}offset in ", frame_rules.loop),
    (r"(?P<name>[xyz]\d+|r\d?_?\d+) = ", frame_rules.coordinate),
    (rf"{T} = tl\.full\(\w+\.shape, (?P<fill>[^,]+),", value_rules.filler),
    (r"(?P<name>_tmp\w*) = tl\.(full\(\[[^\]]*\], (?P<start>[^,]+(\('[^']*'\))?),|zeros)", value_rules.accumulator),
    (
        r"(?P<name>tmp\w+_(mean|m2|weight)) = tl\.(?P<start>zeros)",
        says("an accumulator for each element of the tile, from 0"),
    ),
    (rf"{T} = tl\.full\(", value_rules.constant),
    (r".*tl\.load\(", access_rules.load),
    (r"tl\.store\(", access_rules.store),
    (r"tl\.atomic_", access_rules.atomic),
    (r"tl\.device_assert\(.*?(, '(?P<message>[^']*)')?\)$", value_rules.bounds_check),
    (rf"{T} = tl\.broadcast_to\(", value_rules.broadcast),
    (r"(?P<tmp>tmp\w+) = (?P<name>[xyz]\d+|r\d?_?\d+|[xyzr]\d?_?index)$", value_rules.coordinate_value),
    (rf"{T} = _tmp\w* (?P<op>[+*]) (?P<value>\w+)$", value_rules.accumulate),
    (rf"{T} = \w+\.\w+\(_tmp\w*, (?P<op>)(?P<value>\w+)\)$", value_rules.accumulate),
    (r"(?P<name>_?tmp\w*) = tl\.where\([\w\s&]*mask[\w\s&]*, \w+, (?P=name)\)", value_rules.keep),
    (r".* = (tl|triton_helpers)\.(?P<name>sum|prod|max2|min2|fmax2|max|min|any)\(", value_rules.reduce),
    (
        r".* = (tl|triton_helpers)\."
        r"(?P<name>welford\w*|online_softmax\w*|\w+_with_(first_)?index|associative_scan|select_one|exclusive_scan\w*|bucketize\w*)\(",
        value_rules.known_helper,
    ),
    (rf"{T} = tl\.reduce\(", says("this program's block, folded into one value")),
    (rf"{T} = tl\.where\(roffset == 0, ", says("the first program has nothing before it, the others go on from what was handed to them")),
    (rf"{T} = tl\.where\(", value_rules.where),
    (
        rf"{T} = (triton_helpers|tl)\.(maximum|minimum)\((?P<first>\w+), (?P<last>\w+)(, (propagate_nan=)?tl\.PropagateNan\.ALL)?\)",
        value_rules.maximum,
    ),
    (r"(?P<target>tmp\w+) = libdevice\.signbit\((?P<name>\w+)\)", value_rules.signbit),
    (r"(?P<target>tmp\w+) = .*\(libdevice\.signbit\((?P<name>\w+)\).* if ", value_rules.signbit),
    (r"(?P<target>tmp\w+) = (?P<name>\w+)\.to\(tl\.(?P<to>\w+)\)$", value_rules.cast),
    (rf"{T} = \w+ % \w+$", value_rules.remainder),
    (rf"{T} = .* (<|<=|>|>=|==|!=) .*$", value_rules.compare),
    (rf"{T} = .* [&|] .*$", value_rules.compare),
    (rf"{T} = [-~(]*\w+( [-+*/%].*)?$", value_rules.arithmetic),
    (rf"{T} = (tl|libdevice|tl_math|triton_helpers|math|triton\.language)\.", value_rules.helper),
    (rf"{T} = \w+\[", value_rules.helper),
    (r"\w+: tl\.constexpr = (?P<value>.{1,60})$", says("{value}, fixed when the kernel is compiled")),
    (r"(?P<name>\w+) = (?P<tensor>arg_\w+)$", says("{tensor} by a short name")),
    (r"(if|while) (?P<condition>.{1,60}):$", says("only where {condition}")),
    (r"for (?P<name>\w+) in (tl\.)?range\(", says("the kernel's own loop, {name} its turn")),
    (r"tl\.assume\((?P<condition>.{1,60})\)$", says("a promise to the compiler: {condition}")),
    (r"\w+(, \w+)+ = \((?P<values>[\w\s,.-]+)\)$", says("{values}: one for each name")),
    (r"return$", says("this program is done")),
)  # fmt: skip
RULES: tuple[tuple[re.Pattern[str], Rule], ...] = tuple((re.compile(pattern), rule) for pattern, rule in TABLE)
