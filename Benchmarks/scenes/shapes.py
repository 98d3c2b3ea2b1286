"""Materials and meshes of the ray-traced scenes. Nothing is loaded: patterns and shapes are computed.

Every surface is a Lambert surface under one sharp sun plus a glow that depends on its normal only, so what a point
looks like does not depend on where it is seen from, and light needs no random choice.
"""

import math

import bpy
import numpy as np
from mathutils import Vector, geometry

SUN_DIRECTION = (0.45, 0.55, -0.70)              # the way the light travels
SUN_STRENGTH = 2.4                               # Lambert radiance is albedo * strength / pi
SHADE = (0.22, 0.14)                             # the glow: middle, and swing with the normal's height


def add_sun():
    sun = bpy.data.lights.new("sun", "SUN")
    sun.energy, sun.angle = SUN_STRENGTH, 0
    thing = bpy.data.objects.new("sun", sun)
    thing.rotation_euler = Vector(SUN_DIRECTION).to_track_quat("-Z", "Y").to_euler()
    bpy.context.scene.collection.objects.link(thing)


class Nodes:
    """A material's node tree, built from the front of the light's way to its end."""

    def __init__(self, name):
        self.material = bpy.data.materials.new(name)
        self.material.use_nodes = True
        self.material.cycles.emission_sampling = "NONE"
        self.tree = self.material.node_tree
        self.tree.nodes.clear()

    def node(self, kind, inputs=(), **settings):
        node = self.tree.nodes.new("ShaderNode" + kind)
        for name, value in settings.items():
            setattr(node, name, value)
        for key, value in dict(inputs).items():
            if isinstance(value, bpy.types.NodeSocket):
                self.tree.links.new(value, node.inputs[key])
            else:
                node.inputs[key].default_value = value
        return node

    def ramp(self, value, colours, edges):
        ramp = self.node("ValToRGB", {0: value})
        elements = ramp.color_ramp.elements
        for element, colour, edge in zip(elements, colours, edges):
            element.color, element.position = (*colour, 1), edge
        return ramp.outputs[0]

    def finish(self, surface):
        self.node("OutputMaterial", {"Surface": surface})
        return self.material

    def finish_lit(self, colour):
        normal = self.node("NewGeometry").outputs["Normal"]
        height = self.node("SeparateXYZ", {0: normal}).outputs["Z"]
        glow = self.node("Math", {0: height, 1: SHADE[1], 2: SHADE[0]}, operation="MULTIPLY_ADD").outputs[0]
        shade = self.node("Emission", {"Color": colour, "Strength": glow}).outputs[0]
        lit = self.node("BsdfDiffuse", {"Color": colour}).outputs[0]
        return self.finish(self.node("AddShader", {0: shade, 1: lit}).outputs[0])


def patterned(pattern, colours, scale, edges=(0.42, 0.58)):
    """A lit material of two colours in a pattern over the object's own coordinates."""
    nodes = Nodes(pattern)
    place = nodes.node("TexCoord").outputs["Object"]
    if pattern == "checker":
        value = nodes.node("TexChecker", {"Vector": place, "Scale": scale}).outputs["Fac"]
    elif pattern == "stripes":
        value = nodes.node("TexWave", {"Vector": place, "Scale": scale}, bands_direction="DIAGONAL").outputs["Fac"]
    else:
        value = nodes.node("TexNoise", {"Vector": place, "Scale": scale, "Detail": 3.0}).outputs["Fac"]
    return nodes.finish_lit(nodes.ramp(value, colours, edges))


def bricks(colours, mortar, size, scale):
    """A lit wall in the x-z plane: panes of two colours in a frame."""
    nodes = Nodes("bricks")
    place = nodes.node("Mapping", {
        "Vector": nodes.node("TexCoord").outputs["Object"], "Rotation": (-math.pi / 2, 0, 0)})
    wall = nodes.node("TexBrick", {
        "Vector": place.outputs[0], "Color1": (*colours[0], 1), "Color2": (*colours[1], 1), "Mortar": (*mortar, 1),
        "Scale": scale, "Mortar Size": 0.06, "Brick Width": size[0], "Row Height": size[1]})
    return nodes.finish_lit(wall.outputs["Color"])


