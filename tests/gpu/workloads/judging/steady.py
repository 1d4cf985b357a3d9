"""The loop of all judging programs: one iteration again and again, then the end with a finite result or an error."""
import math
import sys


def repeat(step, wait=lambda: None, read=lambda result: result.mean()):
    """Calls `step` as often as the program's argument says, and `wait` after each; `read` makes a number of the last result."""
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 200):
        result = step()
        wait()
    value = float(read(result))
    if not math.isfinite(value):
        sys.exit(f"{sys.argv[0]}: the result is {value}")
    print("result", value)
