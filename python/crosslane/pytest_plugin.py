"""The plugin of pytest: `pytest --crosslane` runs a project's tests with Crosslane's driver library.

Tests that use the CUDA driver API, through Numba, Triton, CuPy or code of their own, then run without a GPU. With
`--crosslane-check` every launch and every copy is checked. A test fails if a finding of severity "error" was made during
it, and the report shows the finding.

The driver library has to be in place when a process starts. So the plugin replaces the process by
`crosslane exec -- python -m pytest ...`, and reads the findings from a file that the server writes.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import tempfile
from typing import Any, Dict, Generator, List, Optional

import pytest

from ._command import command_path
from ._findings import Finding

_FILE = "CROSSLANE_PYTEST_FINDINGS"
"""The variable that names the file of the findings. It is set in processes that run on Crosslane."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    g = parser.getgroup("crosslane", "GPU code on Crosslane")
    g.addoption("--crosslane", action="store_true", help="run the tests on a device of Crosslane, without a GPU")
    g.addoption("--crosslane-check", action="store_true", help="also check every launch and every copy; errors fail the test")
    g.addoption("--crosslane-target", metavar="NAME", help="the device, such as sm_80")
    g.addoption("--crosslane-sticky", action="store_true", help="let all calls after a fault fail, as on hardware; else the fault is reported and the program goes on")
    g.addoption("--crosslane-option", action="append", default=[], metavar="OPTION", help="an option for crosslane exec, such as --crosslane-option=--first=3")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and, in a process that runs on Crosslane, what reads the findings."""
    config.addinivalue_line("markers", "crosslane(allow=[...]): findings with these codes do not fail the test")
    if _wanted(config.option):
        config.pluginmanager.register(Reporter(config, os.environ[_FILE]), "crosslane-reporter")


def _wanted(options: Any) -> bool:
    return bool(options.crosslane or options.crosslane_check)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: List[str]) -> None:
    """Start pytest again on Crosslane, before any module of the project is imported."""
    options = early_config.known_args_namespace
    if not _wanted(options) or os.environ.get(_FILE):
        return
    if not sys.platform.startswith("linux"):
        raise pytest.UsageError("--crosslane needs Linux, where the driver library shares memory with Crosslane")
    try:
        command = command_path()
    except FileNotFoundError as e:
        raise pytest.UsageError(f"--crosslane: {e}") from None
    again = _again(early_config)
    handle, file = tempfile.mkstemp(prefix="crosslane-pytest-", suffix=".jsonl")
    os.close(handle)
    arguments = [command, "exec", "--reporter", f"--jsonl={file}", "--force"]
    if options.crosslane_check:
        arguments.append("--check")
    if options.crosslane_target:
        arguments.append(f"--device={options.crosslane_target}")
    if not options.crosslane_sticky:
        arguments.append("--keep-going")
    capture = early_config.pluginmanager.getplugin("capturemanager")
    if capture is not None:
        capture.stop_global_capturing()  # else the new process would write into a file that is gone
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(command, [*arguments, *options.crosslane_option, "--", *again], {**os.environ, _FILE: file})


def _again(config: pytest.Config) -> List[str]:
    """Return the command that runs this process again."""
    arguments = list(map(str, config.invocation_params.args))
    if arguments != sys.argv[1:]:
        raise pytest.UsageError("--crosslane replaces the process: run pytest as a command, or run this program with `crosslane exec`")
    if hasattr(sys, "orig_argv"):
        return [sys.executable, *sys.orig_argv[1:]]
    module = os.path.basename(sys.argv[0]) == "__main__.py"
    return [sys.executable, *(["-m", "pytest"] if module else [sys.argv[0]]), *arguments]


class Reporter:
    """Reads the findings of a process and gives them to its tests."""

    def __init__(self, config: pytest.Config, file: str) -> None:
        self.config = config
        self.file = file
        self.at = 0
        # With several processes (pytest-xdist) each one takes its own findings.
        self.worker = hasattr(config, "workerinput")
        self.count: Dict[str, int] = {}
        self.outside: List[Finding] = []
        self.workers: List[int] = []

    def pytest_report_header(self) -> str:
        """Say in the first lines what the tests run on."""
        o = self.config.option
        how = "with checks" if o.crosslane_check else "without checks"
        return f"crosslane: the CUDA driver is a device of Crosslane{' (' + o.crosslane_target + ')' if o.crosslane_target else ''}, {how}"

    def fresh(self) -> List[Finding]:
        """Return the findings since the call before."""
        try:
            with open(self.file, "rb") as f:
                f.seek(self.at)
                data = f.read()
        except OSError:
            return []
        data = data[: data.rfind(b"\n") + 1]
        self.at += len(data)
        out = []
        for line in data.splitlines():
            d = json.loads(line)
            if not self.worker or d.get("pid") == os.getpid():
                out.append(Finding.from_json(d))
        return out

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        """Set aside what was found between tests, such as by modules that are imported."""
        self.outside += self.fresh()
        return (yield)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: "pytest.CallInfo[None]") -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add the findings to the report of a phase. Errors make it fail."""
        report = yield
        _synchronize()
        found = self.fresh()
        if not found:
            return report
        allowed: List[str] = []
        for mark in item.iter_markers("crosslane"):
            allowed += mark.kwargs.get("allow", [])
        for f in found:
            self.count[f.severity] = self.count.get(f.severity, 0) + 1
        errors = [f for f in found if f.severity == "error" and f.code not in allowed]
        text = "\n".join(_once(found))
        if report.passed and errors:
            report.outcome = "failed"
            report.longrepr = "Crosslane found errors in code that ran without a failure:\n" + "\n".join(_once(errors))
            report.crosslane = errors[0].code  # type: ignore[attr-defined]
            others = [f for f in found if f not in errors]
            text = "\n".join(_once(others))
        if text:
            report.sections.append(("Crosslane", text))
        report.user_properties.append(("crosslane", ", ".join(sorted({f.code for f in found}))))
        return report

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: Any) -> None:
        """Receive what a process of pytest-xdist has counted."""
        told = getattr(node, "workeroutput", {}).get("crosslane")
        if told:
            self.workers.append(told["pid"])
            for severity, n in told["count"].items():
                self.count[severity] = self.count.get(severity, 0) + n

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Read what was found after the last test."""
        self.outside += self.fresh()
        if self.worker:
            self.config.workeroutput["crosslane"] = {"pid": os.getpid(), "count": self.count}  # type: ignore[attr-defined]
            return
        # The processes of pytest-xdist have reported their own.
        self.outside = [f for f in self.outside if f.data.get("pid") not in self.workers]
        try:
            os.unlink(self.file)
        except OSError:
            pass

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Show the findings that belong to no test, and how many there are."""
        if self.outside:
            terminalreporter.section("Crosslane: findings outside of tests")
            for text in _once(self.outside):
                terminalreporter.write_line(text)
        if self.count:
            many = ", ".join(f"{n} {s}{'s' if n > 1 else ''}" for s, n in sorted(self.count.items()))
            terminalreporter.write_line(f"crosslane: {many} in tests")


def _once(found: List[Finding]) -> List[str]:
    """Return the texts of findings; one that occurs again is counted."""
    times: Dict[str, int] = {}
    for f in found:
        times[str(f)] = times.get(str(f), 0) + 1
    return [text if n == 1 else f"{text}\n  ({n} times)" for text, n in times.items()]


_driver: Optional[Any] = None


def _synchronize() -> None:
    """Wait for the launches of this process, so that their findings belong to the test that made them."""
    global _driver
    if _driver is None:
        try:
            _driver = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        except OSError:
            return  # nothing has loaded it
    _driver.cuCtxSynchronize()
