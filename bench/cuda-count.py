"""Runs a kernel's intermediate code (PTX), its warps in lockstep, and counts what it does; bench/cuda-count.sh starts it.

    python cuda-count.py kernel.ptx task launch.bin

The warps of a block run from barrier to barrier, one after the other. Lanes that went different ways run by turns, those with
the smallest place in the code first, as the code of loops and branches lets them meet again. Registers are arrays of 32 lanes.
Only instructions that the kernels of src/cuda have are known.
"""

import collections
import itertools
import re
import struct
import sys

import numpy as np

LANES = 32
TYPES = {prefix + str(bits): np.dtype(kind + str(bits // 8)) for prefix, kind in (("u", "u"), ("b", "u"), ("s", "i"), ("f", "f"))
         for bits in (8, 16, 32, 64) if (prefix, bits) != ("f", 8)}
REGISTERS = {"%p": np.dtype(bool), "%rs": TYPES["u16"], "%f": TYPES["f32"], "%r": TYPES["u32"], "%temp": TYPES["u32"],
             "%fd": TYPES["f64"], "%rd": TYPES["u64"], "%tmp": TYPES["u64"]}
# Generic addresses: the host's own for global memory, these for the others.
ARGUMENTS, SHARED = 1 << 40, 2 << 40
SHARED_BYTES, SHARED_FOR_SUMS = 228 << 10, 227 << 10
COMPARISONS = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
               "lo": np.less, "ls": np.less_equal, "hi": np.greater, "hs": np.greater_equal}
# Clocks until the result of an instruction can be used: assumptions, of which measurements of Hopper GPUs differ by some.
LATENCIES = {"double": 8, "shared": 30, "rsqrt": 36, "rcp": 36, "sqrt": 110, "div": 110, "mov": 0, "other": 4}
LATENCIES_OF_OTHERS = {"ld": 40, "shfl": 24, "vote": 24}
BLOCK_ENDS = ("bra", "ret", "bar")
REGISTER = re.compile(r"%[a-z]+\d+")


def read_launch(path):
    """Arguments of a kernel, and the pieces of memory by address, before and after."""
    content = open(path, "rb").read()
    place = 0

    def number():
        nonlocal place
        place += 8
        return struct.unpack_from("<Q", content, place - 8)[0]

    def piece():
        nonlocal place
        size = number()
        place += size
        return np.frombuffer(content[place - size:place], np.uint8).copy()

    arguments = [piece() for _ in range(4)]
    before, after = ({number(): piece() for _ in range(number())} for _ in range(2))
    return arguments, before, after


def parse(path, parts_of_name):
    """The instructions of a kernel, (negated, predicate, operation, operands), and the places of its labels."""
    entries = re.split(r"(?=\.visible \.entry )", open(path).read())
    text = next(e for e in entries[1:] if all(part in e.split("(")[0] for part in parts_of_name))
    text = re.sub(r"//.*|(?m:^\s*\.loc\s[^\n]*$)", "", text)
    body = text[text.index("\n{\n") + 3:text.rindex("}")]
    body = re.sub(r"(?m)^\s*[{}]\s*$|^\s*\{(?=\s*\.reg)|(?<=;)\s*\}\s*$", "", body)
    code, labels = [], {}
    for label, statement in re.findall(r"(\$\w+):|([^;:]+);", body):
        if label:
            labels[label] = len(code)
        elif not statement.strip().startswith("."):
            negated, predicate, operation, operands = re.match(r"\s*(?:@(!?)(%p\d+)\s+)?(\S+)\s*(.*)", statement, re.S).groups()
            code.append((negated == "!", predicate, operation, re.split(r",\s*(?![^{]*\})", operands.strip())))
    return code, labels


class Clock:
    """The clocks that a warp takes alone if instructions wait for nothing but what they need. Up to the next branch or barrier they
    may change places, as the compiler arranges them; accesses to shared memory stay behind a store."""

    def __init__(self):
        self.ready = collections.defaultdict(int)
        self.block = self.instructions = self.latest = self.store = 0

    def start(self, kind, operation, predicate, operands):
        name = operation.split(".")[0]
        results = 0 if name == "st" or name in BLOCK_ENDS else 1
        sources = REGISTER.findall(" ".join(operands[results:])) + [predicate or ""]
        begin = max(self.block, *(self.ready[register] for register in sources))
        if kind == "shared":
            begin = max(begin, self.store)
        if name == "st":
            self.store = begin + 1
        self.instructions += kind != "mov"
        self.latest = max(self.latest, begin)
        latency = LATENCIES_OF_OTHERS.get(name, LATENCIES[kind]) if kind == "other" and ".param" not in operation else LATENCIES[kind]
        for register in REGISTER.findall(" ".join(operands[:results])):
            self.ready[register] = begin + latency
        if name in BLOCK_ENDS:
            self.block = max(self.latest, self.block + self.instructions)
            self.instructions = 0


class Warp:
    block_threads = LANES

    def __init__(self, code, labels, arguments, memory, shared, threads, block):
        self.code, self.labels, self.arguments, self.memory = code, labels, arguments, memory
        self.special = {"%tid.x": threads, "%ctaid.x": np.full(LANES, block), "%ntid.x": np.full(LANES, self.block_threads)}
        self.shared = shared
        self.registers = {}
        self.counts = collections.Counter()
        self.clock = Clock()

    def register(self, name):
        if name not in self.registers:
            self.registers[name] = np.zeros(LANES, REGISTERS[re.match("%[a-z]+", name).group()])
        return self.registers[name]

    def value(self, operand, kind):
        if operand in self.special:
            return self.special[operand].astype(kind)
        if operand[0] == "%":
            register = self.register(operand)
            same_size = register.dtype.itemsize == kind.itemsize and register.dtype != bool
            return register.view(kind) if same_size else register.astype(kind)
        if operand[:2] in ("0d", "0f"):
            return np.full(LANES, np.frombuffer(bytes.fromhex(operand[2:])[::-1], kind)[0])
        if re.match(r"-?\d", operand):
            return np.full(LANES, int(operand, 0) % (1 << 8 * kind.itemsize), "u%d" % kind.itemsize).view(kind)
        if "_param_" in operand:
            return np.full(LANES, ARGUMENTS + (int(operand[-1]) << 20), kind)
        return np.full(LANES, SHARED_FOR_SUMS if "for_sums" in operand else 0).astype(kind)  # in shared memory

    def put(self, name, value, active):
        register = self.register(name)
        if value.dtype != register.dtype:
            wide = value.dtype.itemsize == register.dtype.itemsize and register.dtype != bool
            value = np.ascontiguousarray(value).view(register.dtype) if wide else value.astype(register.dtype)
        register[active] = value[active]

    def addresses(self, operand, space):
        base, offset = re.match(r"\[([^+\]]+)(?:\+(-?\d+))?\]", operand).groups()
        addresses = self.value(base, REGISTERS["%rd"] if base[0] != "%" else self.register(base).dtype).astype(np.int64)
        addresses = addresses + int(offset or 0)
        return addresses % SHARED + SHARED if space == "shared" else addresses

    def piece(self, address):
        if address >> 40 == 2:
            return self.shared, address - SHARED
        if address >> 40 == 1:
            return self.arguments[address >> 20 & 15], address & 0xfffff
        start = max(a for a in self.memory if a <= address)
        return self.memory[start], address - start

    # Accesses of a warp to shared memory: as many as there are different words in one of the 32 banks.
    def count_accesses(self, addresses, bytes_each, active):
        words = {(address + w) // 4 for address in addresses[active] for w in range(0, max(bytes_each, 4), 4)}
        self.counts["accesses"] += max(collections.Counter(word % 32 for word in words).values())

    def move(self, operation, operands, active):
        parts = operation.split(".")
        kind, store = TYPES[parts[-1]], parts[0] == "st"
        addresses = self.addresses(operands[0 if store else 1], parts[1])
        names = [name.strip() for name in operands[1 if store else 0].strip("{}").split(",")]
        if "shared" in operation:
            self.count_accesses(addresses, kind.itemsize * len(names), active)
        for number, name in enumerate(names):
            values = self.value(name, kind).copy() if store else np.zeros(LANES, kind)
            for lane in np.nonzero(active)[0]:
                memory, place = self.piece(int(addresses[lane]) + number * kind.itemsize)
                if store:
                    memory[place:place + kind.itemsize] = np.frombuffer(values[lane].tobytes(), np.uint8)
                else:
                    values[lane] = memory[place:place + kind.itemsize].view(kind)[0]
            if not store:
                register = self.register(name).dtype
                signed = np.dtype("i%d" % register.itemsize) if kind.kind == "i" else register
                self.put(name, values if register.itemsize == kind.itemsize else values.astype(signed), active)

    def run(self):
        place = np.zeros(LANES, int)
        while place.min() < len(self.code):
            here = place.min()
            active = place == here
            negated, predicate, operation, operands = self.code[here]
            kind = self.kind(operation)
            self.counts[kind] += 1
            self.clock.start(kind, operation, predicate, operands)
            place[active] += 1
            if operation.startswith("bra"):
                taken = active & (self.register(predicate) != negated) if predicate else active
                place[taken] = self.labels[operands[0]]
            elif operation == "ret":
                place[active] = len(self.code)
            elif operation.startswith("bar"):
                assert active.all(), "a barrier that not all threads of a warp come to"
                if "warp" not in operation:
                    yield
            elif operation[:2] in ("ld", "st"):
                self.move(operation, operands, active)
            else:
                self.compute(operation, operands, active)

    @staticmethod
    def kind(operation):
        parts = operation.split(".")
        name, number = parts[0], parts[-1]
        if name == "mov":
            return "mov"  # mostly constants, which machine code has as operands
        if "shared" in operation and name in ("ld", "st"):
            return "shared"
        if number in ("f32", "f64") and name in ("sqrt", "rsqrt"):
            return name
        if "f64" in operation and name not in ("ld", "st", "neg", "selp", "div", "rcp"):
            return "double"
        return "other"

    def compute(self, operation, operands, active):
        parts = operation.split(".")
        name, kind = parts[0], TYPES.get(parts[-1], REGISTERS["%p"])

        def value(number, kind=kind):
            return self.value(operands[number], kind)

        if name == "mov" and operands[0][0] == "{":
            for half, register in enumerate(operands[0].strip("{}").split(",")):
                self.put(register.strip(), (value(1, TYPES["u64"]) >> np.uint64(32 * half)).astype(np.uint32), active)
            return
        if name == "mov" and operands[1][0] == "{":
            low, high = (self.value(half.strip(), TYPES["u32"]).astype(np.uint64) for half in operands[1].strip("{}").split(","))
            result = low | high << np.uint64(32)
        elif name == "mov":
            result = value(1)
        elif name == "cvta":
            result = value(1) + (np.uint64(SHARED) if parts[1] == "shared" else np.uint64(0))
        elif name == "setp":
            unordered = parts[1] not in COMPARISONS
            result = COMPARISONS[parts[1][:2] if unordered else parts[1]](value(1), value(2))
            if unordered:
                result |= np.isnan(value(1)) | np.isnan(value(2))
        elif name == "selp":
            result = np.where(self.register(operands[3]), value(1), value(2))
        elif name in ("mul", "mad") and "wide" in parts:
            wide = np.dtype(kind.kind + "8")
            result = value(1).astype(wide) * value(2).astype(wide) + (value(3, wide) if name == "mad" else 0)
        elif name == "fma" and parts[1] == "rm":  # rounded down; the product of two floats is a double
            exact = value(1).astype(float) * value(2).astype(float) + value(3).astype(float)
            result = exact.astype(kind)
            result = np.where(result > exact, np.nextafter(result, kind.type(-np.inf)), result)
        elif name in ("mad", "fma"):
            exact = kind if kind.kind != "f" else np.longdouble
            result = (value(1).astype(exact) * value(2).astype(exact) + value(3).astype(exact)).astype(kind)
        elif name in ("div", "rem") and kind.kind != "f":
            quotient = np.trunc(value(1) / value(2).astype(float)).astype(kind)
            result = quotient if name == "div" else value(1) - quotient * value(2)
        elif name in ("shl", "shr"):
            distance = np.minimum(value(2, TYPES["u32"]), 8 * kind.itemsize - 1).astype(kind)
            result = value(1) << distance if name == "shl" else value(1) >> distance
        elif name == "cvt":
            result = value(1).astype(TYPES[parts[-2]])
            if "sat" in parts:
                result = np.clip(np.nan_to_num(result), 0, 1)
        elif name == "shfl":
            result = value(1)[np.arange(LANES) ^ value(2, TYPES["u32"])]
            operands = [operands[0].split("|")[0]]
        elif name == "vote":
            result = np.full(LANES, sum(int(flag) << lane for lane, flag in enumerate(self.register(operands[1]))), np.uint32)
        elif name == "popc":
            result = np.array([bin(x).count("1") for x in value(1)], np.uint32)
        elif name in ("rsqrt", "rcp"):
            # of doubles an approximation in the upper half of the bits, from the upper half
            upper = (lambda x: (x.view("u8") >> 32 << 32).view("f8")) if "ftz" in parts and kind == TYPES["f64"] else lambda x: x
            result = upper(1 / (np.sqrt(upper(value(1))) if name == "rsqrt" else upper(value(1))))
        else:
            two = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "and": np.bitwise_and, "or": np.bitwise_or,
                   "xor": np.bitwise_xor, "min": np.minimum, "max": np.maximum}
            one = {"neg": lambda x: -x, "abs": np.abs, "not": lambda x: ~x, "sqrt": np.sqrt, "ex2": np.exp2}
            result = two[name](value(1), value(2)) if name in two else one[name](value(1))
        self.put(operands[0], result, active)


def main():
    np.seterr(all="ignore")
    arguments, memory, after = read_launch(sys.argv[3])
    _, count, teams = struct.unpack("<3q", arguments[1])  # TargetRange
    team_threads, teams_per_block, blocks, team_bytes = struct.unpack_from("<iiqq", arguments[2])  # LaunchPlan
    sums = struct.unpack_from("<Q", arguments[3])[0]  # LaunchMemory
    kernel = "run_block_teams" if team_threads > LANES else "run_warp_teams"
    code, labels = parse(sys.argv[1], [kernel, sys.argv[2]])
    Warp.block_threads = team_threads * teams_per_block
    counts, clocks = collections.Counter(), 0
    for block in range(blocks):
        shared = np.full(SHARED_BYTES, 0xff, np.uint8)  # not numbers
        warps = [Warp(code, labels, arguments, memory, shared, np.arange(first, first + LANES), block)
                 for first in range(0, Warp.block_threads, LANES)]
        for _ in itertools.zip_longest(*(warp.run() for warp in warps)):
            pass
        for warp in warps:
            counts += warp.counts
            clocks = max(clocks, warp.clock.block)
    device, cpu = memory[sums].view(float), after[sums].view(float)
    used = np.isfinite(cpu)
    difference = np.abs(device - cpu)[used].max() / np.abs(cpu[used]).max()
    print("Largest difference from the CPU's sums, relative to the largest of them: %.0e" % difference, file=sys.stderr)
    rounds = -(-count // teams)
    share = 1 / (rounds * teams)
    constants = counts["mov"]
    instructions = sum(number for kind, number in counts.items() if kind not in ("mov", "accesses"))
    numbers = (instructions, constants, counts["double"], counts["sqrt"], counts["rsqrt"], counts["shared"], counts["accesses"], clocks * teams)
    print(",".join(["%d" % team_threads, "%d" % team_bytes] + ["%.0f" % (number * share) for number in numbers]))


if __name__ == "__main__":
    main()
