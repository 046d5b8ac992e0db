"""Physically plausible keyframing: mass, inertia and momentum as handles, templates that know physics."""
