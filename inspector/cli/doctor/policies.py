"""Checks of the policies that apply to agents started here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.agent_side.policies.explanation import lines, needs_prices
from inspector.agent_side.policies.locations import SWITCH, find_sources, is_switched_off
from inspector.agent_side.policies.sources import load
from inspector.cli.doctor.finding import FAIL, OK, WARN, CheckResult
from inspector.errors import PolicyError
from inspector.service.settings import Settings


def examine_policies(settings: Settings, environ: Mapping[str, str]) -> Iterator[CheckResult]:
    """Yield the content of each file of policies, or its mistake."""
    if is_switched_off(environ):
        yield CheckResult(WARN, "policies", f"{SWITCH} is off: no policy acts on agents from here")
        return
    for source in find_sources(environ):
        try:
            rules = load(source)
        except PolicyError as error:
            advice = "Mend it (`inspector policies check`): agents deny what it may have guarded."
            yield CheckResult(FAIL, "policies", error.mistakes[0].removesuffix("."), advice)
            continue
        if rules is None:
            continue
        kinds = [line.kind for line in lines(rules)]
        counts = f"{kinds.count('policy')} policies, {kinds.count('budget')} budgets"
        counts += f", {kinds.count('breakpoint')} breakpoints" if "breakpoint" in kinds else ""
        yield CheckResult(OK, "policies", f"{rules.file}: {counts}")
        if needs_prices(rules) and not environ.get("INSPECTOR_PRICES"):
            advice = "Name your prices with INSPECTOR_PRICES."
            said = "a model call that does not say what it cost uses up a budget of cost"
            yield CheckResult(WARN, "policies", said, advice)
