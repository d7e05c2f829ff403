import pytest

from inspector.service.analysis.formatting import count, duration, money, plural, tokens


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (None, ""),
        (0, "0 µs"),
        (850_000, "850 µs"),
        (9_940_000, "9.9 ms"),
        (12_000_000, "12 ms"),
        (999_600_000, "1.0 s"),
        (3_400_000_000, "3.4 s"),
        (59_960_000_000, "1 min 0 s"),
        (312_000_000_000, "5 min 12 s"),
        (7_500_000_000_000, "2 h 5 min"),
        (-12_000_000, "-12 ms"),
    ],
)
def test_a_duration_is_written_in_the_unit_that_fits(ns: int | None, text: str) -> None:
    assert duration(ns) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (950, "950"),
        (1_234, "1.2k"),
        (34_567, "35k"),
        (999_999, "1.0M"),
        (5_600_000, "5.6M"),
    ],
)
def test_a_count_has_two_figures_or_three(number: int, text: str) -> None:
    assert count(number) == text


def test_small_sums_are_written_to_the_hundredth_of_a_cent() -> None:
    assert [money(0.0012), money(3.4), money(1234.5)] == ["$0.0012", "$3.40", "$1,234.50"]


def test_tokens_that_nobody_counted_are_not_shown() -> None:
    assert [tokens(None, None), tokens(812, 64), tokens(812, None)] == [
        "",
        "812→64 tokens",
        "812→0 tokens",
    ]


def test_one_is_not_many() -> None:
    assert [plural(1, "error"), plural(0, "error")] == ["1 error", "0 errors"]
