"""The smallest agent that one can watch. Run `inspector serve` first."""

import time

import inspector

inspector.attach()


@inspector.tool
def add(a: int, b: int) -> int:
    """Add two numbers, slowly."""
    time.sleep(1)
    return a + b


with inspector.session("hello", title="A first sum", user="ada"):
    print("1 + 2 =", add(1, 2))
