"""Two hand-worked examples and an independent oracle for each brick, one module a theme: EXAMPLES and ORACLES."""
