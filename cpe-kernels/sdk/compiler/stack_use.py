# SPDX-License-Identifier: Apache-2.0
"""How much stack kernels need, made of what the compiler says of functions and their calls (-fcallgraph-info=su)."""

import dataclasses
import re

NODE = re.compile(r'node: \{ title: "([^"]+)" label: "(.*?)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
USE = re.compile(r"(\d+) bytes \(([\w,]+)\)")
# Of the templates that start a kernel (swai/kernel.hpp, swai/grid.hpp).
STARTS = re.compile(r"\[with auto\* kFunction = (?:[\w{}]+::)*(\w+);")
# `void (* f(int))(float)`, `int (& f(int))[3]`: the name stands inside.
RETURNS_BY_DECLARATOR = re.compile(r"^[^(]* \((?:[\w:]+::)?[*&]+ (?=[\w{])")
OPERATOR = re.compile(r"\boperator(\(\)|[^\w\s(]+| [^(]+)")
HIDDEN = str.maketrans("<>() ", "\1\2\3\4\5")
SHOWN = str.maketrans("\1\2\3\4\5", "<>() ")
BARRIER = "__syncthreads"
THROUGH_POINTER = "__indirect_call"
SWITCH = "swai_switch"
BOTTOM = "swai_run_thread"
ALONE = "swai_on_one_core"
ALONE_IF_SHARED = "swai_atomic_on_device"
# What nobody wrote in C++: registers that a thread keeps while others run (lib/switch.S), and functions of the compiler's own
# library: what any of them needs, and those for long double and complex numbers.
SWITCH_BYTES = 64
LIBRARY_BYTES = 64
LARGE_BYTES = 384
LARGE = re.compile(r"__\w*(tf\d?|c3)$")


@dataclasses.dataclass(eq=False)
class Function:
    name: str
    place: str  # file:line
    bytes: int
    grows: bool  # by what is not known before it runs
    calls: list
    kernel: str  # that it starts
    unknown: set  # what it calls elsewhere


@dataclasses.dataclass(eq=False)
class Need:
    bytes: int
    path: list  # of functions, from the kernel down to where it is most


def name_of(declaration):
    """Without result and parameters; what is inside of a function keeps that one's name in front."""
    text = RETURNS_BY_DECLARATOR.sub("", declaration.split(" [with ", 1)[0].replace("decltype(auto)", "auto"))
    # What is a bracket or a space in an operator's name ends nothing.
    text = OPERATOR.sub(lambda match: match[0].translate(HIDDEN), text)
    name = opened = ""
    after_parameters = False
    for sign in text:
        if after_parameters and sign != ":":
            break
        after_parameters = False
        if sign in "(<":
            opened += sign
        if sign == " " and not opened:
            name = ""
        elif not opened.startswith("("):
            name += sign
        if sign == ")" and "(" in opened:
            opened = opened[:opened.rindex("(")]
            after_parameters = not opened
        elif sign == ">" and opened.endswith("<"):
            opened = opened[:-1]
    return name.translate(SHOWN)


def read(graphs, shown):
    """By the compiler's name for it. `graphs` are the texts for each object."""
    functions = {}
    for graph in graphs:
        for title, label in NODE.findall(graph):
            # Those of other objects, and calls through pointers, have no third line.
            lines = label.split("\\n")
            if len(lines) < 3:
                continue
            declaration, place, use = lines
            size, how = USE.match(use).groups()
            path, line, _ = place.rsplit(":", 2)
            functions[title] = Function(name_of(declaration), f"{shown(path)}:{line}", int(size), how == "dynamic", [],
                                        found[1] if (found := STARTS.search(declaration)) else "", set())
    for graph in graphs:
        for caller, called in EDGE.findall(graph):
            if caller in functions and called in functions:
                functions[caller].calls.append(functions[called])
            elif caller in functions:
                functions[caller].unknown.add(called)
    return functions


class Needs:
    """Of functions with all that they call. What calls itself again counts once, and is told apart."""

    def __init__(self):
        self.known = {}
        self.unknown = {}  # by name: why nobody can say how much it takes

    def of(self, function, above=()):
        if function in self.known:
            return self.known[function]
        if function.grows:
            self.unknown[function.name] = f"{function.name} ({function.place}) has an array whose size is not known before it runs"
        best = Need(0, [])
        for called in function.calls:
            if called is function or called in above:
                self.unknown[called.name] = f"{called.name} ({called.place}) calls itself"
            else:
                best = max(best, self.of(called, (*above, function)), key=lambda need: need.bytes)
        need = self.known[function] = Need(function.bytes + best.bytes, [function, *best.path])
        return need


def reached(function, seen=None):
    """The function and all that it calls."""
    seen = set() if seen is None else seen
    if function not in seen:
        seen.add(function)
        for called in function.calls:
            reached(called, seen)
    return seen


def switches(function):
    """Whether it goes on where another stack is."""
    return any(SWITCH in one.unknown for one in reached(function))


def words(kernel, need, total, limit, cure):
    most = max(need.path, key=lambda one: one.bytes)
    path = ", ".join(f"{one.name} {one.bytes}" for one in need.path)
    return (f"{most.place}: {most.name} takes {most.bytes} bytes of stack; kernel {kernel} needs {total} with what it calls "
            f"({path}), and has {limit}. Make large variables static with LDM, or {cure}")


class Threads:
    """What a thread of a kernel needs that runs once for each; 0: it waits for no other, and needs no stack of its own."""

    def __init__(self, functions, name, shared):
        all_of_it = reached(functions[name])
        self.waits = functions[BARRIER] in all_of_it
        self.alone = functions[ALONE] in all_of_it or (shared and functions[ALONE_IF_SHARED] in all_of_it)
        self.bytes = 0
        if not self.waits:
            return
        needs = Needs()
        self.need = needs.of(functions[name])
        starts = max(one.bytes for one in functions.values() if one.kernel == name and functions[name] in one.calls)
        outside = set().union(*(one.unknown for one in all_of_it))
        library = LARGE_BYTES if any(map(LARGE.match, outside)) else LIBRARY_BYTES if outside - {THROUGH_POINTER, SWITCH} else 0
        # Where it goes on is in the lowest word.
        total = 4 + functions[BOTTOM].bytes + starts + self.need.bytes + SWITCH_BYTES + library
        self.bytes = (total + 15) // 16 * 16
        self.unknown = list(needs.unknown.values())
        self.unknown += [f"{one.name} ({one.place}) calls through a pointer" for one in all_of_it if THROUGH_POINTER in one.unknown]


def thread_stacks(graphs, grids, shared, shown):
    """For each kernel that runs once for each thread: how much stack a thread gets, in bit 0 whether it takes one core alone. And what is wrong, in words.
    `shared`: whether there are variables that all cores see."""
    functions = read(graphs, shown)
    stacks, wrong = {}, []
    for name in sorted(grids):
        threads = Threads(functions, name, shared)
        stacks[name] = threads.bytes | threads.alone
        if threads.waits:
            wrong += [f"kernel {name}: {why}: its threads wait for each other (__syncthreads), each has a stack of its own, and nobody "
                      "knows how large" for why in threads.unknown]
    return stacks, wrong


def check(graphs, kernels, limit, shown):
    """What is wrong, in words, and what cannot be known."""
    functions = read(graphs, shown)
    wrong, unknown = [], []
    called = {one for caller in functions.values() for one in caller.calls}
    # Another stack of a kernel (swai/switch.hpp) begins with what nobody calls, and has as much as the kernel's.
    for name, one in functions.items():
        if one in called or one.kernel or name in kernels or name == BOTTOM or not switches(one):
            continue
        need = Needs().of(one)
        if need.bytes + SWITCH_BYTES > limit:
            wrong.append(words(one.name, need, need.bytes + SWITCH_BYTES, limit, f"give --stack {need.bytes + SWITCH_BYTES} or more"))
    for name in sorted(kernels & functions.keys()):
        needs = Needs()
        need = needs.of(functions[name])
        # That which loads its arguments has called it, or for each thread has what it calls.
        total = need.bytes + sum(needs.of(one).bytes for one in functions.values() if one.kernel == name and functions[name] not in one.calls)
        total += sum(one.bytes for one in functions.values() if one.kernel == name and functions[name] in one.calls)
        total += SWITCH_BYTES if switches(functions[name]) else 0
        if total > limit:
            wrong.append(words(name, need, total, limit, f"give --stack {total} or more"))
        unknown += [f"kernel {name}: {why}: nobody knows whether {limit} bytes of stack are enough; a core that needs more stops" for why in needs.unknown.values()]
    return wrong, unknown
