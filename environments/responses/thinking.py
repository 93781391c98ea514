"""Where a model's thinking ends in its text: one reader for rewards and benchmarks, one table of the marks of models.

What follows the last end of a thought is visible, and nothing is where a thought was begun and not ended: an answer
inside a thought never counts, finished or not. A chat template may have opened the thought in the prompt, which leaves
no trace in the text; `opened_in_prompt` tells from the tokenizer, and readers take its result as `thinking`.

- Any end mark ends any thought, whatever opened it, and also where nothing did: then the template had opened it.
- Letter case does not matter.
- An opening mark in backticks is a mention and opens nothing.
- After a finished thought so is one between quotes, asterisks or brackets, and one inside a sentence: words before it
  and a small letter or the end of a sentence after it, all on one line ("What I did in <think> was to add."). Anywhere
  else, such as at the start of a line, of a sentence or right behind a word, it opens another thought.
- A pair with nothing or with dots in it is a mention after a finished thought ("I put it in <think>...</think>").
- A later end mark is a mention where it is quoted, ends such a mention of its pair with no answer in between, or stands
  inside a sentence and no thought has begun since the end before it.

Reading works on bytes and never steps through a text, so that its time is that of a few searches.
"""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from races.environments.errors import SettingError
from races.environments.types.base import shorten

# Opening and end, and what both hold: a text without that is not searched any further. From the chat templates of the
# models and from the parsers of vLLM and SGLang. Granite's "Here is my thought process:" is left out: other models
# write that too, and end it with their answer.
_STYLES: tuple[tuple[str, str, str], ...] = (
    ("<think>", "</think>", "think"),  # DeepSeek-R1, Qwen3, QwQ, GLM, Hunyuan, Olmo and many more
    ("<think ", "</think >", "think"),  # with attributes or a stray space
    ("<thinking>", "</thinking>", "think"),
    ("<think_fast>", "</think_fast>", "think"),  # K2
    ("<|think|>", "<|content|>", "think"),  # Solar Open
    ("<seed:think>", "</seed:think>", "think"),  # Seed-OSS
    ("<mm:think>", "</mm:think>", "think"),  # MiniMax-M3
    ("<think:opensource>", "</think:opensource>", "think"),  # Hunyuan 3
    ("<longcat_think>", "</longcat_think>", "think"),
    ("[THINK]", "[/THINK]", "think"),  # Magistral
    ("◁think▷", "◁/think▷", "think"),  # Kimi
    ("<|open|>think<|sep|>", "<|close|>think<|sep|>", "think"),  # Kimi K3
    ("<|START_THINKING|>", "<|END_THINKING|>", "think"),  # Cohere Command A
    ("<thought>", "</thought>", "thought"),  # EXAONE Deep
    ("<thoughts>", "</thoughts>", "thought"),
    ("<|begin_of_thought|>", "<|end_of_thought|>", "thought"),  # Sky-T1, OpenThinker
    ("<reason>", "</reason>", "reason"),
    ("<reasoning>", "</reasoning>", "reason"),
    ("<reflection>", "</reflection>", "reflection"),  # Reflection
    # No template of a model has these; prompts that ask for a draft do, and models that were trained on their answers.
    ("<inner_thoughts>", "</inner_thoughts>", "thought"),
    ("[THINKING]", "[/THINKING]", "think"),
    ("[REASONING]", "[/REASONING]", "reason"),
    ("<|think_start|>", "<|think_end|>", "think"),
    ("<|thinking|>", "<|/thinking|>", "think"),
    ("<scratchpad>", "</scratchpad>", "scratchpad"),
    ("<analysis>", "</analysis>", "analysis"),
    ("<rationale>", "</rationale>", "rationale"),
    ("<cot>", "</cot>", "cot>"),
    ("<unused94>", "<unused95>", "unused"),  # MedGemma 1.5
    ("[unused16]", "[unused17]", "unused"),  # openPangu
    ("<|channel>", "<channel|>", "|"),  # Gemma 4
    ("<|inner_prefix|>", "<|inner_suffix|>", "|"),  # Apertus
    ("<|content_thinking|>", "<|content_text|>", "|"),  # Inkling
)
# gpt-oss writes messages in channels: all but the final one are thoughts, and <|end|> ends them alone.
_CHANNEL, _MESSAGE_END = b"<|channel|>", b"<|end|>"
_FINAL = re.compile(rb"<\|channel\|>\s*final\b(?:\s*<\|constrain\|>\s*\w{1,20}\s*)?(?:<\|message\|>)?")
_NOT_FINAL = re.compile(rb"<\|channel\|>[^<\n]{0,100}(?:<\|message\|>)?")

