"""A URDF robot for tests: two legs of four motors, a mesh that is not there, a frame without mass."""

from __future__ import annotations

INERTIA = (
    '<inertial><origin xyz="0 0 -0.05"/><mass value="1.2"/>'
    '<inertia ixx="0.01" iyy="0.011" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def _joint(name: str, parent: str, child: str, place: str, axis: str, limit: str) -> str:
    return (
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{place}"/><axis xyz="{axis}"/><limit {limit}/></joint>'
    )


def urdf() -> str:
    parts = ['<robot name="walker">', f'<link name="pelvis">{INERTIA}</link>']
    parts.append('<link name="camera"/>')
    parts.append(
        '<joint name="camera_fixed" type="fixed"><parent link="pelvis"/><child link="camera"/>'
        '<origin xyz="0.1 0 0.2"/></joint>'
    )
    for side, y in (("left", 0.1), ("right", -0.1)):
        links = [f"{side}_hip_link", f"{side}_thigh_link", f"{side}_shin_link", f"{side}_foot_link"]
        for link in links:
            solid = '<collision><geometry><box size="0.1 0.06 0.04"/></geometry></collision>'
            looks = '<visual><geometry><mesh filename="package://walker/leg.stl"/></geometry></visual>'
            parts.append(f'<link name="{link}">{INERTIA}{looks}{solid if "foot" in link else ""}</link>')
        rows = (
            ("hip_roll", "pelvis", f"0 {y} 0", "1 0 0", (-0.5, 0.5, 60, 9)),
            ("hip_pitch", links[0], "0 0 0", "0 1 0", (-1.5, 1.5, 80, 12)),
            ("knee", links[1], "0 0 -0.35", "0 1 0", (0, 2.4, 90, 15)),
            ("ankle", links[2], "0 0 -0.35", "0 1 0", (-0.8, 0.6, 40, 0)),
        )
        for link, (name, parent, place, axis, (low, high, effort, speed)) in zip(links, rows):
            limit = f'lower="{low}" upper="{high}" effort="{effort}" velocity="{speed}"'
            parts.append(_joint(f"{side}_{name}", parent, link, place, axis, limit))
    return "\n".join([*parts, "</robot>", ""])
