"""From bricks to chains of bricks: what fits, what is found, and what is worth posing."""
