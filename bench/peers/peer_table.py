"""Renders the rows of bench/peers/run as a Markdown table: a pure function of the rows."""


def newest_run(rows):
    """Returns the rows of the run that was started last."""
    return [row for row in rows if row["run"] == rows[-1]["run"]] if rows else []


def document(rows):
    """Returns the table of the newest run, with a line on where it was measured. Times that were not measured are "-", reasons stand below."""
    rows = newest_run(rows)
    if not rows:
        return "No rows.\n"
    head = "| tool | version | launches | sum, us | off the reference | whole, us | off the reference | tool needed |"
    lines = [place(rows), "", head, "|---|---|---|---|---|---|---|---|", *map(line, rows)]
    options = [f"- {row['title']}: `{row['options']}`" for row in rows if row.get("options")]
    errors = [f"- {row['title']}: {row['error']}" for row in rows if row.get("error")]
    if options:
        lines += ["", "Options:", "", *dict.fromkeys(options)]
    if errors:
        lines += ["", "Not measured:", "", *dict.fromkeys(errors)]
    return "\n".join(lines) + "\n"


def place(rows):
    """Returns the sentence that says on what the rows were measured. A part that is not known is left out."""
    machine = rows[0].get("machine", {})
    words = [machine.get("name"), named("driver", machine.get("driver")), named("torch", machine.get("torch"))]
    clocks = [row["clocks"]["sm_mhz_highest"] for row in rows if row["tool"] == "reference" and row.get("clocks")]
    if clocks:
        words.append(f"{clocks[0]} MHz in the reference")
    known = ", ".join(word for word in words if word)
    return "One iteration of BLOOM-560M, 5 tokens" + (f" ({known})." if known else ".")


def named(name, value):
    return f"{name} {value}" if value else None


def line(row):
    """Returns the table's line of one row."""
    verdict = (row.get("kjoule") or {}).get("verdict")
    title = row["title"] + (f" ({verdict})" if verdict else "")
    if row.get("error"):
        cells = [title, row.get("version") or "-", "-", "not measured", "-", "not measured", "-", seconds(row)]
    else:
        cells = [title, row.get("version") or "-", number(row.get("launches"), "d"), number(row.get("sum_us"), ".1f"), percent(row.get("sum_error_percent")),
                 number(row.get("whole_us"), ".1f"), percent(row.get("whole_error_percent")), seconds(row)]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def number(value, form):
    return "-" if value is None else format(value, form)


def percent(value):
    return "-" if value is None else f"{value:+.2f} %"


def seconds(row):
    return "-" if row.get("seconds") is None else f"{row['seconds']:.0f} s"
