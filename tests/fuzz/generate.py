"""Random OpenCL programs for fuzzing: structured and unstructured control flow, loops, barriers in uniform flow, accesses
of every width to every address space.

    generate.py SEED KERNELS > program.cl

The first line of a program says how to launch it: `// launches: NAME GLOBAL_X GLOBAL_Y LOCAL_X LOCAL_Y N; …`. All kernels
have the parameters of `PARAMETERS`. What a kernel computes is defined: work-items write their own slots of `out`, local
memory changes hands at barriers only, atomics commute and their results are not used, every loop burns fuel, indices are
masked, and the arithmetic is of unsigned integers. (No half: Oclgrind does not know it.) So any two implementations of OpenCL agree about every byte.
"""
import sys

IN_BYTES = 1 << 16
SLOT_WORDS = 32   # of 8 bytes, per work-item, in `out`
COUNTERS = 64     # of 4 bytes, in `sums`
LOCAL_WORDS = 8   # of 4 bytes, per work-item, in `scratch`
PARAMETERS = ("__global const uchar *restrict in, __global ulong *out, volatile __global uint *sums, __local uint *scratch, "
              "const uint n")
INTEGERS = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8}

PROLOGUE = """
typedef struct { uchar a; uint b; ushort c[3]; ulong d; } record;
typedef union { uint whole; uchar part[4]; ushort half_[2]; } pieces;
__constant uint table[64] = {%s};
__constant uchar bytes[16] = {%s};
uint mix(uint x, uint y) { return (x ^ (y + 0x9E3779B9u)) * 0x85EBCA6Bu + (x >> 13); }
uint read_at(__global const uchar *p, uint at) { return p[at & 0xFFFF]; }
__attribute__((noinline)) uint walk(__global const uint *p, uint at, uint steps) {
  uint sum = 0;
  for (uint i = 0; i < steps; ++i) { sum += p[at & 0x3FFF]; if (sum & 64) at += sum; else at += 3; }
  return sum;
}
void swap_words(uint *x, uint *y) { uint z = *x; *x = *y; *y = z; }
"""


class Random:
    """SplitMix64: the same programs from the same seed with every version of Python."""

    def __init__(self, seed):
        self.state = seed & (2**64 - 1)

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & (2**64 - 1)
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
        return z ^ (z >> 31)

    def below(self, n):
        return self.next() % n

    def chance(self, percent):
        return self.below(100) < percent

    def pick(self, options):
        return options[self.below(len(options))]


