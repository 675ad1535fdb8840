# SPDX-License-Identifier: Apache-2.0
"""Wrong kernels made from those that call a builtin collective.

The synchronisation of a call stands in its lowered text: lowered() gives that, with the names that the hand-written
kernels have, so that the same mistakes can be made in it. CALL_OPERATORS make mistakes with the call itself."""

import re
import subprocess

CALL = re.compile(r"^( *)(?:\w+ = )?(pld\.tensor\.(?:barrier|broadcast|allreduce|allgather|reduce_scatter|all_to_all)"
                  r"\((.*)\))$")


def lowered(program, kernel, devices):
    """The text of `a2a3sim lower`, for a fixed number of ranks."""
    mode = ["--mode", kernel.mode] if kernel.mode else []
    text = subprocess.run([program, "lower", str(kernel.file(".py")), *mode, "-d", devices], text=True,
                          capture_output=True, check=True).stdout
    text = re.sub(r"\b_[a-z_]+\d+_rank\b", "my_rank", text)
    return re.sub(r"\b_[a-z_]+\d+_(?=[a-z])", "", text)


class CallText:
    """The lines of a kernel file, with the calls of collectives in one of its functions."""

    def __init__(self, lines, first, last):
        self.lines = lines
        self.places = [i for i in range(first, last) if CALL.match(lines[i])]
        self.first = first
        self.last = last
        # Of the kernel, the first function with a call in it.
        self.end = next(i for i in range(self.places[-1], last) if re.match(r" *return\b", lines[i]))

    def parts(self, k):
        """Indentation, call and operands."""
        return CALL.match(self.lines[self.places[k]]).groups()

    def signal(self, k):
        """The window that the ranks signal each other in."""
        operands = [operand.strip() for operand in self.parts(k)[2].split(",") if "=" not in operand]
        return operands[-1]

    def staging(self, k):
        """The first line of the paragraph before the call, which stores what it works on; the call's own where there
        is none."""
        begin = self.places[k]
        if not self.lines[begin - 1].strip():
            begin -= 1
        while self.lines[begin - 1].strip() and not self.lines[begin - 1].lstrip().startswith("#"):
            begin -= 1
        stores = any("pl.store(" in line for line in self.lines[begin:self.places[k]])
        return begin if stores else self.places[k]


def leave_out(text, k):
    at = text.places[k]
    return text.lines[:at] + text.lines[at + 1:]


def one_rank_leaves_out(text, k):
    at = text.places[k]
    blanks, call, _ = text.parts(k)
    guard = f"{blanks}if pld.rank(pld.get_comm_ctx({text.signal(k)})) != 1:"
    return text.lines[:at] + [guard, f"{blanks}    {call}"] + text.lines[at + 1:]


def drop_staging(text, k):
    begin, at = text.staging(k), text.places[k]
    return text.lines[:begin] + text.lines[at:] if begin < at else None


def call_behind_reads(text, k):
    at = text.places[k]
    return text.lines[:at] + text.lines[at + 1:text.end] + [text.lines[at]] + text.lines[text.end:]


def call_again(text, k):
    return text.lines[:text.end] + [text.lines[text.places[k]]] + text.lines[text.end:]


def credit_too_many(text, k):
    """To the right neighbour, in the first cell that it waits on for this rank."""
    at = text.places[k]
    blanks = text.parts(k)[0]
    signal = text.signal(k)
    rank = f"pld.rank(pld.get_comm_ctx({signal}))"
    cell = f"[0, {rank}]" if 'mode="ring"' in text.lines[at] else f"[{rank}, 0]"
    notify = (f"{blanks}pld.system.notify({signal}, peer=({rank} + 1) % pld.nranks(pld.get_comm_ctx({signal})), "
              f"offsets={cell}, value=1, op=pld.NotifyOp.AtomicAdd)")
    return text.lines[:at] + [notify] + text.lines[at:]


def other_layout(text, k):
    """The signal gets the shape that the other kind of collective takes."""
    lines = list(text.lines)
    signal = text.signal(k)
    pattern = rf"\b({signal}: .*|{signal} = pld\.window\(.*)\[(\w+), (1|n_ranks)\]"
    for i in range(text.first, text.last):
        lines[i] = re.sub(pattern, lambda m: f"{m[1]}[{m[2]}, {'2' if m[3] == '1' else '1'}]", lines[i])
    return lines
