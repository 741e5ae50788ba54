"""Writes random functions in LLVM's assembly: any flow of control, variables read and written anywhere, some through
pointers, undefined values, unreachable blocks. random_functions.py SEED COUNT"""
import random
import sys

seed, count = int(sys.argv[1]), int(sys.argv[2])
pick = random.Random(seed)
out = ["declare i32 @c(i32)", "declare i1 @b()"]


def function(name):
    blocks = pick.randint(1, pick.choice([3, 6, 12, 30]))
    variables = pick.randint(0, 4)
    pointers = pick.randint(0, 1)
    fresh = iter(range(1, 10000))
    out.append(f"define i32 @{name}(i32 %a, i32 %d) {{")
    out.append("entry:")
    out.extend(f"  %v{v} = alloca i32" for v in range(variables))
    out.extend(f"  %p{p} = alloca i32*" for p in range(pointers))

    def body():
        values = ["%a", "%d", "0", "1", "undef"]
        for _ in range(pick.randint(0, 4) if variables else 0):
            v, kind, n = pick.randrange(variables), pick.random(), next(fresh)
            if kind < 0.45:
                out.append(f"  %l{n} = load i32, i32* %v{v}")
                values.append(f"%l{n}")
            elif kind < 0.85:
                out.append(f"  store i32 {pick.choice(values)}, i32* %v{v}")
            elif pointers and kind < 0.92:
                out.append(f"  store i32* %v{v}, i32** %p0")
            elif pointers and kind < 0.95:
                out.append(f"  %q{n} = load i32*, i32** %p0")
                out.append(f"  store i32 {pick.choice(values)}, i32* %q{n}")
            else:
                out.append(f"  %l{n} = call i32 @c(i32 {pick.choice(values)})")
                values.append(f"%l{n}")
        return values

    def target(block):
        if pick.random() < 0.6:
            return f"label %b{min(blocks - 1, max(0, block + pick.randint(-3, 3)))}"
        return f"label %b{pick.randrange(blocks)}"

    def end(block, values):
        kind, n = pick.random(), next(fresh)
        if block >= 0 and kind < 0.12:
            out.append(f"  ret i32 {pick.choice(values)}")
        elif block >= 0 and kind < 0.15:
            out.append("  unreachable")
        elif kind < 0.4:
            out.append(f"  br {target(block)}")
        elif kind < 0.85:
            out.append(f"  %k{n} = call i1 @b()")
            out.append(f"  br i1 %k{n}, {target(block)}, {target(block)}")
        else:
            out.append(f"  switch i32 %a, {target(block)} [")
            out.extend(f"    i32 {case}, {target(block)}" for case in range(pick.randint(0, 4)))
            out.append("  ]")

    end(-1, body())
    for block in range(blocks):
        out.append(f"b{block}:")
        end(block, body())
    out.append("}")


for number in range(count):
    function(f"f{number}")
print("\n".join(out))
