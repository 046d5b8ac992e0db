"""The animation methods. They share the foundation and never import one another."""
