from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from subscribers.content import redaction
from subscribers.content.redaction import REDACTED, Redactor, is_secret_attribute, is_secret_key
from subscribers.content.serialise import to_json

redactor = Redactor()

SECRETS = [
    "sk-proj-abcdefghijklmnopqrstuvwx",
    "sk_live_abcdefghijklmnopqrst",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_11ABCDEFG0123456789_abcdefghijklmnop",
    "AKIAIOSFODNN7EXAMPLE",
    "xoxb-123456789012-abcdefghijkl",
    "AIza" + "B" * 35,
    "whsec_" + "A1b2" * 6,
    "GOCSPX-" + "A1b2" * 6,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
    "xai-" + "A1b2" * 20,
    "nvapi-" + "A1b2" * 16,
    "r8_" + "A1b2" * 9,
    "ya29." + "A1b2" * 9,
    "hvs." + "A1b2" * 9,
    "shpat_" + "a1b2" * 8,
    "dckr_pat_" + "A1b2" * 7,
    "SG." + "A1b2" * 5 + "." + "A1b2" * 10,
    "T0000/B0000/" + "A1b2" * 6,
    "123456789:AA" + "A1b2" * 8,
]
AROUND = {
    "T0000/": "https://hooks.slack.com/services/",
    "123456": "https://api.telegram.org/bot",
}


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("around", ["{}", "key is {} ok", '{{"a": "{}"}}', "x\n{}\ny"])
def test_tokens_go_wherever_they_stand(secret: str, around: str) -> None:
    text = redactor.text(around.format(AROUND.get(secret[:6], "") + secret))
    assert secret not in text
    assert REDACTED in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Authorization: Bearer abc.def-ghi", f"Authorization: {REDACTED}"),
        ("authorization: Basic dXNlcjpwYXNz", f"authorization: {REDACTED}"),
        ("use Basic am9lOmh1bnRlcjI= here", f"use Basic {REDACTED} here"),
        ("Bearer abcdefghijklmnopqrst", f"Bearer {REDACTED}"),
        ("postgres://joe:hunter2@db:5432/x", f"postgres://{REDACTED}@db:5432/x"),
        ("https://:tok@host/", f"https://{REDACTED}@host/"),
        ('{"api_key": "abcdef"}', f'{{"api_key": "{REDACTED}"}}'),
        ('{\\"password\\": \\"hunter22\\"}', f'{{\\"password\\": \\"{REDACTED}\\"}}'),
        ("OPENAI_API_KEY=abcdef123", f"OPENAI_API_KEY={REDACTED}"),
        ("LANGSMITH_API_KEY: lsv2_pt_x", f"LANGSMITH_API_KEY: {REDACTED}"),
        ("https://b.example/c?sv=2020&sig=aB3%2FxaB3%2FxaB3%3D&se=1",
         f"https://b.example/c?sv=2020&sig={REDACTED}&se=1"),
        ("ENCRYPTION_KEY=abcdef123", f"ENCRYPTION_KEY={REDACTED}"),
        ("user: joe pass: hunter2", f"user: joe pass: {REDACTED}"),
        ("password: swordfish and then log in", f"password: {REDACTED} and then log in"),
        ("DB_PASS=TestParse1", f"DB_PASS={REDACTED}"),
        ("password=string123", f"password={REDACTED}"),
        ('{"password": ")abc,"}', f'{{"password": "{REDACTED}"}}'),
        ("PASSWORD=k9(f$2x", f"PASSWORD={REDACTED}"),
        ("Authorization: Token abc def", f"Authorization: {REDACTED}"),
        ("/cb?access_token=abcdef&x=1", f"/cb?access_token={REDACTED}&x=1"),
    ],
)  # fmt: skip
def test_named_values_go_and_their_names_stay(text: str, expected: str) -> None:
    assert redactor.text(text) == expected


class Login(BaseModel):
    api_key: int
    port: int


def test_a_secret_that_a_model_refused_goes_and_other_fields_stay() -> None:
    with pytest.raises(ValidationError) as error:
        Login.model_validate({"api_key": "hunter2", "port": "eighty"})
    whole = str(error.value)
    assert "hunter2" not in redactor.text(whole[: whole.index("hunter2") + 7])
    assert "hunter2" not in redactor.text(json.dumps({"error": whole}))
    text = redactor.text(whole)
    assert "hunter2" not in text
    assert f"input_value={REDACTED}, input_type=str" in text
    assert "input_value='eighty'" in text


