"""The asset graph loads without the packages of the extras, which are imported where they are used."""

import subprocess
import sys
from pathlib import Path

EXTRAS = (
    "inspect_ai lm_eval nltk tokenizers huggingface_hub openai langdetect punkt scipy matplotlib networkx sympy torch "
    "transformers verl"
).split()
SCRIPT = """
import sys, warnings
warnings.filterwarnings("ignore")
sys.modules.update(dict.fromkeys(sys.argv[1:]))  # None: an import of any of them fails
from races.assets.definitions import definitions
made = definitions("/nowhere")
print(sorted(asset.key.to_user_string() for asset in made.resolve_asset_graph().asset_nodes))
"""


def test_the_graph_loads_where_only_the_base_install_is_present() -> None:
    command = [sys.executable, "-c", SCRIPT, *EXTRAS]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert ran.returncode == 0, ran.stderr
    assert "benchmark_samples" in ran.stdout
