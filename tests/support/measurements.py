"""Measurements for tests, against servers whose answers are known."""

from races.resources.evaluation.measurement import Data, GenerationSettings, Measurement
from races.resources.evaluation.suites import datasets, prompts


def asked(name, folder, url, samples=1, data=None, **settings):
    drawn = {"temperature": 0.6, "top_p": 0.95, "top_k": 20, "max_tokens": 512}
    drawn |= {key: settings.pop(key) for key in tuple(settings) if key in GenerationSettings.__dataclass_fields__}
    settings = {"retries": 0, "attempts": 1, "timeout": 30} | settings
    return Measurement(data or Data(name), GenerationSettings(samples, **drawn), url, "m", str(folder), **settings)


def right_answers(name):
    """What a model that knows everything says to each prompt of an invented set."""
    golds = datasets.mini_golds(name)
    return {prompts.messages(each)[0][-1]["content"]: golds[each.id] for each in datasets.load_mini(name).questions}


def content(request):
    return request["messages"][-1]["content"]