_MOST_MENTIONS = 8  # no answer speaks of marks more often, and what is beyond that is none
_QUOTES = {'"': '"', "'": "'", "`": "`", "*": "*", "(": ")", "[": "]", "“": "”", "‘": "’", "«": "»"}  # noqa: RUF001
_WORDS = re.compile(
    rb"(?:[\w\x80-\xff'-]+,?[ ][\w\x80-\xff'-]+|the|a|an|my|this|that|in|inside|after|as|see|use|no)[ \t]{1,3}",
    re.IGNORECASE,
)
_GOES_ON = re.compile(rb"[ \t]{1,3}(?:[a-z\x80-\xff]|I\b)|[.,;!?)](?!\.)|-[a-z]|\s{0,9}\Z")
_ANSWER = re.compile(rb"<answer>|boxed", re.IGNORECASE)
_NOTHING = re.compile(rb"\s{0,9}(?:\.\.\.|\xe2\x80\xa6)?\s{0,9}")
_FEW, _LONGEST_MARK = 1_000, 40  # places of `<` in a text; bytes
_NEAR = 200  # bytes of a sentence that are looked at
_FAR = 2_000  # bytes of an answer's text before a mention that comes after it

Pair = tuple[bytes, bytes]
Place = tuple[int, int]  # begin and end of a mark

_BAR = b"|"
_PAIRS = tuple((begin.lower().encode(), end.lower().encode(), core.encode()) for begin, end, core in _STYLES)
_CORES = frozenset(core for _, _, core in _PAIRS)


def visible(text: str, thinking: str | bool = "") -> str:
    """What follows the thinking part; nothing where the text ends while it still thinks.

    thinking: the mark with which the prompt opened the thought, or True for `<think>`; "" or False for none.
    """
    whole = opening(thinking) + text
    begin, opened = _read(whole)
    return "" if opened else whole[begin:] if begin else text


def unfinished(text: str, thinking: str | bool = "") -> bool:
    """Whether a text ends inside a thought."""
    return _read(opening(thinking) + text)[1] != ""


def shortened(text: str, longest: int, thinking: str | bool = "") -> str:
    """A text to read without `thinking`, in which the same is visible; of a very long one, the end of what is."""
    whole = opening(thinking) + text
    if len(whole) <= longest:
        return whole
    begin, opened = _read(whole)
    # The mark in front says what has been cut off: a thought that does not end, or one that has ended.
    return opened or ("</think>" if begin else "") + whole[begin:][-longest:]


def opening(thinking: Any) -> str:
    """The mark that a setting stands for; SettingError for one that opens no thought, which would change nothing."""
    if isinstance(thinking, bool):
        return "<think>" if thinking else ""
    if isinstance(thinking, str) and (thinking == "" or _read(thinking)[1]):
        return thinking
    raise SettingError(
        "expected as thinking True, False or the mark with which the prompt opens the thought, such as <think>, "
        f"got {shorten(thinking)}"
    )


# Of the tokenizer

_QUESTION = "Which number comes after 41?"


