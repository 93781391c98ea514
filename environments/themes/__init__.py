"""The bricks: one module a theme, found by scanning this folder."""