def printed(random, tile):
    """A lit page of lines of made-up letters; `tile` metres of the object's x and y a page."""
    nodes = Nodes("print")
    place = nodes.node("Mapping", {
        "Vector": nodes.node("TexCoord").outputs["Object"], "Scale": (1 / tile, 1 / tile, 1 / tile)})
    page = nodes.node("TexImage", {"Vector": place.outputs[0]}, image=page_of_letters(random))
    return nodes.finish_lit(page.outputs["Color"])


def page_of_letters(random, size=512):
    """Lines of words of 5x7 letters of random strokes, dark on paper, some lines in colour."""
    page = np.ones((size, size, 4), np.float32)
    page[:, :, :3] = (0.82, 0.78, 0.68)
    alphabet = [np.array([[random.random() < 0.55 for _ in range(3)] for _ in range(7)]) for _ in range(26)]
    alphabet = [np.hstack([letter, letter[:, 1::-1]]) for letter in alphabet]
    for line, top in enumerate(range(4, size - 20, 24)):
        dot = 3 if line % 5 == 0 else 2
        ink = random.choice([(0.5, 0.04, 0.03), (0.03, 0.08, 0.4)]) if dot == 3 else (0.03, 0.03, 0.04)
        x = 8
        while x < size - 8 * dot:
            if random.random() < 0.16:
                x += 4 * dot
                continue
            letter = np.kron(random.choice(alphabet), np.ones((dot, dot))) > 0
            page[top:top + 7 * dot, x:x + 5 * dot, :3][letter] = ink
            x += 6 * dot
    image = bpy.data.images.new("page", size, size, float_buffer=True)
    image.colorspace_settings.name = "Non-Color"
    image.pixels.foreach_set(page.ravel())
    image.pack()
    return image


def glowing(colour, strength):
    """A material that shines by itself and lights nothing else."""
    nodes = Nodes("light")
    return nodes.finish(nodes.node("Emission", {"Color": (*colour, 1), "Strength": strength}).outputs[0])


# Meshes.

def mesh(points, faces, smooth=False):
    made = bpy.data.meshes.new("mesh")
    made.from_pydata([tuple(point) for point in points], [], faces)
    made.polygons.foreach_set("use_smooth", [smooth] * len(made.polygons))
    made.update()
    return made


def put(shape, material, place=(0, 0, 0), size=1.0, turn=(0, 0, 0)):
    """An object of a shared mesh; its material is its own."""
    thing = bpy.data.objects.new("thing", shape)
    bpy.context.scene.collection.objects.link(thing)
    if not shape.materials:
        shape.materials.append(None)
    thing.material_slots[0].link = "OBJECT"
    thing.material_slots[0].material = material
    thing.visible_diffuse = False                # Cycles follows one more bounce to find glow: it shall find none
    thing.location, thing.rotation_euler = place, turn
    thing.scale = size if isinstance(size, tuple) else (size, size, size)
    return thing


def primitive(kind, smooth, **settings):
    """One of Blender's own primitives, as a mesh."""
    getattr(bpy.ops.mesh, f"primitive_{kind}_add")(**settings)
    thing = bpy.context.object
    made = thing.data
    bpy.data.objects.remove(thing)
    made.polygons.foreach_set("use_smooth", [smooth] * len(made.polygons))
    return made


def toys():
    """Meshes of many shapes, each about two units across and standing from -1 to 1."""
    return [
        primitive("uv_sphere", True, segments=48, ring_count=24), primitive("cube", False, size=1.6),
        primitive("cone", False, vertices=48, depth=2), primitive("cylinder", False, vertices=48, radius=0.7, depth=2),
        primitive("torus", True, major_segments=64, minor_segments=24, major_radius=0.75, minor_radius=0.25),
        primitive("monkey", False, size=2), primitive("ico_sphere", False, subdivisions=1),
        primitive("cone", False, vertices=4, depth=2),
    ]


def quad(corners):
    return mesh(corners, [range(4)])


