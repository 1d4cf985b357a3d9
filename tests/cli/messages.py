"""What kjoule and its programs say on stderr."""
import re

ERROR = re.compile(r"kjoule([ -]\w+)?: (?!warning: )")


def errors_in(told):
    """Returns the lines with errors, which are no warnings."""
    return [line for line in told.splitlines() if ERROR.match(line)]