class Kernel:
    """One kernel's text. `barriers` and early returns or jumps exclude each other: barriers need uniform flow."""

    def __init__(self, random, name):
        self.random = random
        self.name = name
        self.barriers = random.chance(40)
        self.unstructured = not self.barriers and random.chance(50)
        self.loops = 0  # names of loop counters are not reused
        self.in_loop = self.in_switch = 0
        self.labels = [f"L{i}" for i in range(2 + random.below(3))] if self.unstructured else []
        self.pending = list(self.labels)

    # Expressions: text of type uint without side effects

    def value(self, depth=0):
        pick = self.random.below(9 if depth < 2 else 4)
        if pick < 3:
            return self.random.pick(["a", "b", "c", "d", "(uint)w", "(uint)(w >> 32)"])
        if pick == 3:
            return self.random.pick(["gid", "lid", "n", f"{self.random.below(1 << 16)}u", "(uint)get_group_id(0)",
                                     "(uint)get_local_size(0)", "(uint)get_global_id(1)"])
        if pick == 4:
            return self.load(depth)
        x, y = self.value(depth + 1), self.value(depth + 1)
        return self.random.pick([
            f"({x} + {y})", f"({x} - {y})", f"({x} * {y})", f"({x} ^ {y})", f"({x} & {y})", f"({x} | {y})",
            f"({x} >> ({y} & 31))", f"({x} << ({y} & 31))", f"({x} / ({y} | 1u))", f"({x} % ({y} | 1u))",
            f"({x} < {y} ? {x} : {y})", f"(uint)({x} == {y})", f"min({x}, {y})", f"max({x}, {y})", f"rotate({x}, {y})",
            f"mul_hi({x}, {y})", f"hadd({x}, {y})", f"abs_diff({x}, {y})", f"clz({x})", f"popcount({x})",
            f"add_sat({x}, {y})", f"mix({x}, {y})", f"mad_hi({x}, {y}, a)", f"clamp({x}, 3u, {y} | 3u)",
            f"bitselect({x}, {y}, b)", f"as_uint(as_uchar4({x}).wzyx)", f"upsample((ushort)({x}), (ushort)({y}))"])

    def load(self, depth):
        index = self.value(depth + 2)
        form = self.random.below(16)
        kind = self.random.pick(list(INTEGERS))
        last = IN_BYTES // INTEGERS[kind] - 1
        width = self.random.pick([2, 3, 4, 8, 16])
        member = f"s{self.random.below(width):x}"
        if form < 4:
            return f"(uint)((__global const {kind} *)in)[({index}) & {last}u]"
        if form < 6:
            groups = IN_BYTES // (INTEGERS[kind] * 16) - 1
            return f"(uint)vload{width}(({index}) & {groups}u, (__global const {kind} *)in).{member}"
        if form == 6:
            groups = IN_BYTES // 16 - 1
            return f"((__global const uint4 *)in)[({index}) & {groups}u].{self.random.pick('xyzw')}"
        if form == 7:
            return f"(uint)((__global const record *)in)[({index}) & 511u].{self.random.pick(['a', 'b', 'c[1]', 'd'])}"
        if form == 8:
            return f"table[({index}) & 63u]"
        if form == 9:
            return f"(uint)bytes[({index}) & 15u]"
        if form == 10:
            return f"as_uint(((__global const float *)in)[({index}) & 16383u])"
        if form == 11:
            return f"vload4(({index}) & 4095u, (__global const uint *)in).{self.random.pick('xyzw')}"
        if form == 12:
            return f"mine32[({index}) & {2 * SLOT_WORDS - 1}u]"
        if form == 13:
            return f"own[({index}) & {LOCAL_WORDS - 1}u]"
        if form == 14:
            return f"kept[({index}) & 7u]"
        return self.random.pick([f"read_at(in, {index})", f"walk((__global const uint *)in, {index}, 3u)"])

    # Statements

    def store(self):
        index, value = self.value(1), self.value(1)
        form = self.random.below(12)
        kind = self.random.pick(list(INTEGERS))
        last = 8 * SLOT_WORDS // INTEGERS[kind] - 1
        width = self.random.pick([2, 3, 4, 8])
        if form < 4:
            return f"((__global {kind} *)mine)[({index}) & {last}u] = ({kind})({value});"
        if form == 4:
            groups = 8 * SLOT_WORDS // (INTEGERS[kind] * 8) - 1
            return (f"vstore{width}(({kind}{width})(({kind})({value})), ({index}) & {groups}u, "
                    f"(__global {kind} *)mine);")
        if form == 5:
            return f"((__global uint4 *)mine)[({index}) & {SLOT_WORDS // 2 - 1}u] = (uint4)({value}, a, b, c);"
        if form == 6:
            return f"((__global record *)mine)[({index}) & 7u].{self.random.pick(['a', 'b', 'c[2]', 'd'])} = {value};"
        if form == 7:
            return f"own[({index}) & {LOCAL_WORDS - 1}u] = {value};"
        if form == 8:
            return f"kept[({index}) & 7u] = {value};"
        if form == 9:
            # One operation per counter: the order does not matter.
            operation = self.random.pick(["add", "sub", "or", "and", "xor", "max", "min", "inc", "dec"])
            first = ["add", "or", "and", "xor", "max", "min"].index(
                {"sub": "add", "inc": "add", "dec": "add"}.get(operation, operation)) * 8
            place = f"&sums[{first} + (({index}) & 7u)]"
            return f"atomic_{operation}({place});" if operation in ("inc", "dec") else f"atomic_{operation}({place}, {value});"
        if form == 10:
            return f"bits.whole = {value}; {self.variable()} += bits.part[({index}) & 3u];"
        return "swap_words(&a, &b);"

    def variable(self):
        return self.random.pick(["a", "b", "c", "d", "w"])

    def condition(self):
        return self.random.pick([
            f"({self.value(1)}) & {1 << self.random.below(6)}u", f"({self.value(2)}) > ({self.value(2)})",
            f"(lid ^ {self.value(2)}) & 1u", f"({self.value(1)}) % 3u == 0"])

    def block(self, depth, length):
        lines = []
        for _ in range(length):
            lines += self.statement(depth)
            if self.pending and self.random.chance(25):
                lines.append(f"{self.pending.pop()}:;")
        return lines

    def indented(self, depth, length):
        return ["  " + line for line in self.block(depth + 1, length)]

    def counter(self):
        self.loops += 1
        return f"i{self.loops}"

    def statement(self, depth):
        pick = self.random.below(100)
        if depth > 2 or pick < 30:
            return [f"{self.variable()} {self.random.pick(['=', '+=', '^='])} {self.value()};"]
        if pick < 55:
            return [self.store()]
        if pick < 68:
            lines = [f"if ({self.condition()}) {{", *self.indented(depth, 1 + self.random.below(3))]
            if self.random.chance(50):
                lines += ["} else {", *self.indented(depth, 1 + self.random.below(3))]
            return lines + ["}"]
        if pick < 82:
            return self.loop(depth)
        if pick < 88:
            return self.switch(depth)
        if pick < 94 and self.labels:
            # Fuel is burnt on the way, so that jumping back ends.
            return [f"if (({self.condition()}) && fuel != 0) {{ --fuel; goto {self.random.pick(self.labels)}; }}"]
        if pick < 97 and self.in_loop and not self.in_switch:
            return [f"if ({self.condition()}) {self.random.pick(['break', 'continue'])};"]
        if pick < 98 and not self.barriers:
            return [f"if (({self.condition()}) && ({self.condition()})) {{ mine[0] = a; return; }}"]
        return [f"w = w * 6364136223846793005ul + {self.value()};"]

    def loop(self, depth):
        name = self.counter()
        self.in_loop += 1
        outside, self.in_switch = self.in_switch, 0
        body = self.indented(depth, 1 + self.random.below(3))
        self.in_loop -= 1
        self.in_switch = outside
        bound = self.random.pick(["3u", "5u", f"(({self.value(1)}) & 7u)", "(n & 3u) + 1u", "(lid & 3u)"])
        form = self.random.below(3)
        # The counters live at the kernel's top: a jump into the loop must not pass by a declaration.
        burn = "  if (fuel == 0) break;"
        if form == 0:
            return [f"for ({name} = 0; {name} < {bound}; ++{name}) {{", burn, "  --fuel;", *body, "}"]
        if form == 1:
            return [f"{name} = {bound};", f"while (fuel != 0 && {name} != 0) {{", f"  --fuel; --{name};", *body, "}"]
        return [f"{name} = {bound};", "do {", burn, "  --fuel;", *body, f"}} while ({name}-- > 1u && {name} < 16u);"]

    def switch(self, depth):
        lines = [f"switch (({self.value(1)}) & 7u) {{"]
        self.in_switch += 1
        for case in sorted({self.random.below(8) for _ in range(2 + self.random.below(4))}):
            lines += [f"case {case}u:", *self.indented(depth, 1)]
            if self.random.chance(60):
                lines.append("  break;")
        if self.random.chance(60):
            lines += ["default:", *self.indented(depth, 1)]
        self.in_switch -= 1
        return lines + ["}"]

    def exchange(self):
        """What other work-items left in local memory, between barriers."""
        lines = [f"own[{self.random.below(LOCAL_WORDS)}] = {self.value(1)};", "barrier(CLK_LOCAL_MEM_FENCE);",
                 f"{self.variable()} += scratch[({self.value(1)}) % (items * {LOCAL_WORDS}u)];",
                 "barrier(CLK_LOCAL_MEM_FENCE);"]
        if self.random.chance(20):
            words = self.random.pick(["items", "items * 4", "items * 8"])
            start = f"(get_group_id(0) * {self.random.below(64)}u)"
            lines += [f"{{ event_t copied = async_work_group_copy(scratch, (__global const uint *)in + {start}, {words}, 0); "
                      "wait_group_events(1, &copied); }",
                      f"{self.variable()} ^= scratch[({self.value(1)}) % items];",
                      "barrier(CLK_LOCAL_MEM_FENCE);"]
        return lines

    def uniform(self, depth=0):
        """Statements between barriers, in flow that all work-items of a group share."""
        pick = self.random.below(4 if depth < 2 else 2)
        if pick == 0:
            return self.exchange()
        if pick == 1:
            return self.block(1, 1 + self.random.below(3)) + self.exchange()
        inside = ["  " + line for line in self.uniform(depth + 1)]
        if pick == 2:
            name = self.counter()
            bound = self.random.pick(["2u", "3u", "(n & 3u)", "(uint)get_group_id(0) % 3u"])
            return [f"for ({name} = 0; {name} < {bound}; ++{name}) {{", *inside, "}"]
        return [f"if ({self.random.pick(['n & 1u', 'n > 5u', '(get_group_id(0) & 1) == 0'])}) {{", *inside, "}"]

    def text(self):
        if self.barriers:
            body = self.block(0, 2)
            for _ in range(1 + self.random.below(2)):
                body += self.uniform()
        else:
            body = self.block(0, 3 + self.random.below(4))
        body += [f"{label}:;" for label in self.pending]
        self.pending = []
        counters = "".join(f", i{i} = 0" for i in range(1, self.loops + 1))
        lines = [
            f"__kernel void {self.name}({PARAMETERS}) {{",
            "  const uint lid = (uint)(get_local_id(1) * get_local_size(0) + get_local_id(0));",
            "  const uint items = (uint)(get_local_size(0) * get_local_size(1));",
            "  const uint gid = (uint)((get_group_id(1) * get_num_groups(0) + get_group_id(0)) * items + lid);",
            f"  __global ulong *mine = out + gid * {SLOT_WORDS};",
            "  __global uint *mine32 = (__global uint *)mine;",
            f"  __local uint *own = scratch + lid * {LOCAL_WORDS};",
            "  uint a = in[gid & 0xFFFF], b = gid * 7u + n, c = lid, d = 1u, fuel = 60u;",
            "  ulong w = ((ulong)a << 32) | b;",
            f"  uint kept[8] = {{1, 2, 3, 4, 5, 6, 7, 8}}, i0 = 0{counters};",
            "  pieces bits;",
            f"  for (i0 = 0; i0 < {LOCAL_WORDS}u; ++i0) own[i0] = gid + i0;",
            *(["  barrier(CLK_LOCAL_MEM_FENCE);"] if self.barriers else []),
            *("  " + line for line in body),
            "  mine[1] = a ^ ((ulong)b << 20); mine[2] = c + ((ulong)d << 24); mine[3] = w ^ fuel;",
            "  mine[4] = kept[a & 7u] + own[0];",
            "}"]
        return "\n".join(lines)


def launch(random, name):
    """Sizes that leave partial warps, several groups, one and two dimensions."""
    local = random.pick([(32, 1), (48, 1), (16, 4), (64, 1), (8, 5), (1, 1), (37, 1)])
    groups = (1 + random.below(3), 1 + random.below(2))
    return f"{name} {local[0] * groups[0]} {local[1] * groups[1]} {local[0]} {local[1]} {random.below(12)}"


def program(seed, kernels):
    random = Random(seed)
    names = [f"k{i}" for i in range(kernels)]
    launches = "; ".join(launch(random, name) for name in names)
    constants = ", ".join(f"{random.below(1 << 32)}u" for _ in range(64)), ", ".join(str(random.below(256)) for _ in range(16))
    body = "\n\n".join(Kernel(random, name).text() for name in names)
    return f"// launches: {launches}\n// seed {seed}\n{PROLOGUE % constants}\n{body}\n"


if __name__ == "__main__":
    sys.stdout.write(program(int(sys.argv[1]), int(sys.argv[2])))
