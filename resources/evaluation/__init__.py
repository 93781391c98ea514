"""Benchmarks of language models: their data, prompts, scorers and statistics. They know no engine."""
