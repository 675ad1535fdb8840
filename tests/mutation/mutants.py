# SPDX-License-Identifier: Apache-2.0
"""Wrong kernels made from the examples: each of OPERATORS changes one place of a kernel's synchronisation.

A kernel's barriers are found by their text: a notify, the `if peer != my_rank:` before it and the loop over the peers
around it, and the same for a wait. Neighbours that signal each other directly have neither guard nor loop."""

import re
from dataclasses import dataclass
from pathlib import Path

import calls

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Kernel:
    """A mode of an example, and the top-level function of its file that the kernel stands in."""
    example: str
    mode: str
    function: str
    builtin: bool = False  # it calls collectives
    lowering: bool = True  # whose lowering is the kernel's synchronisation, and shown by no other kernel

    @property
    def name(self):
        return f"{self.example[:2]} {self.mode}" if self.mode else self.example[:2]

    def file(self, suffix):
        return ROOT / "examples" / (self.example + suffix)


KERNELS = [
    Kernel("04_barrier", "hand", "build_hand"),
    Kernel("04_barrier", "builtin", "build_builtin", builtin=True),
    Kernel("05_remote_load_store", "load", "load_kernel"),
    Kernel("05_remote_load_store", "store", "store_kernel"),
    *(Kernel("06_put_get", mode, "build_" + mode.split("_")[0])
      for mode in ("put", "put_chunked", "put_pipelined", "get", "get_chunked", "get_pipelined")),
    Kernel("07_dynamic_rank_count", "", "neighbour_kernel"),
    Kernel("08_allreduce_mesh", "", "mesh_kernel"),
    Kernel("09_allreduce_two_phase", "", "build_two_phase"),
    Kernel("10_allreduce_ring", "", "build_ring"),
    Kernel("11_allreduce_reveal", "hand_mesh", "build_hand_mesh"),
    Kernel("11_allreduce_reveal", "hand_ring", "build_hand_ring"),
    Kernel("11_allreduce_reveal", "mesh", "build_mesh", builtin=True),
    Kernel("11_allreduce_reveal", "ring", "build_ring", builtin=True),
    Kernel("12_broadcast", "hand", "hand_kernel"),
    Kernel("12_broadcast", "builtin", "builtin_kernel", builtin=True),
    Kernel("13_allgather", "hand", "build_hand"),
    Kernel("13_allgather", "builtin", "build_builtin", builtin=True),
    Kernel("14_reduce_scatter", "hand", "build_hand"),
    Kernel("14_reduce_scatter", "builtin", "build_builtin", builtin=True),
    Kernel("15_all_to_all", "hand", "build_hand"),
    Kernel("15_all_to_all", "builtin", "build_builtin", builtin=True),
    Kernel("16_putting_it_together", "default", "build_compose", builtin=True, lowering=False),
    Kernel("16_putting_it_together", "one_signal", "build_one_signal", builtin=True),
]


def indent(line):
    return len(line) - len(line.lstrip(" "))


@dataclass(frozen=True)
class Call:
    """A notify or a wait: lines [first, last] of the file, its guard and its loop, where it has them."""
    first: int
    last: int
    guard: int | None
    loop: int | None

    @property
    def begin(self):
        """The first line of the whole block."""
        return min(line for line in (self.first, self.guard, self.loop) if line is not None)


def lines_of(lines, function):
    """The first line of a top-level function and the one behind its last."""
    heads = [i for i, line in enumerate(lines) if re.match(rf"def {function}\(", line)]
    assert len(heads) == 1, f"{function} is not there once, but {len(heads)} times"
    # It ends where the next one begins: decorators, defs and assignments start at column 0.
    last = next((i for i in range(heads[0] + 1, len(lines)) if re.match(r"[@A-Za-z]", lines[i])), len(lines))
    return heads[0], last


class Text:
    """The lines of a kernel file, with the notifies and waits between `first` and `last` in order. Those that take
    credits away again are no part of a barrier."""

    def __init__(self, lines, first, last):
        self.lines = lines
        self.first = first
        self.last = last
        self.notifies = [call for call in self.calls("pld.system.notify(")
                         if not re.search(r"value=-", "".join(lines[call.first:call.last + 1]))]
        self.waits = self.calls("pld.system.wait(")
        assert len(self.notifies) == len(self.waits), "notifies and waits do not come in pairs"

    def calls(self, head):
        found = []
        for first in range(self.first, self.last):
            if not self.lines[first].lstrip().startswith(head):
                continue
            last = first
            while self.depth(first, last) > 0:
                last += 1
            before = first - 1
            guard = before if re.match(r" *if (peer|src) != my_rank:$", self.lines[before]) else None
            before = before - 1 if guard is not None else before
            loop = before if re.match(r" *for (peer|src) in pl.range\(nranks\):$", self.lines[before]) else None
            found.append(Call(first, last, guard, loop))
        return found

    def depth(self, first, last):
        text = "".join(self.lines[first:last + 1])
        return text.count("(") - text.count(")")

    def without(self, *ranges):
        gone = {i for first, last in ranges for i in range(first, last + 1)}
        return [line for i, line in enumerate(self.lines) if i not in gone]

    def replaced(self, first, last, pattern, new):
        """The lines with one place of [first, last] changed; None when it is not there."""
        lines = list(self.lines)
        for i in range(first, last + 1):
            changed = re.sub(pattern, new, lines[i], count=1)
            if changed != lines[i]:
                lines[i] = changed
                return lines
        return None


