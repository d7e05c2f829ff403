import pytest

from inspector.service.analysis.causes import error_line


@pytest.mark.parametrize(
    ("error", "line"),
    [
        ({"type": "Timeout", "message": "after 5 s", "code": "504"}, "Timeout: after 5 s"),
        ({"type": None, "message": None, "code": "503"}, "code 503"),
        ({"type": None, "message": None, "code": None}, "no reason was recorded"),
        (None, "no reason was recorded"),
    ],
)
def test_the_error_of_a_span_is_what_is_known(
    error: dict[str, str | None] | None, line: str
) -> None:
    detail = {"status_message": None, "view": {"error": error, "tool": None}}
    assert error_line(detail, 100) == line