def backdrop(y, material, half=40):
    """A wall across the whole view at one depth."""
    return put(quad([(-half, 0, -half), (half, 0, -half), (half, 0, half), (-half, 0, half)]), material, (0, y, 0))


def floor(height, slope, y_range, material, half=30):
    """A floor z = -height + slope * y."""
    near, far = y_range
    low, high = slope * near, slope * far
    corners = [(-half, near, low), (half, near, low), (half, far, high), (-half, far, high)]
    return put(quad(corners), material, (0, 0, -height))


def tube(points, radii, sides=8):
    """Points and faces of a tube along points, open at its ends."""
    ring, faces = [], []
    side = Vector((0.31, 0.87, 0.39))
    for index, (point, radius) in enumerate(zip(points, radii)):
        ahead = Vector(points[min(index + 1, len(points) - 1)]) - Vector(points[max(index - 1, 0)])
        a = ahead.cross(side).normalized()
        b = ahead.cross(a).normalized()
        for step in range(sides):
            angle = 2 * math.pi * step / sides
            ring.append(Vector(point) + radius * (math.cos(angle) * a + math.sin(angle) * b))
            if index > 0:
                low, high = (index - 1) * sides, index * sides
                turn = (step + 1) % sides
                faces.append((low + step, low + turn, high + turn, high + step))
    return ring, faces


def blade(root, lean, height, width, yaw, segments=7):
    """Points and faces of a blade of grass: a strip that narrows to its tip and bends towards `lean`."""
    across = Vector((math.cos(yaw), math.sin(yaw), 0))
    points, faces = [], []
    for index in range(segments + 1):
        t = index / segments
        middle = Vector(root) + Vector((lean[0] * t * t, lean[1] * t * t, height * t * (1 - 0.25 * t)))
        half = across * width / 2 * (1 - t ** 2) ** 0.7
        points += [middle - half, middle + half]
        if index > 0:
            faces.append((2 * index - 2, 2 * index - 1, 2 * index + 1, 2 * index))
    return points, faces


def joined(parts, smooth=False):
    """One mesh of many (points, faces)."""
    points, faces = [], []
    for part_points, part_faces in parts:
        faces += [tuple(index + len(points) for index in face) for face in part_faces]
        points += part_points
    return mesh(points, faces, smooth)


def leaf(random, holes):
    """A leaf in the x-z plane, 2 long and 1.1 wide, with round holes right through it."""
    def edge(t, size, middle=(0.0, 0.0)):
        return Vector((middle[0] + size[0] * math.cos(t), middle[1] + size[1] * math.sin(t)))

    outline = [edge(2 * math.pi * i / 48, (1, 0.55 * (1 - 0.3 * math.cos(2 * math.pi * i / 48)))) for i in range(48)]
    gaps = []
    while len(gaps) < holes:
        x, z, size = random.uniform(-0.75, 0.7), random.uniform(-0.3, 0.3), random.uniform(0.07, 0.17)
        apart = all(math.hypot(x - gx, z - gz) > size + gs + 0.05 for gx, gz, gs in gaps)
        if apart and abs(z) + size < 0.5 * (1 - x * x):
            gaps.append((x, z, size))
    points, edges = list(outline), [(i, (i + 1) % 48) for i in range(48)]
    for x, z, size in gaps:
        first = len(points)
        points += [edge(2 * math.pi * i / 20, (size, size), (x, z)) for i in range(20)]
        edges += [(first + i, first + (i + 1) % 20) for i in range(20)]
    points += [Vector((x / 5, z / 8)) for x in range(-4, 5) for z in range(-2, 3)]
    flat, _, faces, *_ = geometry.delaunay_2d_cdt(points, edges, [range(48)], 1, 1e-5)

    def solid(face):
        centre = sum((flat[index] for index in face), Vector((0, 0))) / len(face)
        return all(math.hypot(centre.x - x, centre.y - z) > size * 0.98 for x, z, size in gaps)

    bent = [(p.x, 0.35 * abs(p.y) - 0.18 * p.x * p.x, p.y) for p in flat]
    return mesh(bent, [tuple(face) for face in faces if solid(face)])