def drop_notify(text, k):
    call = text.notifies[k]
    return text.without((call.begin, call.last))


def drop_one(side, rank):
    """Of the notifies or waits of a loop, the one for the rank that the expression names."""
    def change(text, k):
        call = getattr(text, side)[k]
        return call.guard and text.replaced(call.guard, call.guard, r"(peer|src) != my_rank",
                                            rf"\1 != my_rank and \1 != {rank}")
    return change


def drop_wait(text, k):
    call = text.waits[k]
    return text.without((call.begin, call.last))


def drop_barrier(text, k):
    notify, wait = text.notifies[k], text.waits[k]
    return text.without((notify.begin, notify.last), (wait.begin, wait.last))


def swap(text, k):
    notify, wait = text.notifies[k], text.waits[k]
    lines = text.lines
    return (lines[:notify.begin] + lines[wait.begin:wait.last + 1] + lines[notify.last + 1:wait.begin]
            + lines[notify.begin:notify.last + 1] + lines[wait.last + 1:])


def notify_wrong_cell(text, k):
    """The cell of the rank behind the own one; where there is only one cell, the place behind it."""
    call = text.notifies[k]
    return (text.replaced(call.first, call.last, r"(offsets=\[.*?)\bmy_rank\b", r"\1(my_rank + 1) % nranks")
            or text.replaced(call.first, call.last, r"offsets=\[0, 0\]", "offsets=[0, 1]"))


def wait_wrong_cell(text, k):
    """The own cell, which nobody signals, or that of the other neighbour, or the place behind the only one."""
    call = text.waits[k]
    return (text.replaced(call.first, call.last, r"(offsets=\[.*?)\bsrc\b", r"\1my_rank")
            or text.replaced(call.first, call.last, r"(offsets=\[.*?)\bleft\b", r"\1right")
            or text.replaced(call.first, call.last, r"offsets=\[0, 0\]", "offsets=[0, 1]"))


def wrong_peer(text, k):
    """The rank behind the right one; the other neighbour."""
    call = text.notifies[k]
    return (text.replaced(call.first, call.last, r"peer=peer", "peer=(peer + 1) % nranks")
            or text.replaced(call.first, call.last, r"peer=left", "peer=right")
            or text.replaced(call.first, call.last, r"peer=right",
                             "peer=(pld.rank(ctx) + pld.nranks(ctx) - 1) % pld.nranks(ctx)"))


def expected_by(difference):
    def change(text, k):
        call = text.waits[k]
        return text.replaced(call.first, call.last, r"expected=([^,)]+)", rf"expected=\1 {difference}")
    return change


def set_for_add(text, k):
    call = text.notifies[k]
    return text.replaced(call.first, call.last, r"NotifyOp\.AtomicAdd", "NotifyOp.Set")


def two_for_one(text, k):
    call = text.notifies[k]
    return text.replaced(call.first, call.last, r"value=1", "value=2")


def eq_for_ge(text, k):
    call = text.waits[k]
    return text.replaced(call.first, call.last, r"WaitCmp\.Ge", "WaitCmp.Eq")


def cells_of_first_barrier(text, k):
    """The second barrier's own row of cells is given up for the first one's."""
    notify, wait = text.notifies[k], text.waits[k]
    lines = text.replaced(notify.first, notify.last, r"offsets=\[row,", "offsets=[step,")
    if lines is None:
        return None
    for i in range(wait.first, wait.last + 1):
        lines[i] = lines[i].replace("offsets=[row,", "offsets=[step,")
    return lines


def drop_guard(*sides):
    def change(text, k):
        calls = [getattr(text, side)[k] for side in sides]
        if any(call.guard is None for call in calls):
            return None
        lines = list(text.lines)
        for call in calls:
            step = indent(lines[call.first]) - indent(lines[call.guard])
            for i in range(call.first, call.last + 1):
                lines[i] = lines[i][step:]
        gone = {call.guard for call in calls}
        return [line for i, line in enumerate(lines) if i not in gone]
    return change


def every_place(text):
    return len(text.notifies)


def every_call(text):
    return len(text.places)


def drop_root_guard(text, k):
    """What only the root may stage, every rank stages."""
    places = root_guards(text)
    if k >= len(places):
        return None
    guard = places[k]
    lines = list(text.lines)
    end = guard + 1
    while not lines[end].strip() or indent(lines[end]) > indent(lines[guard]):
        lines[end] = lines[end][4:]
        end += 1
    return lines[:guard] + lines[guard + 1:]


