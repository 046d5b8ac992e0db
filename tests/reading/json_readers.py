"""Everything that is read from JSON, by what it is called."""

import poise
from poise.batch.recipe import read_recipe
from poise.constraints.entries import read_items
from poise.methods.key.sheet.keyframes import Keyframes
from poise.methods.perform.script import file as script_file
from poise.methods.perform.script.pose import PoseLibrary
from poise.methods.plan.scene.scene import Scene

JSON_READERS = {
    "scene": Scene.load,
    "script": script_file.load,
    "poses": PoseLibrary.load,
    "recipe": read_recipe,
    "tracks": Keyframes.load,
    "constraints": lambda path: read_items(path, poise.clips.get("walk")),
}
