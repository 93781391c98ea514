"""What touches the world: the warehouse of tables, training, inference, the sandbox and the benchmarks."""