def opened_in_prompt(tokenizer: Any, **options: Any) -> str:
    """The mark with which a tokenizer's chat template opens the thought in the prompt, or "" where it opens none.

    options: further arguments of apply_chat_template, those of the run: enable_thinking=False, for instance, makes
    Qwen3's template end the thought at once. A tokenizer without a template opens nothing.

    Examples:
        >>> import races
        >>> class Tokenizer:
        ...     chat_template = "..."
        ...
        ...     def apply_chat_template(self, messages, add_generation_prompt, tokenize, **options):
        ...         return f"<|user|>{messages[0]['content']}<|assistant|><think>"
        >>> races.opened_in_prompt(Tokenizer())
        '<think>'
    """
    if getattr(tokenizer, "chat_template", None) is None:
        return ""
    asked = [{"role": "user", "content": _QUESTION}]
    prompt = tokenizer.apply_chat_template(asked, add_generation_prompt=True, tokenize=False, **options)
    if not isinstance(prompt, str):
        raise SettingError(f"expected a chat template that gives a text, got {type(prompt).__name__}")
    return opened_after(prompt, _QUESTION)


def opened_after(prompt: str, question: str) -> str:
    """The mark of the thought in which a prompt ends, "" for none. Only what follows the question is looked at."""
    return _read(prompt.rpartition(question)[2])[1]


def marks_lost(tokenizer: Any) -> list[str]:
    """The marks of a chat template that are missing in a text decoded without special tokens, as trainers do it.

    Without them nobody can tell a draft from an answer.
    """
    template = str(getattr(tokenizer, "chat_template", None) or "")
    known = [mark for begin, end, _ in _STYLES for mark in (begin, end)] + [_CHANNEL.decode()]
    lost = []
    for mark in known:
        if mark in template:
            ids = tokenizer.encode(mark, add_special_tokens=False)
            if mark not in tokenizer.decode(ids, skip_special_tokens=True):
                lost.append(mark)
    return lost


# Reading


def _read(text: str) -> tuple[int, str]:
    """Behind the last finished thought, 0 without one; the mark that opened one after it which never ends, or ""."""
    if not any(begin in text and end in text for begin, end in ("<>", "[]", "◁▷")):
        return 0, ""
    data = text.encode("utf-8", "replace")  # what is no text, such as half a surrogate pair, is no mark either
    low = data.lower()  # of bytes: ASCII alone, and as long as before
    cores = {core for core in _CORES if _has(low, core)}
    pairs = _perhaps(low, [(begin, end) for begin, end, core in _PAIRS if core in cores])
    ended, opened = _channels(low) if _BAR in cores else (0, None)
    begin = max(ended, _last_end(low, data, pairs))
    if opened is None or opened[0] < begin:
        opened = _opened(low, data, pairs, begin)
    characters = begin if len(data) == len(text) else len(data[:begin].decode())
    return characters, "" if opened is None else data[opened[0] : opened[1]].decode()


def _perhaps(low: bytes, pairs: list[Pair]) -> list[Pair]:
    """The pairs without those of which no mark can be there, judged by the little that follows each `<` where few are.

    Where there are many, a search for a mark is quick by itself.
    """
    if low.count(b"<") > _FEW:
        return pairs
    heads = b"".join([b"<" + each[:_LONGEST_MARK] for each in low.split(b"<")[1:]])
    return [pair for pair in pairs if pair[0][:1] != b"<" or pair[0] in heads or pair[1] in heads]


def _channels(low: bytes) -> tuple[int, Place | None]:
    """Where the last message that is no answer ends in gpt-oss's format, and its beginning if it does not end."""
    place = low.rfind(_CHANNEL)
    if place < 0:
        return 0, None
    if final := _FINAL.match(low, place):
        return final.end(), None
    end = low.find(_MESSAGE_END, place)
    if end >= 0:
        return end + len(_MESSAGE_END), None
    begun = _NOT_FINAL.match(low, place)
    return 0, (place, begun.end() if begun else place + len(_CHANNEL))


def _last_end(low: bytes, data: bytes, pairs: list[Pair]) -> int:
    """Behind the last end mark that is no mention; the first end mark is never a mention. 0 where there is none."""
    places = {pair: low.rfind(pair[1]) for pair in pairs}
    ends: list[int] = []
    for _ in range(_MOST_MENTIONS):
        last = max(places, key=places.__getitem__, default=None)
        if last is None or places[last] < 0:
            return ends[-1] if ends else 0
        place = places[last], places[last] + len(last[1])
        ends.append(place[1])
        if not (
            _quoted(data, place)
            or _mentioned_pair(low, data, pairs, last[0], place)
            or (_in_sentence(data, place) and _follows_an_end(low, pairs, place[0]))
        ):
            return ends[-1]
        places[last] = low.rfind(last[1], 0, place[0])
    return ends[0]


