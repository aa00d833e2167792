"""A pytest plugin for the tests in the wheel of numba-cuda. It notes the outcome of each test in $NUMBA_OUTCOMES.

The wheel holds neither the conftest file of its tests nor numba/__init__.py. Without the plugin pytest calls the modules
cuda.tests.*, and the processes that tests start cannot import them.
"""
import importlib
import os

import pytest

outcomes = {}


def dotted(path):
    """Returns the name of a module: numba.cuda.tests.cudapy.test_sm."""
    parts = path.with_suffix("").parts
    return ".".join(parts[len(parts) - 1 - parts[::-1].index("numba"):])


class Module(pytest.Module):
    def _getobj(self):
        return importlib.import_module(dotted(self.path))


def pytest_pycollect_makemodule(module_path, parent):
    return Module.from_parent(parent, path=module_path)


def pytest_collect_directory(path, parent):
    return pytest.Dir.from_parent(parent, path=path)


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    request.cls._dump_failed_filechecks = False


def pytest_runtest_logreport(report):
    # A test has failed if a phase or a subtest has. It is skipped if no phase has failed and one was skipped.
    name = report.nodeid.split("/tests/")[-1]
    if report.failed or name not in outcomes:
        outcomes[name] = report.outcome
    elif report.outcome == "skipped" and outcomes[name] == "passed" and report.when in ("setup", "call"):
        outcomes[name] = "skipped"


def pytest_collectreport(report):
    if report.failed:
        outcomes[report.nodeid.split("/tests/")[-1]] = "failed"


def pytest_sessionfinish():
    with open(os.environ["NUMBA_OUTCOMES"], "a") as f:
        for name, outcome in outcomes.items():
            print(outcome, name, file=f)
