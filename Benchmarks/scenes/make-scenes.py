#!/usr/bin/env python3
"""Makes the ray-traced scenes of the bokeh benchmark with Blender's Cycles.

    python3.11 -m venv /tmp/bpy/venv
    /tmp/bpy/venv/bin/pip install bpy==5.0.1
    nice /tmp/bpy/venv/bin/python Benchmarks/scenes/make-scenes.py                 # every scene, into this folder
    nice /tmp/bpy/venv/bin/python Benchmarks/scenes/make-scenes.py toys --out DIR  # one scene
    nice /tmp/bpy/venv/bin/python Benchmarks/scenes/make-scenes.py --check-lens    # the lens against its formula

The scenes are committed; nothing else needs this script. README.md says what the files mean.
"""

import argparse
import os
import sys

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import contents
import lens
import shapes

SAMPLES = 128                                    # a pixel and render
QUIET = 45                                       # dB
MOST_ROUNDS = 9
LENS_TOLERANCE = 0.02


def write_half_map(path, pixels):
    """A portable half map: PFM's header and row order (bottom to top) with little-endian half floats."""
    letters = "Ph" if pixels.ndim == 2 else "PH"
    with open(path, "wb") as file:
        file.write(f"{letters}\n{lens.WIDTH} {lens.HEIGHT}\n-1.0\n".encode())
        file.write(pixels.astype("<f2").tobytes())


def psnr(a, b):
    """In dB, gamma 2.2, clipped to [0, 1]."""
    a, b = (np.clip(picture, 0, 1) ** (1 / 2.2) for picture in (a, b))
    return -10 * np.log10(np.mean((a - b) ** 2))


def settled(k=0, focus=0):
    """A render whose own noise is below QUIET, as far as MOST_ROUNDS reach, with the PSNR of that noise and the samples
    a pixel. Each round adds one render to each of two halves of different seeds; half the difference of the halves has
    the variance of the noise of their mean."""
    halves = [0, 0]
    for count in range(1, MOST_ROUNDS + 1):
        for index in range(2):
            halves[index] = halves[index] + lens.render(SAMPLES, 2 * count + index, k, focus)
        noise = psnr(halves[0] / count, halves[1] / count) + 20 * np.log10(2)
        if noise >= QUIET:
            break
    return (halves[0] + halves[1]) / (2 * count), f"noise {noise:.1f} dB at {2 * count * SAMPLES} samples a pixel"


def make(name, out):
    scene = contents.SCENES[name]
    folder = os.path.join(out, name)
    os.makedirs(folder, exist_ok=True)
    lens.set_up()
    shapes.add_sun()
    scene.build()

    disparity = lens.render_disparity()
    assert -1e-3 <= disparity.min() and disparity.max() <= 1 + 1e-3, (disparity.min(), disparity.max())
    print(f"{name}: disparity {disparity.min():.3f} to {disparity.max():.3f}")
    write_half_map(os.path.join(folder, "disparity.phm"), disparity.clip(0, 1))

    picture, noise = settled()
    print(f"{name}: picture, {noise}, brightest {picture.max():.0f}")
    write_half_map(os.path.join(folder, "picture.phm"), picture)
    for focus, k in scene.truths:
        truth, noise = settled(k, focus)
        print(f"{name}: truth-{focus:g}-{k:g}, {noise}, against the picture {psnr(picture, truth):.1f} dB")
        write_half_map(os.path.join(folder, f"truth-{focus:g}-{k:g}.phm"), truth)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("names", nargs="*", help=f"of {', '.join(contents.SCENES)}; all when none is given")
    arguments.add_argument("--out", default=os.path.dirname(os.path.abspath(__file__)))
    arguments.add_argument("--check-lens", action="store_true")
    options = arguments.parse_args()
    if options.check_lens:
        worst = lens.check(lambda place, radius, strength: shapes.put(
            shapes.primitive("uv_sphere", True), shapes.glowing((1, 1, 1), strength), place, radius))
        print(f"worst {100 * worst:.2f} %")
        sys.exit(1 if worst > LENS_TOLERANCE else 0)
    for name in options.names or contents.SCENES:
        make(name, options.out)


main()
