"""What stands in each of the ray-traced scenes. Every number comes from a formula or a seeded generator."""

import math
from dataclasses import dataclass
from random import Random
from typing import Callable

from lens import FAR, HALF_WIDTH_TANGENT, at, depth, length
from shapes import (backdrop, blade, bricks, floor, glowing, joined, leaf, patterned, primitive, printed, put, toys,
                    tube)

NEAR_FOCUS, MIDDLE_FOCUS, FAR_FOCUS = 0.85, 0.45, 0.05
TRUTHS = ((NEAR_FOCUS, 8), (MIDDLE_FOCUS, 6), (FAR_FOCUS, 14), (FAR_FOCUS, 3))


@dataclass
class Scene:
    build: Callable[[], None]
    truths: tuple = TRUTHS                       # (disparity in focus, K)


def colour(random, low=0.05, high=0.9):
    return tuple(random.uniform(low, high) for _ in range(3))


def any_pattern(random, scale=(2.0, 5.0)):
    """A material of a dark and a bright colour."""
    kind = random.choice(["checker", "stripes", "noise", "noise"])
    factor = 0.5 if kind == "stripes" else 1
    return patterned(kind, (colour(random, 0.02, 0.4), colour(random, 0.3, 0.95)), random.uniform(*scale) * factor)


def light(random, ball, place, disparity, pixels, strength):
    warm = random.choice([(1, 0.75, 0.45), (1, 0.92, 0.8), (0.6, 0.8, 1), (1, 0.4, 0.3), (0.5, 1, 0.6)])
    put(ball, glowing(warm, strength), at(*place, disparity), length(pixels, disparity))


def build_toys():
    """Toys of many shapes at all depths on a slanted table printed with text, before a far wall with a few lamps."""
    random = Random(11)
    height, slope = 0.57, 0.16
    floor(height, slope, (0.8, FAR), printed(random, 1.7))
    backdrop(FAR, patterned("noise", ((0.05, 0.10, 0.22), (0.75, 0.60, 0.42)), 0.35))
    shapes, materials = toys(), [any_pattern(random) for _ in range(14)]
    for index in range(46):
        d = 0.03 + 0.86 * ((index + random.uniform(0.2, 0.8)) / 46) ** 1.25
        y = depth(d)
        size = length(random.uniform(9, 20) * (0.45 + 0.9 * d), d)
        u = (index * 0.618 % 1 * 2 - 1) * 1.05
        place = (u * HALF_WIDTH_TANGENT * y, y, -height + slope * y + size)
        put(random.choice(shapes), random.choice(materials), place, size, (0, 0, random.uniform(0, 2 * math.pi)))
    ball = primitive("uv_sphere", True)
    for index in range(8):
        light(random, ball, (-0.9 + 0.25 * index, random.uniform(0.28, 0.5)), 0.01, random.uniform(1.4, 2.4),
              random.uniform(40, 100))



def build_fence():
    """A wire fence, slanted in depth, before posts and balls of the middle and a far wall of lit windows."""
    random = Random(23)
    backdrop(FAR, bricks(((0.10, 0.13, 0.20), (0.62, 0.42, 0.22)), (0.32, 0.30, 0.30), (1.5, 1.1), 1.0))
    floor(0.62, 0.12, (0.8, FAR), patterned("checker", ((0.10, 0.16, 0.07), (0.42, 0.45, 0.22)), 1.4))

    def knot(u, v):
        return at(u, v, 0.86 + 0.10 * u)

    wires, pitch, reach = [], 0.27, 1.5
    for index in range(-10, 11):
        for turn in (1, -1):
            steps = [-reach + 2 * reach * step / 40 for step in range(41)]
            line = [(index * pitch + turn * (v + 0.02 * math.sin(9 * v + index)), v) for v in steps]
            line = [(u, v) for u, v in line if abs(u) < 1.35 and abs(v) < 0.9]
            if len(line) > 1:
                wires.append(tube([knot(u, v) for u, v in line], [length(1.2, 0.86 + 0.1 * u) for u, _ in line]))
    put(joined(wires, True), patterned("stripes", ((0.25, 0.27, 0.28), (0.62, 0.64, 0.62)), 8.0))
    put(joined([tube([knot(0.52, v) for v in (-0.9, 0.9)], [length(5, 0.92)] * 2, 24)], True),
        patterned("noise", ((0.22, 0.08, 0.05), (0.45, 0.30, 0.20)), 14.0))

    shapes, ball = toys(), primitive("uv_sphere", True)
    for index in range(14):
        d = 0.12 + 0.045 * index
        size = length(random.uniform(12, 20), d)
        u = (index * 0.618 % 1 * 2 - 1) * 0.95
        y = depth(d)
        put(random.choice(shapes), any_pattern(random), (u * HALF_WIDTH_TANGENT * y, y, -0.62 + 0.12 * y + size), size,
            (0, 0, random.uniform(0, 6)))
    for index in range(12):
        light(random, ball, (-0.95 + 0.17 * index, random.uniform(0.05, 0.5)), random.choice([0.01, 0.05, 0.3]),
              random.uniform(1.4, 2.6), random.uniform(50, 150))


