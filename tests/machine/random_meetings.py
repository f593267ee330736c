"""Random CUDA kernels in which lanes of a warp meet in one warp function that they call at different places, for the GPU and for the CPU.

A plan is a row of warp functions. Every lane of a mask calls them in this order, but by its own way: in branches and cases, in loops that lanes leave at different
iterations, in functions, with arguments of that place. Within a plan masks are divided: each part has a plan. On the CPU each lane is a thread with a stack
(meetings_host.h), so the source is the same.
"""
import random

VALUES = [f"a[{number}]" for number in range(4)]
OPERATIONS = ["picked", "picked_wide", "xored", "upwards", "voted", "any_of", "all_of", "matched", "matched_all", "exchanged"]
REDUCTIONS = ["sum_of", "least_of", "most_of", "all_bits_of", "any_bits_of"]
SOURCE = """#ifdef ON_CPU
#include "meetings_host.h"
#else
#include "meetings_device.h"
#endif
#include "meetings_functions.h"
{functions}
__global__ void random_kernel(const u32* in, u32* out) {{
  BOX
  const u32 t = threadIdx.x, lane = t & 31u;
  u32 m = 0xffffffffu, a[4] = {{in[t], in[t + 64u], in[t + 128u], in[t + 192u]}};
{body}
  finish(out, t, a);
}}
"""


class Plans:
    def __init__(self, draw, architecture):
        self.draw, self.kinds = draw, OPERATIONS + (REDUCTIONS if architecture >= 80 else [])

    def plan(self, depth):
        return [self.item(depth) for _ in range(self.draw.randrange(1, 4))]

    def item(self, depth):
        if depth > 0 and self.draw.random() < 0.5:
            kind = self.draw.choice(["halves", "groups", "repeated", "repeated"])
            return (kind, self.plan(depth - 1), self.plan(depth - 1) if kind == "halves" else self.draw.randrange(2, 6))
        return (self.draw.choice(self.kinds), self.draw.randrange(32))


class Emitter:
    """The code of a plan; `room`: how many more places may be made."""

    def __init__(self, draw):
        self.draw, self.functions, self.room, self.names = draw, [], 40, 0

    def name(self):
        self.names += 1
        return f"n{self.names}"

    def value(self):
        one, other = self.draw.choice(VALUES), self.draw.choice([*VALUES, "lane", f"{self.draw.randrange(1, 99)}u"])
        return self.draw.choice([one, f"({one} {self.draw.choice('+-*^&|')} {other})", f"({one} >> {self.draw.randrange(1, 30)}u)"])

    def change(self):
        return f"{self.draw.choice(VALUES)} {self.draw.choice(['+=', '^=', '*=', '-='])} {self.value()};"

    def changes(self):
        return " ".join(self.change() for _ in range(self.draw.randrange(3)))

    def code(self, plan):
        self.room -= len(plan)
        way = self.draw.randrange(8) if self.room > 0 else 7
        if len(plan) > 1 and way > 3:
            cut = self.draw.randrange(1, len(plan))
            return f"{self.code(plan[:cut])} {self.changes()} {self.code(plan[cut:])}"
        if way < 2:
            return f"if ({self.value()} & {self.draw.choice([1, 2, 4, 6])}u) {{ {self.changes()} {self.code(plan)} {self.changes()} }} else {{ {self.changes()} {self.code(plan)} {self.changes()} }}"
        if way == 2:
            cases = "".join(f"{case} {{ {self.changes()} {self.code(plan)} {self.changes()} }} break; " for case in ("case 0:", "case 1:", "default:"))
            return f"switch ({self.value()} & 3u) {{ {cases}}}"
        if len(plan) > 1:
            return " ".join(self.code([one]) for one in plan)
        return self.function(plan) if way == 3 and len(self.functions) < 6 else self.one(*plan[0])

    def function(self, plan):
        name = f"called{len(self.functions)}"
        self.functions.append(None)
        place = len(self.functions) - 1
        self.functions[place] = f"CALLED void {name}(u32 m, u32 lane, u32* a BOX_PARAMETER) {{ {self.changes()} {self.code(plan)} {self.changes()} }}"
        self.functions.append(self.functions[place])
        self.functions[place] = ""
        return f"{name}(m, lane, a BOX_ARGUMENT);"

    def one(self, kind, *how):
        if kind == "halves":
            part, x = self.name(), self.name()
            return (f"{{ const u32 {x} = {self.value()}, {part} = __ballot_sync(m, {x} & 1u); if ({x} & 1u) {{ const u32 m = {part}; {self.code(how[0])} }} "
                    f"else {{ const u32 w = m & ~{part}; const u32 m = w; {self.code(how[1])} }} }}")
        if kind == "groups":
            part = self.name()
            return f"{{ const u32 {part} = __match_any_sync(m, {self.value()} & 3u); const u32 m = {part}; {self.code(how[0])} }}"
        if kind == "repeated":
            i, cut, times = self.name(), self.name(), how[1]
            unroll = self.draw.choice(["", f"\n#pragma unroll {self.draw.choice([1, 2, 4])}\n"])
            first = f"{{ u32 {i} = 0; const u32 {cut} = {self.value()} % {times + 1}u;{unroll} for (; {i} < {cut}; ++{i}) {{ {self.code(how[0])} {self.changes()} }}"
            return f"{first} {self.changes()} {unroll} for (; {i} < {times}u; ++{i}) {{ {self.changes()} {self.code(how[0])} }} }}"
        arguments = f"m, lane, {self.value()}, {self.value() if kind == 'picked' else str(how[0]) + 'u'}{' BOX_ARGUMENT' if kind == 'exchanged' else ''}"
        return f"{self.draw.choice(VALUES)} {self.draw.choice(['+=', '^='])} {kind}({arguments});"

    def growing(self, kind):
        """Masks of which one lane after the other leaves, as of a loop that nvcc unrolls."""
        i = self.name()
        unroll = self.draw.choice(["", f"\n#pragma unroll {self.draw.choice([1, 3, 8])}\n"])
        call = f"{kind}(0xffffffffu << {i}, lane, {self.value()} + {i}, {i}{' BOX_ARGUMENT' if kind == 'exchanged' else ''})"
        return f"{unroll}for (u32 {i} = 0; {i} <= lane; ++{i}) {{ {self.draw.choice(VALUES)} += {call}; {self.changes()} }}"


def kernel(seed, architecture):
    """(source of CUDA, which is also C++ for the CPU with -DON_CPU; work-items). `in` has 256 numbers, `out` 4 for each work-item."""
    draw = random.Random(f"meetings {seed}")
    plans, emitter, body = Plans(draw, architecture), Emitter(draw), []
    for _ in range(draw.randrange(1, 4)):
        emitter.room = 24
        body.append(emitter.growing(draw.choice(plans.kinds)) if draw.random() < 0.25 else emitter.code(plans.plan(2)))
        if draw.random() < 0.2:
            leaves = emitter.name()
            body.append(f"{{ const u32 {leaves} = {emitter.value()} % 5u == 0u; m &= ~__ballot_sync(m, {leaves}); if ({leaves}) {{ finish(out, t, a); return; }} }}")
            break
    functions = "\n".join(one for one in emitter.functions if one)
    return SOURCE.format(functions=functions, body="\n".join("  " + line for line in body)), draw.choice([32, 64])
