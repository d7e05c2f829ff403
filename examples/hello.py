"""The smallest agent that one can watch. Run `inspector serve` first."""

import time

import inspector
from instrument import operation

inspector.attach()

with operation("workflow_run", workflow="hello"):
    with operation("tool_call", tool_name="add", args={"a": 1, "b": 2}) as op:
        time.sleep(1)
        op.result = op.args["a"] + op.args["b"]
    print("1 + 2 =", op.result)
