"""Author all bundled clips anew: ``python -m poise.clips.author``."""

from __future__ import annotations

from dataclasses import replace

from poise import clips
from poise.character import presets
from poise.clips.author.drum import drum
from poise.clips.author.gait import stride
from poise.clips.author.jump import jump
from poise.clips.author.planar import flattened
from poise.clips.author.punch import punch
from poise.clips.author.puppet import Puppet
from poise.clips.author.reach import reach
from poise.clips.author.walk_run import RUN, WALK
from poise.clips.author.wave import wave
from poise.clips.author.weight import weighted


def main() -> None:
    """Make every clip and store it beside the package."""
    open_hands = Puppet(presets.get("humanoid"))
    fists = Puppet(presets.get("humanoid", hands="fist"))
    for clip in (stride(WALK, open_hands), weighted(stride(RUN, open_hands)), wave(open_hands)):
        print(clips.store(clip, "humanoid", {}))
    print(clips.store(reach(open_hands), "humanoid", {}))
    for clip in (punch(fists), drum(fists)):
        print(clips.store(clip, "humanoid", {"hands": "fist"}))

    # Legs side by side in the plane, nothing turned or swayed out of it.
    still = (0.0, ())
    in_plane = replace(
        WALK,
        half_width=abs(float(open_hands.offset["LeftUpLeg"][1])),
        toe_out=0.0,
        hips_y=still,
        hips_yaw=still,
        hips_roll=still,
        twist=still,
        shoulder_abduct=still,
        shoulder_turn=still,
    )
    planar = presets.get("planar_humanoid")
    print(clips.store(flattened(stride(in_plane, open_hands), planar, "planar_walk"), "planar_humanoid", {}))

    print(clips.store(jump(open_hands.character), "humanoid", {}))
    print(clips.store(jump(planar, "planar_jump"), "planar_humanoid", {}))


if __name__ == "__main__":
    main()
