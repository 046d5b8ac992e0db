"""How fast this machine is, beside named peers: the same work done by Poise and by others, in turn."""
