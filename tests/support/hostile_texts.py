"""Texts that no scorer may choke on: each is long, nested, malformed or a trap."""

HOSTILE = {
    "empty": "",
    "space": " \n\t",
    "open brackets": "[" * 100_000,
    "open boxes": r"\boxed{" * 100_000,
    "closing braces": "}" * 100_000,
    "nested boxes": r"\boxed{" * 50_000 + "}" * 50_000,
    "long number": r"\boxed{" + "9" * 100_000 + "}",
    "deep JSON": '{"a":' * 50_000,
    "fences": "```\n" * 50_000,
    "thinking": "<think>" * 50_000,
    "stars": "*" * 100_000,
    "zero bytes": "\0" * 1_000,
    "a lone surrogate": "\ud800 The correct answer is (\ud800",
    "wide digits": "\\boxed{\uff12\uff15}",
    "almost an answer": "The correct answer is (" * 20_000,
    "code": "```\n__import__('os')._exit(3)\n```",
}
