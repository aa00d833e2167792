"""Findings, and the errors that carry them."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple


@dataclass(frozen=True)
class Step:
    """Another place that explains a finding."""

    message: str
    file: str = ""
    line: int = 0
    source: str = ""
    origin: bool = False
    """The place is the source line that the instruction was compiled from."""
    after: bool = False
    """The finding leads to this place."""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else ""
        return place + self.message


@dataclass(frozen=True)
class Finding:
    """One diagnostic: what is wrong, where, for which lanes, and what helps.

    `code` is stable, such as "undefined-source"; `crosslane explain CODE` has a page about it.
    """

    code: str
    message: str
    severity: str
    """"error", "warning" or "note"."""
    kind: str = "finding"
    """"finding", "input", "unsupported", "fault" or "timeout"."""
    file: str = ""
    line: int = 0
    column: int = 0
    source: str = ""
    lanes: Tuple[int, ...] = ()
    remedy: str = ""
    section: str = ""
    kernel: str = ""
    block: Optional[Tuple[int, int, int]] = None
    wave: Optional[int] = None
    steps: Tuple[Step, ...] = ()
    text: str = ""
    """The text that `crosslane check` prints."""
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """All members, as in the JSON form."""

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> "Finding":
        """Make a finding of a diagnostic in its JSON form."""
        block = d.get("block")
        return cls(
            code=d.get("code", ""),
            message=d.get("message", ""),
            severity=d.get("severity", "error"),
            kind=d.get("class", "finding"),
            file=d.get("file", ""),
            line=d.get("line", 0),
            column=d.get("column", 0),
            source=d.get("source", ""),
            lanes=lanes_of(d.get("lanes", "")),
            remedy=d.get("remedy", ""),
            section=d.get("section", ""),
            kernel=d.get("kernel", ""),
            block=(block[0], block[1], block[2]) if block else None,
            wave=d.get("wave"),
            steps=tuple(
                Step(r.get("message", ""), r.get("file", ""), r.get("line", 0), r.get("source", ""), bool(r.get("origin")), bool(r.get("after")))
                for r in d.get("related", ())
            ),
            text=d.get("text") or _plain(d),
            data=dict(d),
        )

    def __str__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_html_(self) -> str:
        color = {"error": "#b3261e", "warning": "#8a5a00"}.get(self.severity, "#3a5f8a")
        first, _, rest = str(self).partition("\n")
        return (
            f'<div style="border-left:3px solid {color};padding-left:8px;margin:6px 0">'
            f'<pre style="margin:0;white-space:pre-wrap"><b style="color:{color}">{html.escape(first)}</b>\n{html.escape(rest)}</pre></div>'
        )


def _plain(d: Mapping[str, Any]) -> str:
    place = f"{d['file']}:{d['line']}: " if d.get("line") else ""
    out = f"{place}{d.get('severity', 'error')}: {d.get('message', '')} [{d.get('code', '')}]\n"
    if d.get("remedy"):
        out += f"  remedy: {d['remedy']}\n"
    return out


def lanes_of(text: str) -> Tuple[int, ...]:
    """Return the numbers of lanes in a text such as "4-19, 24"."""
    out: List[int] = []
    for low, high in re.findall(r"(\d+)(?:-(\d+))?", text):
        out.extend(range(int(low), int(high or low) + 1))
    return tuple(out)


class Findings(Tuple[Finding, ...]):
    """A tuple of findings that prints as `crosslane check` does."""

    @property
    def errors(self) -> "Findings":
        """The findings of severity "error"."""
        return Findings(f for f in self if f.severity == "error")

    @property
    def codes(self) -> Tuple[str, ...]:
        """The codes, in the order of the findings."""
        return tuple(f.code for f in self)

    def of(self, code: str) -> "Findings":
        """Return the findings of a code."""
        return Findings(f for f in self if f.code == code)

    def __str__(self) -> str:
        return "\n".join(map(str, self)) if self else "no findings"

    def __repr__(self) -> str:
        return f"<{len(self)} findings: {', '.join(self.codes)}>" if self else "<no findings>"

    def _repr_html_(self) -> str:
        return "".join(f._repr_html_() for f in self) if self else "<p>no findings</p>"


class Error(Exception):
    """A call that failed. `findings` says why; `status` is the number of the driver API, or 0."""

    def __init__(self, message: str, findings: Iterable[Finding] = (), status: int = 0) -> None:
        super().__init__(message)
        self.findings = Findings(findings)
        self.status = status


class LoadError(Error):
    """A module that cannot be loaded."""


class LaunchError(Error):
    """A launch that does not fit the kernel or the device."""


class Fault(Error):
    """A kernel that trapped, faulted, deadlocked or ran too long."""


class Disconnected(Error):
    """The server has ended, or the connection belongs to another process."""


def of_json(list_: Iterable[Dict[str, Any]]) -> Findings:
    """Return the findings of a list in the JSON form."""
    return Findings(map(Finding.from_json, list_))