def build_strands():
    """Blades of grass and hair-like strands at many depths before a far and bright background."""
    random = Random(37)
    backdrop(FAR, patterned("noise", ((0.16, 0.30, 0.42), (0.92, 0.82, 0.62)), 0.30, (0.35, 0.65)))
    floor(0.60, 0.02, (0.8, FAR), patterned("noise", ((0.10, 0.07, 0.03), (0.28, 0.24, 0.08)), 3.0))
    greens = [((0.05, 0.22, 0.03), (0.22, 0.55, 0.10)), ((0.12, 0.30, 0.05), (0.50, 0.62, 0.16)),
              ((0.30, 0.28, 0.08), (0.72, 0.66, 0.30)), ((0.03, 0.12, 0.04), (0.12, 0.36, 0.12))]
    for green in greens:
        blades = []
        for _ in range(130):
            d = 0.10 + 0.85 * random.random() ** 0.8
            x, y, _ = at(random.uniform(-1.3, 1.3), 0, d)
            height = length(random.uniform(0.35, 1.0) * (30 + 120 * d), d)
            lean = [random.gauss(0, 0.35) * height, random.gauss(0, 0.04) * height]
            blades.append(blade((x, y, -0.62 + 0.02 * y), lean, height, length(random.uniform(2.0, 5.5), d),
                                random.gauss(0, 0.5)))
        put(joined(blades), patterned("noise", green, 9.0))
    strands = []
    for index in range(70):
        d, bend = random.uniform(0.45, 0.95), random.uniform(-0.7, 0.7)
        root = random.uniform(-1.2, 1.2) if index % 2 else random.gauss(-0.35, 0.12)
        rise = random.uniform(0.5, 1.05)
        steps = [step / 24 for step in range(25)]
        line = [at(root + bend * t * t, -0.6 + rise * t * (1 - 0.2 * t * t), d + 0.03 * t) for t in steps]
        strands.append(tube(line, [length(0.75 * (1.1 - 0.7 * t), d) for t in steps], 6))
    put(joined(strands, True), patterned("noise", ((0.20, 0.10, 0.05), (0.62, 0.42, 0.22)), 6.0))
    ball = primitive("uv_sphere", True)
    for index in range(9):
        light(random, ball, (-0.92 + 0.23 * index, random.uniform(0.0, 0.5)), 0.01, random.uniform(1.4, 2.4),
              random.uniform(40, 100))


def build_crowd():
    """Hundreds of small things at every depth, and small bright lights among them, near and far."""
    random = Random(41)
    backdrop(FAR, patterned("noise", ((0.02, 0.03, 0.07), (0.30, 0.16, 0.26)), 0.45))
    shapes, ball = toys(), primitive("uv_sphere", True)
    materials = [any_pattern(random, (1.0, 2.5)) for _ in range(18)]
    for index in range(420):
        d = 0.02 + 0.93 * (index + random.random()) / 420
        size = length(random.uniform(3, 8) * (0.6 + 0.8 * d), d)
        turn = tuple(random.uniform(0, 6.3) for _ in range(3))
        place = at(random.uniform(-1.15, 1.15), random.uniform(-0.7, 0.7), d)
        put(random.choice(shapes), random.choice(materials), place, size, turn)
    for index in range(20):
        d = 0.01 if index % 3 == 0 else random.uniform(0.05, 0.96)
        light(random, ball, (random.uniform(-1, 1), random.uniform(-0.55, 0.55)), d, random.uniform(1.2, 2.4),
              40 * 5 ** random.random())


def build_leaves():
    """Leaves with holes, and twigs, from near to the middle before a far wood with bright gaps of light."""
    random = Random(53)
    backdrop(FAR, patterned("noise", ((0.04, 0.10, 0.05), (0.55, 0.62, 0.36)), 0.40, (0.36, 0.62)))
    shapes = [leaf(random, holes) for holes in (0, 2, 4, 7)]
    tones = [((0.06, 0.20, 0.03), (0.26, 0.52, 0.10)), ((0.16, 0.28, 0.04), (0.58, 0.60, 0.14)),
             ((0.40, 0.14, 0.03), (0.80, 0.45, 0.10)), ((0.05, 0.14, 0.08), (0.20, 0.42, 0.26))]
    materials = [patterned(kind, tone, scale) for tone in tones for kind, scale in (("noise", 3.0), ("stripes", 2.0))]
    twigs = []
    for index in range(12):
        d = 0.25 + 0.06 * index
        u, v, du, dv = random.uniform(-1.2, 1.2), -0.7, random.uniform(-0.5, 0.5), random.uniform(1.1, 1.4)
        line = [(u + du * t + 0.05 * math.sin(7 * t + index), v + dv * t, d + 0.05 * t) for t in
                (step / 20 for step in range(21))]
        twigs.append(tube([at(*point) for point in line], [length(1.8 - 0.06 * step, d) for step in range(21)]))
        for u, v, d in line[2::2]:
            size = length(random.uniform(7, 15) * (0.6 + 0.7 * d), d)
            turn = (random.gauss(0, 0.5), random.uniform(0, 6.3), random.gauss(0, 0.6))
            put(random.choice(shapes), random.choice(materials), at(u + random.gauss(0, 0.06), v, d), size, turn)
    put(joined(twigs, True), patterned("noise", ((0.10, 0.06, 0.04), (0.34, 0.24, 0.16)), 12.0))
    ball = primitive("uv_sphere", True)
    for index in range(16):
        light(random, ball, (-0.95 + 0.125 * index, random.uniform(-0.5, 0.52)), random.choice([0.01, 0.01, 0.08, 0.2]),
              random.uniform(1.4, 2.6), random.uniform(40, 120))


SCENES = {
    "toys": Scene(build_toys, ((NEAR_FOCUS, 14), *TRUTHS[1:])),
    "fence": Scene(build_fence),
    "strands": Scene(build_strands),
    "crowd": Scene(build_crowd),
    "leaves": Scene(build_leaves),
}
