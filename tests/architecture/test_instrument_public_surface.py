"""The public names of `instrument`."""

import types

import instrument


def test_what_is_exported_is_sorted_and_there() -> None:
    assert sorted(instrument.__all__, key=lambda name: (name.upper() != name, name)) == (
        instrument.__all__
    )
    assert all(hasattr(instrument, name) for name in instrument.__all__)


def test_everything_public_in_the_package_is_exported_or_a_module() -> None:
    public = {
        name
        for name, value in vars(instrument).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }

    assert public == set(instrument.__all__)


def test_what_only_emitters_may_use_can_be_reached_and_is_not_exported() -> None:
    assert instrument._emit is instrument.default._emit
    assert instrument._hooks is instrument.default._hooks
    assert not any(name.startswith("_") for name in instrument.__all__)
