"""The Python example of docs/sandbox.md runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

from target import KEY, URL, WORKSPACE

DOCUMENT = Path(__file__).parents[4] / "docs" / "sandbox.md"


def test_the_python_example_runs_unchanged():
    program = next(text for text in re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.S) if "mantyx" in text)
    env = {**os.environ, "MANTYX_BASE_URL": URL, "MANTYX_API_KEY": KEY, "MANTYX_WORKSPACE_SLUG": WORKSPACE}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Done."), done.stdout