def root_guards(text):
    return [i for i in range(text.first, text.last) if re.match(r" *if my_rank == (ROOT_RANK|0):$", text.lines[i])]


@dataclass(frozen=True)
class Operator:
    """A mistake. `change(text, k)` gives the lines with the k-th barrier changed, None where it cannot be made."""
    name: str
    change: object
    places: object = every_place


OPERATORS = [
    Operator("drop the notifies", drop_notify),
    Operator("drop the notify to the left", drop_one("notifies", "(my_rank + nranks - 1) % nranks")),
    Operator("drop the notify to the right", drop_one("notifies", "(my_rank + 1) % nranks")),
    Operator("drop the waits", drop_wait),
    Operator("drop the wait for the left", drop_one("waits", "(my_rank + nranks - 1) % nranks")),
    Operator("drop the wait for the right", drop_one("waits", "(my_rank + 1) % nranks")),
    Operator("drop the barrier", drop_barrier),
    Operator("wait before notify", swap),
    Operator("notify the wrong cell", notify_wrong_cell),
    Operator("wait on the wrong cell", wait_wrong_cell),
    Operator("notify the wrong peer", wrong_peer),
    Operator("expected + 1", expected_by("+ 1")),
    Operator("expected - 1", expected_by("- 1")),
    Operator("Set for AtomicAdd", set_for_add),
    Operator("value 2 for 1", two_for_one),
    Operator("Eq for Ge", eq_for_ge),
    Operator("cells of the first barrier", cells_of_first_barrier),
    Operator("drop the notify's self guard", drop_guard("notifies")),
    Operator("drop the wait's self guard", drop_guard("waits")),
    Operator("drop both self guards", drop_guard("notifies", "waits")),
    Operator("drop the root guard", drop_root_guard, lambda text: len(root_guards(text))),
]

# With a call of a builtin collective.
CALL_OPERATORS = [
    Operator("leave the call out", calls.leave_out, every_call),
    Operator("rank 1 leaves the call out", calls.one_rank_leaves_out, every_call),
    Operator("drop the staging", calls.drop_staging, every_call),
    Operator("call behind the reads", calls.call_behind_reads, every_call),
    Operator("call again at the end", calls.call_again, every_call),
    Operator("one more credit in its signal", calls.credit_too_many, every_call),
    Operator("the other signal layout", calls.other_layout, every_call),
]


@dataclass(frozen=True)
class Mutant:
    kernel: Kernel
    operator: Operator
    place: int  # which barrier or call of the kernel, from 1
    text: str
    lowered: bool  # the text is a lowered one

    @property
    def name(self):
        return f"{self.kernel.name}: {self.operator.name} {self.place}"


def mutants(kernel, lowered):
    """All of one kernel; `lowered` is its lowered text when it calls collectives."""
    lines = kernel.file(".py").read_text(encoding="utf-8").split("\n")
    place = lines_of(lines, kernel.function)
    made = list(changed(kernel, CALL_OPERATORS, calls.CallText(lines, *place), False)) if kernel.builtin else []
    if kernel.builtin and kernel.lowering:
        lines = lowered.split("\n")
        place = (0, len(lines))
    return [*changed(kernel, OPERATORS, Text(lines, *place), kernel.builtin and kernel.lowering), *made]


def changed(kernel, operators, text, is_lowered):
    for operator in operators:
        for place in range(operator.places(text)):
            lines = operator.change(text, place)
            if lines:
                yield Mutant(kernel, operator, place + 1, "\n".join(lines), is_lowered)


def run_file(kernel, goldens, lowered=False):
    """The kernel's run file without its claim about traffic, and without its goldens unless they are asked for. A
    lowered text has no modes and no settings any more."""
    text = kernel.file(".yaml").read_text(encoding="utf-8")
    text = re.sub(r", traffic: [^,}]*(?=[,}])", "", text)
    text = re.sub(r"^( *)traffic:.*\n(?:\1  +\w+:.*\n)*", "", text, flags=re.M)
    if lowered:
        own = re.search(rf"^  {kernel.mode}:\n(?:    .*\n)*?    (goldens: .*\n)", text, flags=re.M)
        text = "".join(re.findall(r"^(?:inputs|goldens): .*\n", text, flags=re.M)) + (own[1] if own else "")
        text = text.replace("ROOT_RANK", "0") or "description: nothing goes in\n"
    if not goldens:
        text = re.sub(r"^ *goldens: \{[^}]*\}.*\n", "", text, flags=re.M) or "description: nothing goes in\n"
        assert "goldens" not in text, f"{kernel.example}.yaml: a golden is left"
    assert "traffic" not in text, f"{kernel.example}.yaml: a claim is left"
    return text
