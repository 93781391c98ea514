"""The assets, their tables, the command line and all that Dagster serves."""

if __name__ == "races_assets":
    raise ImportError("expected `import races.assets`, got `import races_assets`")
