"""Tests of the example in the README."""

import os
import re
import subprocess
import sys
from pathlib import Path

from target import KEY, URL, WORKSPACE

README = Path(__file__).parents[4] / "README.md"


def test_the_python_example_of_the_readme_runs():
    program = next(text for text in re.findall(r"```python\n(.*?)```", README.read_text(), re.S) if "mantyx" in text)
    env = {**os.environ, "MANTYX_BASE_URL": URL, "MANTYX_API_KEY": KEY, "MANTYX_WORKSPACE_SLUG": WORKSPACE}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Done."), done.stdout
