"""Plan: a few partial key-frames in, planned motion out (modes, warping, wiggly splines)."""
