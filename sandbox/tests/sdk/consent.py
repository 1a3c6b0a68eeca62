"""Sign-in with OAuth, which the client leaves to the application."""

import base64
import hashlib
import re
import secrets
from urllib.parse import parse_qs, urlsplit

import httpx

from target import URL

CLIENT_ID = "mantyx_oa_runlens"
CLIENT_SECRET = "mantyx_oas_sandbox"
REDIRECT = "http://127.0.0.1:3000/auth/callback"
ACCOUNT = "owner@demo.test"


def sign_in(scope, url=URL):
    """Consents to `scope` and returns the token response."""
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    with httpx.Client(base_url=f"{url}/api/oauth/") as browser:
        page = browser.get(
            "authorize",
            params={
                "client_id": CLIENT_ID,
                "redirect_uri": REDIRECT,
                "response_type": "code",
                "scope": scope,
                "state": "x",
                "code_challenge": challenge,
                "code_challenge_method": "S256",
            },
        )
        request = re.search(r'name="request" value="([^"]+)"', page.text)
        assert request, f"no consent page: {page.status_code} {page.text}"
        decided = browser.post(
            "authorize/decide", data={"request": request[1], "account": ACCOUNT, "decision": "approve"}
        )
        code = parse_qs(urlsplit(decided.headers["location"]).query)["code"][0]
        tokens = browser.post(
            "token",
            data={
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": REDIRECT,
                "client_id": CLIENT_ID,
                "client_secret": CLIENT_SECRET,
                "code_verifier": verifier,
            },
        )
        tokens.raise_for_status()
        return tokens.json()
