"""The camera of the ray-traced scenes: a thin lens stated in disparity, rendered by Cycles.

The camera stands at the origin and looks along +y, with +z up, so that a point's depth along the axis is its y.
Disparity is affine in 1/depth: 0 at FAR, 1 at NEAR.
"""

import os
import tempfile

import bpy
import numpy as np

WIDTH, HEIGHT = 304, 170
NEAR, FAR = 1.0, 20.0                            # metres, depths of disparity 1 and 0
RANGE = 1 / NEAR - 1 / FAR                       # 1/m for one unit of disparity
FOCAL, SENSOR = 0.030, 0.036                     # metres
PIXELS_PER_TANGENT = WIDTH * FOCAL / SENSOR
HALF_WIDTH_TANGENT = SENSOR / 2 / FOCAL
THREADS = 2


def depth(disparity):
    """Depth in metres of a disparity."""
    return 1 / (disparity * RANGE + 1 / FAR)


def disparity(depth_in_metres):
    """Disparity, 0 at FAR and 1 at NEAR, of depths in metres."""
    return (1 / depth_in_metres - 1 / FAR) / RANGE


def at(u, v, disparity_there):
    """The point in the world that the pinhole sees at (u, v): u is -1 at the left edge and 1 at the right edge,
    v counts upwards from the middle in the same unit."""
    y = depth(disparity_there)
    return (u * HALF_WIDTH_TANGENT * y, y, v * HALF_WIDTH_TANGENT * y)


def length(pixels, disparity_there):
    """The length in metres that covers so many pixels at a disparity."""
    return pixels / PIXELS_PER_TANGENT * depth(disparity_there)


def aperture_radius(k):
    """The radius in metres of the aperture that blurs with k pixels per unit of disparity.

    A lens point at distance a from the axis moves the image of depth z by PIXELS_PER_TANGENT * a * |1/z - 1/focus|
    pixels, and |1/z - 1/focus| = RANGE * |d - d_focus|.
    """
    return k / (PIXELS_PER_TANGENT * RANGE)


def set_up():
    """An empty scene with the camera and settings under which blur is the only thing that is sampled."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.rotation_euler = (np.pi / 2, 0, 0)
    camera.data.sensor_fit = "HORIZONTAL"
    camera.data.lens, camera.data.sensor_width = FOCAL * 1000, SENSOR * 1000
    camera.data.clip_start, camera.data.clip_end = 0.1, 1000
    scene.collection.objects.link(camera)
    scene.camera = camera

    render = scene.render
    render.engine = "CYCLES"
    render.resolution_x, render.resolution_y, render.resolution_percentage = WIDTH, HEIGHT, 100
    render.threads_mode, render.threads = "FIXED", THREADS
    render.image_settings.file_format = "OPEN_EXR"
    render.image_settings.color_mode, render.image_settings.color_depth = "RGB", "32"
    cycles = scene.cycles
    cycles.device = "CPU"
    cycles.use_denoising = cycles.use_adaptive_sampling = cycles.use_light_tree = False
    cycles.max_bounces = 0                       # direct light only
    cycles.sample_clamp_direct = cycles.sample_clamp_indirect = 0
    cycles.light_sampling_threshold = 0
    return scene


def render(samples, seed, k=0, focus=0):
    """Linear RGB, rows bottom to top: a pinhole for k = 0, else the thin lens. The filter is a box of one pixel."""
    scene = bpy.context.scene
    scene.cycles.pixel_filter_type = "BOX"
    scene.cycles.samples, scene.cycles.seed = samples, seed
    blur = scene.camera.data.dof
    blur.use_dof = k > 0
    if k > 0:
        blur.focus_distance = depth(focus)
        blur.aperture_fstop = FOCAL / (2 * aperture_radius(k))
        blur.aperture_blades, blur.aperture_ratio, blur.aperture_rotation = 0, 1, 0
    return rendered_pixels()


def render_disparity():
    """Disparity of the front surface at each pixel's centre, rows bottom to top."""
    scene, layer = bpy.context.scene, bpy.context.view_layer
    scene.cycles.pixel_filter_type, scene.cycles.filter_width = "BLACKMAN_HARRIS", 0.01
    scene.cycles.samples, scene.cycles.seed = 1, 0
    scene.camera.data.dof.use_dof = False
    layer.material_override = depth_material()
    depths = rendered_pixels()[:, :, 0]
    layer.material_override = None
    return disparity(depths)


