# SPDX-License-Identifier: Apache-2.0
"""Guards of the stack: functions that go nobody knows how deep look whether there is room, and stop their core when there is none.

They are those that call themselves again, that have arrays of unknown size, and that call through pointers. All others are added
up before the module is made (stack_use.py). What a guarded function calls down to the next guard is known, too, so it asks for that
as well. The guards are put into what the compiler wrote, before it is assembled."""

import collections
import re

import stack_use

THROUGH_POINTER = "__indirect_call"
# What any function of the compiler's own library needs.
LIBRARY_BYTES = 64

# The namespace swai::cpe.
OURS = "_ZN4swai3cpe"

LABEL = re.compile(r"([\w.$]+):$")
STEP = re.compile(r"\t(addi\tsp,sp,-\d+|add\tsp,sp,\w+)$")
DEPTH = re.compile(r"\t\.cfi_def_cfa_offset (\d+)$")
ARRAY = re.compile(r"\tsub\tsp,sp,(\w+)$")


def symbol(title):
    """The compiler puts the file before names that other files do not see."""
    return title.rsplit(":", 1)[-1]


class Calls:
    def __init__(self, graphs):
        self.functions = stack_use.read(graphs, str)
        self.called = collections.defaultdict(set)
        for graph in graphs:
            for caller, called in stack_use.EDGE.findall(graph):
                self.called[caller].add(called)
        self.called_by_name = set().union(*self.called.values())

    def calls_itself(self, title):
        seen, left = set(), [title]
        while left:
            new = self.called[left.pop()] - seen
            if title in new:
                return True
            seen |= new
            left += new
        return False

    def is_unknown(self, title):
        return self.functions[title].grows or THROUGH_POINTER in self.called[title] or self.calls_itself(title)


def guards(graphs, own, kernels):
    """Of the functions in `own` graphs, which belong to the programmer's sources, those that get a guard, and how much those that
    each calls need down to their own guards. `graphs` are those of the whole module."""
    calls = Calls(graphs)
    theirs = stack_use.read(own, str)
    guarded = {title for title in theirs if calls.is_unknown(title)}
    # Nobody calls them by name; not kernels, nor what begins them (swai/kernel.hpp).
    pointed_to = {title for title in theirs if not symbol(title).startswith(OURS)} - calls.called_by_name - kernels

    def with_below(title):
        if title in guarded:
            return 0
        if title not in calls.functions:
            return LIBRARY_BYTES
        return calls.functions[title].bytes + below(title)

    def below(title):
        called = calls.called[title] - {THROUGH_POINTER}
        if title in guarded and THROUGH_POINTER in calls.called[title]:
            called |= pointed_to
        return max(map(with_below, called), default=0)

    return {title: (calls.functions[title], below(title)) for title in guarded}


class Writer:
    """Goes through one object's assembler text."""

    def __init__(self, wanted):
        self.wanted = {symbol(title): guard for title, guard in wanted.items()}
        self.lines = []
        self.count = 0
        self.leave()

    def leave(self):
        self.function = None
        self.place = None
        self.depth = 0
        self.steps = self.stops = False

    def write(self, *lines):
        self.lines += [f"\t{line}" for line in lines]

    def limit(self, room):
        # The compiler leaves gp alone, and no linker relaxes to it here.
        self.write(f"lui\tgp,%hi(__ldm_free_end+{room})", f"addi\tgp,gp,%lo(__ldm_free_end+{room})")
        self.stops = True

    def take(self, line):
        if (label := LABEL.match(line)) and label[1] in self.wanted:
            self.function, self.below = self.wanted[label[1]]
            # Of a copy that it made for one use the compiler tells no name.
            self.words = "stack overflow" if "." in label[1] else f"stack overflow in {self.function.name}"
        if self.function is None:
            self.lines.append(line)
            return
        if array := ARRAY.match(line):
            self.limit(self.below)
            self.write("sub\tgp,sp,gp", f"bltu\tgp,{array[1]},{self.stop()}")
        if "\t.cfi_endproc" == line and self.stops:
            self.write_stop()
        self.lines.append(line)
        self.look(line)

    def look(self, line):
        if line.startswith("\t.loc") and self.place is None:
            self.place = line
        if line == "\t.cfi_startproc" and self.function.bytes == 0 and self.below:
            self.check(self.below)
        if STEP.match(line):
            self.steps = True
        if depth := DEPTH.match(line):
            # A large frame takes a second step.
            if self.steps and self.depth == 0:
                self.check(self.function.bytes - int(depth[1]) + self.below)
            self.depth, self.steps = int(depth[1]), False
        if line == "\t.cfi_endproc":
            self.leave()

    def stop(self):
        return f".Lswai_stack_{self.count}"

    def check(self, room):
        self.limit(room)
        self.write(f"bltu\tsp,gp,{self.stop()}")

    def write_stop(self):
        # It belongs to the line with which the function begins.
        self.lines += [f"{self.stop()}:", *([self.place] if self.place else [])]
        self.write("ebreak", '.pushsection .debug_swai_stops,"",@progbits', f".4byte\t{self.stop()}",
                   f'.asciz\t"{self.words}"', ".popsection")
        self.count += 1


def insert(text, graph, all_guards):
    """Into one object's text; `graph` is the object's."""
    writer = Writer({title: guard for title, guard in all_guards.items() if title in stack_use.read([graph], str)})
    for line in text.split("\n"):
        writer.take(line)
    return "\n".join(writer.lines)
