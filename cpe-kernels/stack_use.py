"""How much stack kernels need, made of what the compiler says of functions and their calls (-fcallgraph-info=su)."""

import dataclasses
import re

NODE = re.compile(r'node: \{ title: "([^"]+)" label: "(.*?)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
USE = re.compile(r"(\d+) bytes \(([\w,]+)\)")


@dataclasses.dataclass(eq=False)
class Function:
    name: str
    place: str  # file:line
    bytes: int
    grows: bool  # by what is not known before it runs
    calls: list


@dataclasses.dataclass(eq=False)
class Need:
    bytes: int
    path: list  # of functions, from the kernel down to where it is most


def name_of(declaration):
    """Without result and parameters: what stands before the first parenthesis, angle brackets and what is in them included."""
    depth = begin = 0
    for at, sign in enumerate(declaration):
        if sign == "(" and depth == 0:
            return declaration[begin:at]
        if sign == " " and depth == 0:
            begin = at + 1
        depth += {"<": 1, ">": -1}.get(sign, 0)
    return declaration[begin:]


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
            functions[title] = Function(name_of(declaration), f"{shown(path)}:{line}", int(size), how == "dynamic", [])
    for graph in graphs:
        for caller, called in EDGE.findall(graph):
            if caller in functions and called in functions:
                functions[caller].calls.append(functions[called])
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


def check(graphs, kernels, limit, shown):
    """What is wrong, in words, and what cannot be known."""
    functions = read(graphs, shown)
    loaders = [one for one in functions.values() if one.name.startswith("swai::cpe::Start<")]
    wrong, unknown = [], []
    for name in sorted(kernels & functions.keys()):
        kernel, needs = functions[name], Needs()
        need = needs.of(kernel)
        # That which loads its arguments has called it.
        total = need.bytes + sum(loader.bytes for loader in loaders if kernel in loader.calls)
        if total > limit:
            most = max(need.path, key=lambda one: one.bytes)
            path = ", ".join(f"{one.name} {one.bytes}" for one in need.path)
            wrong.append(f"{most.place}: {most.name} takes {most.bytes} bytes of stack; kernel {name} needs {total} with what it calls "
                         f"({path}), and has {limit}. Make large variables static with LDM, or give --stack {total} or more")
        unknown += [f"kernel {name}: {why}: nobody knows whether {limit} bytes of stack are enough; a core that needs more stops" for why in needs.unknown.values()]
    return wrong, unknown
