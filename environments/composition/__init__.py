"""From bricks to chains of bricks: what fits, what a search finds, and what makes a good problem."""
