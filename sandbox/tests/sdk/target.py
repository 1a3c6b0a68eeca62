"""The server under test, from environment variables, and plain requests to its API."""

import os

import httpx

URL = os.environ["MANTYX_URL"]
KEY = os.environ["MANTYX_API_KEY"]
WORKSPACE = os.environ["MANTYX_WORKSPACE"]
# The same server with access tokens that expire after a second.
SHORT_LIVED_TOKENS_URL = os.environ["MANTYX_SHORT_LIVED_TOKENS_URL"]


def get(path, **params):
    """Sends a GET request. The client has no method that reads a run."""
    response = httpx.get(
        f"{URL}/api/v1/workspaces/{WORKSPACE}{path}", params=params, headers={"Authorization": f"Bearer {KEY}"}
    )
    response.raise_for_status()
    return response.json()


def snapshot(run_id):
    return get(f"/agent-runs/{run_id}")


def run_with(metadata):
    """Returns the id of the newest run with this metadata. The client returns it only after the run has ended."""
    runs = get("/agent-runs", metadata=[f"{key}:{value}" for key, value in metadata.items()])["runs"]
    return runs[0]["id"]
