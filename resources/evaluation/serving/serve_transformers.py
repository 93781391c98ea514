"""`transformers serve` that returns answers unparsed: `python -P serve_transformers.py serve FOLDER ...`.

By default transformers 5.10 strips the thinking from an answer if the tokenizer knows `<think>`, and drops it from the
response: where the template opens the thinking and the token limit cuts it, the answer is empty, and scorers miss the
thinking in any case. Here the text is returned as generated, as by vLLM without a reasoning parser. Runs in the
interpreter that trains.
"""

import sys

from transformers.cli.serving import chat_completion
from transformers.cli.transformers import app


def main() -> None:
    """Run the command line of transformers, without its check for a newer version."""
    if not hasattr(chat_completion, "get_reasoning_config"):
        sys.exit("expected transformers 5.10, whose reasoning parser can be switched off, got another version")
    chat_completion.get_reasoning_config = lambda *_: None
    app()


if __name__ == "__main__":
    main()
