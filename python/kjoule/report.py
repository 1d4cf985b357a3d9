"""What all reports have in common: their rows as a table."""
from __future__ import annotations

import dataclasses
import html
from typing import TYPE_CHECKING, Any, ClassVar

from .errors import Error

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped,unused-ignore]

MOST_ROWS = 60  # of a table in a notebook
_LONG_COLUMNS = ["name", "signature"]  # which a notebook does not show next to short names


class Report:
    """Base class of the reports. A report is a table: one row for each entry of the field `_rows`, or one row with the report's own values."""

    _rows: ClassVar[str | None] = None

    def table_rows(self) -> tuple[Any, ...]:
        """Returns the entries of which to_pandas() and a notebook make a table, such as the kernels of a comparison."""
        rows: tuple[Any, ...] = (self,)
        for name in self._rows.split(".") if self._rows else []:
            rows = tuple(entry for row in rows for entry in getattr(row, name) or ())
        return rows

    def table_columns(self) -> dict[str, list[Any]]:
        """Returns the values of all rows by the name of their field, or "field.name" for an object within a row. Of a list of objects, the names
        are joined by ", "; other lists are left out, and so are fields without any value."""
        rows = [_plain_values(row) for row in self.table_rows()]
        names = dict.fromkeys(name for row in rows for name, value in row.items() if value is not None)
        return {name: [row.get(name) for row in rows] for name in names}

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the rows as a pandas DataFrame. Raises Error if pandas is not installed."""
        try:
            import pandas
        except ImportError as error:
            raise Error("a DataFrame cannot be made, because pandas is not installed; pip install pandas, or use table_columns()") from error
        return pandas.DataFrame(self.table_columns())

    def _repr_html_(self) -> str:
        columns = self.table_columns()
        if "short_name" in columns:
            others = {name: values for name, values in columns.items() if name not in _LONG_COLUMNS}
            columns = {"short_name": columns["short_name"], **others}
        count = len(self.table_rows())
        head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
        body = "".join(f"<tr>{''.join(_cell(values[row]) for values in columns.values())}</tr>" for row in range(min(count, MOST_ROWS)))
        more = f"<p>{count - MOST_ROWS} more rows</p>" if count > MOST_ROWS else ""
        return f"<p>{html.escape(self._headline())}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    def _headline(self) -> str:
        """Returns the sentence above the table in a notebook."""
        return str(getattr(self, "verdict_reason", None) or type(self).__name__)


def _plain_values(row: Any) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in dataclasses.fields(row):
        value = getattr(row, field.name)
        if dataclasses.is_dataclass(value):
            values |= {f"{field.name}.{name}": entry for name, entry in _plain_values(value).items()}
        elif isinstance(value, tuple):
            values |= {field.name: ", ".join(entry.name for entry in value)} if value and all(hasattr(entry, "name") for entry in value) else {}
        elif value is None or isinstance(value, (str, int, float, bool)):
            values[field.name] = value
    return values


def _cell(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else "" if value is None else str(value)
    return f"<td>{html.escape(text)}</td>"
