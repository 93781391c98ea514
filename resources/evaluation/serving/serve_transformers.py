"""`transformers serve` with the whole text of an answer: `python -P serve_transformers.py serve FOLDER ...`.

Left alone, transformers 5.10 takes the thinking out of an answer wherever the tokenizer knows `<think>`, and then loses
it on its way into the response: where the template opens the thinking and the bound of tokens ends it, nothing is left
of the answer, and what a scorer goes by is gone in any case. Here the text goes out as it was generated, as it does
from a vLLM that was not told to parse it. For the interpreter that trains.
"""

import sys

from transformers.cli.serving import chat_completion
from transformers.cli.transformers import app


def main() -> None:
    """Run the command line of transformers, without its search for a newer version."""
    if not hasattr(chat_completion, "get_reasoning_config"):
        sys.exit("expected a transformers whose answers can be left whole (5.10), got another one")
    chat_completion.get_reasoning_config = lambda *_: None
    app()


if __name__ == "__main__":
    main()