def depth_material():
    material = bpy.data.materials.new("depth")
    material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    emission = tree.nodes.new("ShaderNodeEmission")
    tree.links.new(tree.nodes.new("ShaderNodeCameraData").outputs["View Z Depth"], emission.inputs["Strength"])
    tree.links.new(emission.outputs[0], tree.nodes.new("ShaderNodeOutputMaterial").inputs["Surface"])
    material.cycles.emission_sampling = "NONE"
    return material


def rendered_pixels():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.exr")
        bpy.context.scene.render.filepath = path
        bpy.ops.render.render(write_still=True)
        image = bpy.data.images.load(path)
        image.colorspace_settings.name = "Non-Color"
        pixels = np.empty(WIDTH * HEIGHT * 4, np.float32)
        image.pixels.foreach_get(pixels)
        bpy.data.images.remove(image)
    return pixels.reshape(HEIGHT, WIDTH, 4)[:, :, :3].astype(np.float64)


# The check of the lens: points of light of known depth.

CHECKED_DISPARITIES = (0.0, 0.1, 0.25, 0.4, 0.6, 0.75, 0.9, 1.0)
SMALLEST_DISC = 2                                # pixels; below, the pixel grid itself moves the second moment


def check(add_light):
    """Prints, for lights of known disparity, the radius of their discs beside K * |d - focus|; returns the worst
    relative error. `add_light(place, radius, strength)` adds a glowing ball."""
    worst = 0
    for k, focus in ((14, 0.5), (14, 0.0), (6, 1.0)):
        for d in CHECKED_DISPARITIES:
            expected = k * abs(d - focus)
            if expected < SMALLEST_DISC:
                continue
            set_up()
            u, v, ball = 0.6 * np.cos(5 * d + 1), 0.3 * np.sin(5 * d + 1), 0.4
            look_only_at(u, v, expected + 4)
            add_light(at(u, v, d), length(ball, d), 100)
            radius, offset = disc(render(4096, 1, k, focus)[:, :, 0], u, v, ball)
            worst = max(worst, abs(radius / expected - 1))
            print(f"K {k:2} focus {focus:.2f} d {d:.2f}: expected {expected:6.3f} px, measured {radius:6.3f} px"
                  f" ({100 * (radius / expected - 1):+.2f} %), centre off by {offset:.3f} px")
    return worst


def look_only_at(u, v, pixels):
    """Renders no more than a square around (u, v)."""
    render, x, y = bpy.context.scene.render, (1 + u) / 2, 0.5 + v / 2 * WIDTH / HEIGHT
    render.use_border, render.use_crop_to_border = True, False
    render.border_min_x, render.border_max_x = x - pixels / WIDTH, x + pixels / WIDTH
    render.border_min_y, render.border_max_y = y - pixels / HEIGHT, y + pixels / HEIGHT


def disc(light, u, v, ball):
    """Radius of a uniform disc from its second moment (radius^2 = 2 * mean r^2), less the pixel's own (1/6) and the
    ball's (ball^2 / 2); and the centre's distance from the pinhole's."""
    y, x = np.mgrid[0.5:HEIGHT, 0.5:WIDTH]
    total = light.sum()
    cx, cy = (light * x).sum() / total, (light * y).sum() / total
    second = (light * ((x - cx) ** 2 + (y - cy) ** 2)).sum() / total
    radius = np.sqrt(2 * (second - 1 / 6 - ball ** 2 / 2))
    return radius, np.hypot(cx - WIDTH / 2 * (1 + u), cy - HEIGHT / 2 - WIDTH / 2 * v)
