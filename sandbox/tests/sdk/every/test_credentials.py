"""Tests of keys, tokens, scopes and expired tokens."""

import asyncio
import time

import pytest
from mantyx import (
    AsyncMantyxClient,
    MantyxAuthError,
    MantyxClient,
    MantyxError,
    MantyxOAuthClient,
    MantyxOAuthError,
    MantyxScopeError,
    OAuthToken,
)

from consent import CLIENT_ID, CLIENT_SECRET, sign_in
from target import KEY, SHORT_LIVED_TOKENS_URL, URL, WORKSPACE

EXPIRED_OR_UNKNOWN = "mantyx_at_expired"


@pytest.fixture
def oauth():
    with MantyxOAuthClient(client_id=CLIENT_ID, client_secret=CLIENT_SECRET, base_url=URL) as oauth:
        yield oauth


def stale(refresh_token, expires_at):
    """Returns an access token that the server rejects, with the expiry that the client assumes."""
    return OAuthToken(
        access_token=EXPIRED_OR_UNKNOWN,
        refresh_token=refresh_token,
        token_type="Bearer",
        expires_in=3600,
        expires_at=expires_at,
        scope=None,
    )


def test_a_wrong_key_is_an_auth_error():
    with MantyxClient(api_key="mantyx_wrong", workspace_slug=WORKSPACE, base_url=URL) as client:
        with pytest.raises(MantyxAuthError) as refused:
            client.list_models()
    assert refused.value.status == 401


def test_a_foreign_workspace_is_not_found_and_the_hint_names_the_right_one():
    with MantyxClient(api_key=KEY, workspace_slug="somebody-elses", base_url=URL) as client:
        with pytest.raises(MantyxError) as refused:
            client.list_models()
    assert refused.value.status == 404
    assert WORKSPACE in refused.value.hint


def test_a_token_does_what_its_scopes_allow_and_the_error_names_the_missing_one():
    tokens = sign_in("models:read runs:write")
    with MantyxClient(access_token=tokens["access_token"], workspace_slug=WORKSPACE, base_url=URL) as client:
        assert client.list_models().models
        with pytest.raises(MantyxScopeError) as refused:
            client.create_session(system_prompt="You help.")
    assert refused.value.required_scopes == ("sessions:write",)


def test_a_token_runs_agents_like_a_key():
    tokens = sign_in("runs:read runs:write")
    with MantyxClient(access_token=tokens["access_token"], workspace_slug=WORKSPACE, base_url=URL) as client:
        assert client.run_agent(system_prompt="You help.", prompt="/say Hello.").text == "Hello."


def test_an_expired_token_is_refreshed_before_it_is_sent(oauth):
    refresh_token = sign_in("models:read")["refresh_token"]
    source = oauth.refresh_token_source(
        refresh_token=refresh_token, initial_token=stale(refresh_token, time.time() - 1)
    )
    with MantyxClient(token_source=source, workspace_slug=WORKSPACE, base_url=URL) as client:
        assert client.list_models().models
    assert source() != EXPIRED_OR_UNKNOWN


def test_a_token_that_the_server_calls_expired_is_refreshed_and_the_request_repeated(oauth):
    refresh_token = sign_in("runs:read runs:write")["refresh_token"]
    source = oauth.refresh_token_source(
        refresh_token=refresh_token, initial_token=stale(refresh_token, time.time() + 3600)
    )
    with MantyxClient(token_source=source, workspace_slug=WORKSPACE, base_url=URL) as client:
        assert client.run_agent(system_prompt="You help.", prompt="/say Hello.").text == "Hello."


def test_the_asynchronous_source_refreshes_too(oauth):
    refresh_token = sign_in("runs:read runs:write")["refresh_token"]

    async def run():
        source = oauth.async_refresh_token_source(
            refresh_token=refresh_token, initial_token=stale(refresh_token, time.time() + 3600)
        )
        async with AsyncMantyxClient(token_source=source, workspace_slug=WORKSPACE, base_url=URL) as client:
            result = await client.run_agent(system_prompt="You help.", prompt="/say Hello.")
        await oauth.aclose()
        return result.text

    assert asyncio.run(run()) == "Hello."


def test_a_token_that_has_really_expired_is_refused_and_refreshed_when_there_is_a_source():
    tokens = sign_in("models:read", SHORT_LIVED_TOKENS_URL)
    assert tokens["expires_in"] == 1
    access_token, refresh_token = tokens["access_token"], tokens["refresh_token"]
    time.sleep(1.1)
    place = {"workspace_slug": WORKSPACE, "base_url": SHORT_LIVED_TOKENS_URL}
    with MantyxClient(access_token=access_token, **place) as client:
        with pytest.raises(MantyxAuthError) as refused:
            client.list_models()
    assert refused.value.status == 401
    expired = OAuthToken(
        access_token=access_token,
        refresh_token=refresh_token,
        token_type="Bearer",
        expires_in=3600,
        # The client learns this from the server.
        expires_at=time.time() + 3600,
        scope=None,
    )
    with MantyxOAuthClient(
        client_id=CLIENT_ID, client_secret=CLIENT_SECRET, base_url=SHORT_LIVED_TOKENS_URL
    ) as oauth:
        source = oauth.refresh_token_source(refresh_token=refresh_token, initial_token=expired)
        with MantyxClient(token_source=source, **place) as client:
            assert client.list_models().models


def test_refresh_tokens_do_not_rotate_and_revoking_one_kills_its_access_tokens(oauth):
    refresh_token = sign_in("models:read")["refresh_token"]
    token = oauth.refresh(refresh_token=refresh_token)
    assert (token.refresh_token, token.token_type, token.scope) == (refresh_token, "Bearer", "models:read")
    oauth.revoke(token=refresh_token)
    with MantyxClient(access_token=token.access_token, workspace_slug=WORKSPACE, base_url=URL) as client:
        with pytest.raises(MantyxAuthError):
            client.list_models()
    with pytest.raises(MantyxOAuthError) as refused:
        oauth.refresh(refresh_token=refresh_token)
    assert refused.value.oauth_error == "invalid_grant"