def _opened(low: bytes, data: bytes, pairs: list[Pair], begin: int) -> Place | None:
    """The first opening mark from a place on that is no mention."""
    mentions, ends = 0, tuple([end for _, end in pairs])
    for place in _openings(low, pairs, begin):
        # Before the first thought has ended, a text may well stand in quotes on both sides of a mark.
        if begin:
            mentioned = _quoted(data, place) or _in_sentence(data, place, begin) or _holds_nothing(low, place[1], ends)
        else:
            mentioned = _quoted(data, place, {"`": "`"})
        mentions += mentioned
        if not mentioned or mentions > _MOST_MENTIONS:
            return place
    return None


def _openings(low: bytes, pairs: list[Pair], begin: int) -> Iterator[Place]:
    for mark, _ in pairs:
        place = low.find(mark, begin) if _has(low, mark, begin) else -1
        while place >= 0:
            yield place, place + len(mark)
            place = low.find(mark, place + len(mark))


def _has(low: bytes, mark: bytes, begin: int = 0) -> bool:
    """Whether a mark stands somewhere from a place on; searched from the end, which is many times as fast as `in`."""
    return low.rfind(mark, begin) >= 0


def _quoted(data: bytes, place: Place, quotes: Mapping[str, str] = MappingProxyType(_QUOTES)) -> bool:
    """Whether a mark stands between quotes or the like."""
    before = data[max(0, place[0] - 4) : place[0]].decode("utf-8", "ignore")[-1:]
    after = data[place[1] : place[1] + 4].decode("utf-8", "ignore")[:1]
    return bool(before) and quotes.get(before) == after


def _in_sentence(data: bytes, place: Place, begin: int = 0) -> bool:
    """Whether a mark stands inside a sentence of one line."""
    before = data[max(begin, place[0] - _NEAR) : place[0]].rpartition(b"\n")[2]
    lead = before[max(before.rfind(stop) for stop in (b".", b"!", b"?", b":", b";", b"(")) + 1 :]
    return bool(_ends_in_words(lead) and _GOES_ON.match(data, place[1]))


def _ends_in_words(lead: bytes) -> bool:
    # The last two words and the space after them, since a pattern that is searched for would try every beginning.
    words = lead.split()[-2:]
    spaces = lead[len(lead.rstrip(b" \t")) :]
    return bool(words and spaces and _WORDS.fullmatch(b" ".join(words) + spaces))


def _holds_nothing(low: bytes, begin: int, ends: tuple[bytes, ...]) -> bool:
    nothing = _NOTHING.match(low, begin)
    return nothing is not None and low.startswith(ends, nothing.end())


def _follows_an_end(low: bytes, pairs: list[Pair], begin: int) -> bool:
    """Whether the last mark before a place is an end; looked for nearby, since most marks are in no text at all."""
    first = max(0, begin - _FAR)
    last_end = max([low.rfind(end, first, begin) for _, end in pairs])
    return last_end >= 0 and all([low.find(mark, last_end, begin) < 0 for mark, _ in pairs])


def _mentioned_pair(low: bytes, data: bytes, pairs: list[Pair], mark: bytes, place: Place) -> bool:
    """Whether an end mark belongs to an opening one in the same sentence, with no answer in between."""
    line = low.rfind(b"\n", max(0, place[0] - _NEAR), place[0]) + 1
    opened = low.rfind(mark, max(line, place[0] - _NEAR), place[0])
    if opened < 0 or _ANSWER.search(low, opened, place[0]):
        return False
    if _NOTHING.fullmatch(low, opened + len(mark), place[0]) and _follows_an_end(low, pairs, opened):
        return True
    return _in_sentence(data, (opened, opened + len(mark))) and bool(_GOES_ON.match(data, place[1]))