def test_a_private_key_goes_whole_even_if_it_is_cut() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n"
    assert redactor.text(f"a {key}-----END RSA PRIVATE KEY----- b") == f"a {REDACTED} b"
    assert redactor.text(f"a {key}") == f"a {REDACTED}"


@pytest.mark.parametrize(
    "text",
    [
        "a risk-assessment-of-some-length",
        "task-management-is-important-here",
        "max_tokens: 4096000",
        "the bearer of good news",
        "see https://example.com/path@2x.png",
        "12:30 key moments",
        "Basic understanding of statistics",
        "primary_key=customer_id signal: 15",
        "github.com/owner/repository",
        "Reset your password: click the link in the mail",
        "Authorization: users with this role can edit, others can read",
        "def login(user: str, password: Optional[str] = None) -> Token:",
        "interface Login { username: string; password: string; token: string }",
        "const token = await getToken();",
        'api_key = os.environ["OPENAI_API_KEY"]',
        "client = OpenAI(api_key=settings.openai_api_key)",
        'password = input("Password: ")',
        'name = prompt("Password: ", hide_input=True)',
        'getpass("Password: ").strip()',
        '{"code": "input(\\"Password: \\")\\n    if user == \\"joe\\":"}',
        "--- PASS: TestParse (0.00s)",
        "function signature: parse(text) -> Tree",
        "password: <your password here>",
        "Error: invalid token: expired",
        "use the --token flag to log in",
        "git clone ssh://git@github.com/owner/repository",
        "npm_config_strict_peer_dependencies and npm_package_json_of_the_workspace",
        "access-production-environment-of-the-cluster, tk-us-east-1-of-some-name",
        "tfp_distributions_normal_of_some_length, sm_pat_of_the_name, api-7d9f8b6c5d",
        "4b1d" + "0a" * 30,
        "an EAACHTUNG of some length, a SKELETON, the PATTERN.of a path.html",
        "drop user a; the role was identified by 'two words'; a password 'field'",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert redactor.text(text) == text


@given(st.text(alphabet="sk-_gh:/@=Bearer tokn\"'[]?&.aA0\n", max_size=200))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redactor.text(text)
    assert redactor.text(once) == once


@pytest.mark.parametrize(
    "key",
    ["api_key", "API-Key", "x-api-key", "password", "db_password", "Authorization", "token",
     "accessToken", "clientSecret", "Set-Cookie", "AWS_SECRET_ACCESS_KEY", "private_key",
     "AZURE_OPENAI_KEY", "Ocp-Apim-Subscription-Key", "auth_header", "jwt", "passwordConfirm",
     "signing_key", "sig", "credential"],
)  # fmt: skip
def test_keys_that_name_secrets(key: str) -> None:
    assert is_secret_key(key)


@pytest.mark.parametrize(
    "key",
    ["max_tokens", "input_tokens", "token_count", "progressToken", "next_page_token", "key",
     "keyboard", "passenger", "secretary", "cookies_accepted", "author",
     "primary_key", "signal", "design", "keynote", "bearing"],
)  # fmt: skip
def test_keys_that_only_look_like_it(key: str) -> None:
    assert not is_secret_key(key)


def test_of_a_dotted_key_the_last_part_counts() -> None:
    assert is_secret_attribute("http.request.header.cookie")
    assert is_secret_attribute("auth.token")
    assert not is_secret_attribute("mcp.progress.token"), "a position, and no secret"


@pytest.mark.parametrize("white", [" ", "\t"])
def test_the_word_after_a_secret_flag_is_a_secret(white: str) -> None:
    assert redactor.text(f"--api-key{white}hunter2abc") == f"--api-key{white}{REDACTED}"


def test_user_patterns_and_callback_run_last() -> None:
    own = Redactor([r"CUST-\d+"], lambda text: text.replace("Joe", "J."))
    assert own.text("Joe is CUST-123") == f"J. is {REDACTED}"


def test_a_callback_that_raises_costs_the_string_not_the_secret() -> None:
    def broken(text: str) -> str:
        raise RuntimeError

    assert Redactor(callback=broken).text("Joe's secret") == REDACTED


def cost_of(text: str) -> int:
    """Return the CPU time of redacting `text`, undisturbed."""

    def once() -> int:
        start_ns = time.thread_time_ns()
        redactor.text(text)
        return time.thread_time_ns() - start_ns

    return min(once() for _ in range(9))


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["eyJ", "eyJ-", "aeyJ", "eyJaaaaaaaa.", "eyJa.", "a-", "api-", "api_key ", "key = ", "token",
     "token=", "sk-", "sk-a", "ghp_", "xoxb-", "://a", "://a:", "a@", "bearer ", "bearer a",
     "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "-----END ", "curl ", "curl -u ", "curl -u :",
     "identified by ",
     "identified by '", "identified with a ", "IDENTIFIED BY 'a ", "create user ",
     "create user a identified by 'a ",
     "sk-a-", "ghp_a_", "sk_live_", "A", "AKI", "pat", "Q~", "1234567:AA", "ico-0"],
)  # fmt: skip
def test_the_cost_of_hostile_text_grows_with_its_length_only(piece: str) -> None:
    every_hint = "eyj key pass @ sk- gh akia xox aiza bearer : ' "
    few, many = (every_hint + piece * (count // len(piece)) for count in (1_000, 8_000))
    # 8 times the text; a pattern that begins anew everywhere takes more than 40 times as long.
    assert cost_of(many) < 24 * cost_of(few)


def test_many_secrets_are_put_in_order_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # Sorting holds the interpreter: with a million in any order, for many seconds.
    compared = 0

    class Counted(tuple[int, int]):
        def __lt__(self, other: tuple[int, ...]) -> bool:
            nonlocal compared
            compared += 1
            return tuple(self) < tuple(other)

    real = redaction._Rule.spans

    def counted(*arguments: Any) -> Iterator[tuple[int, int]]:
        return map(Counted, real(*arguments))

    monkeypatch.setattr(redaction._Rule, "spans", counted)
    count = 10_000
    redactor.text('"token": "abcdef", "password": "abcdef" ' * count)
    assert 0 < compared < 5 * count


@pytest.mark.parametrize("piece", ["api-", "a-", "secret_"])
def test_a_name_of_many_words_costs_no_more_than_as_many_names(piece: str) -> None:
    every_gate = "key - _ : = @ % A J"
    count = 30_000 // len(piece)
    one, many = (text * count + every_gate for text in (piece, f"{piece}, "))
    # A pattern that restarts inside each name takes 3 to 18 times as long.
    assert cost_of(one) < 2 * cost_of(many)


@pytest.mark.parametrize(
    "value", ["'" + r"\n" * 50_000, r"\'" + r"\\n" * 50_000, r"\'" + "a" * 50_000]
)
def test_a_long_secret_takes_little_memory(value: str) -> None:
    tracemalloc.start()
    try:
        assert redactor.text(f"password={value}").endswith(REDACTED)
        assert tracemalloc.get_traced_memory()[1] < 10 * len(value)
    finally:
        tracemalloc.stop()


def test_a_token_is_found_behind_other_letters() -> None:
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N"
    assert redactor.text(f"a.session-e_{token} b") == f"a.session-e_{REDACTED} b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("curl -u bob:hunter2 https://x.io", "curl -u [redacted] https://x.io"),
        ("curl -s --user 'bob:hunter2' x", "curl -s --user '[redacted]' x"),
        ("CREATE USER a IDENTIFIED BY 'hunter2';", "CREATE USER a IDENTIFIED BY '[redacted]';"),
        (
            'ALTER USER a IDENTIFIED WITH sha2_password BY "hunter2"',
            'ALTER USER a IDENTIFIED WITH sha2_password BY "[redacted]"',
        ),
        (
            "CREATE USER a IDENTIFIED BY 'correct horse ''battery'';' x",
            "CREATE USER a IDENTIFIED BY '[redacted]' x",
        ),
        (
            "create user 'a'@'%'\nidentified by \"it's mine\" x",
            "create user 'a'@'%'\nidentified by \"[redacted]\" x",
        ),
        ("alter role a with password 'two words'", "alter role a with password '[redacted]'"),
        (
            '{"sql": "CREATE USER a IDENTIFIED BY \\"two words\\""}',
            '{"sql": "CREATE USER a IDENTIFIED BY \\"[redacted]\\""}',
        ),
        ("was identified by 'the police'", "was identified by 'the police'"),
        ("curl https://x.io -H 'a: b'", "curl https://x.io -H 'a: b'"),
    ],
)
def test_passwords_in_commands_and_statements_go(text: str, expected: str) -> None:
    assert Redactor().text(text) == expected


def test_fields_of_named_tuples_and_keys_of_bytes_are_names() -> None:
    class Login(NamedTuple):
        user: str
        password: str

    data = [Login("bob", "hunter2"), {b"password": "hunter2"}]
    assert json.loads(to_json(data, redactor=Redactor()).text) == [
        {"user": "bob", "password": REDACTED},
        {"password": REDACTED},
    ]
