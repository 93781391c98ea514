"""What touches the world: the warehouse of tables, training, inference, the sandbox and the benchmarks."""

if __name__ == "resources":
    raise ImportError("expected `import races.resources`, got `import resources`")
