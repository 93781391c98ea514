"""How fast this is, on the machine at hand: `python -m perf`."""
