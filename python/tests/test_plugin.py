"""`pytest --crosslane`: programs on the driver API run, findings belong to their tests, correct tests pass."""

import importlib.util
import os
import shutil
import sys

import pytest

import crosslane

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux") or os.uname().machine != "x86_64", reason="the driver library needs Linux on x86-64")


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """The folder where the driver library is compiled once: pytester gives each test another home."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def compiler(monkeypatch, cache):
    if not any(shutil.which(c) for c in ("cc", "gcc", "clang")):
        assert not os.environ.get("CROSSLANE_REQUIRE_ORACLES"), "there is no C compiler"
        pytest.skip("there is no C compiler for the driver library")
    monkeypatch.setenv("CROSSLANE", crosslane.command_path())
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.delenv("CROSSLANE_PYTEST_FINDINGS", raising=False)


HOST = '''
import ctypes

TEXT = b"""
.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 p)
{
	.reg .b32 %r<4>; .reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r2, [%rd1];
	add.u32 %r2, %r2, 1;
	st.global.u32 [%rd1], %r2;
	ret;
}
"""


class Host:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.ok(self.cuda.cuInit(0))
        context, module, self.kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.ok(self.cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0))
        self.ok(self.cuda.cuModuleLoadData(ctypes.byref(module), TEXT))
        self.ok(self.cuda.cuModuleGetFunction(ctypes.byref(self.kernel), module, b"add"))

    def ok(self, status):
        assert status == 0, status

    def run(self, values, lanes, wait=True):
        n = len(values)
        data, p = (ctypes.c_uint32 * n)(*values), ctypes.c_uint64()
        self.ok(self.cuda.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(4 * n)))
        self.ok(self.cuda.cuMemcpyHtoD_v2(p, data, ctypes.c_size_t(4 * n)))
        args = (ctypes.c_void_p * 1)(ctypes.addressof(p))
        self.ok(self.cuda.cuLaunchKernel(self.kernel, 1, 1, 1, lanes, 1, 1, 0, None, args, None))
        if wait:
            self.ok(self.cuda.cuMemcpyDtoH_v2(data, p, ctypes.c_size_t(4 * n)))
            self.ok(self.cuda.cuMemFree_v2(p))
        return list(data)
'''

TESTS = '''
import pytest
from host import Host

host = None


@pytest.fixture(autouse=True)
def device():
    global host
    host = host or Host()


def test_right():
    assert host.run([1, 2, 3], 3) == [2, 3, 4]


def test_past_the_end():
    assert host.run([1, 2, 3], 4) == [1, 2, 3]


def test_past_the_end_again():
    assert host.run([1, 2, 3], 4) == [1, 2, 3]


def test_past_the_end_later():
    host.run([1, 2, 3], 4, wait=False)


def test_still_right():
    assert host.run([5], 1) == [6]


@pytest.mark.crosslane(allow=["out-of-bounds"])
def test_allowed():
    host.run([1, 2, 3], 4)


def test_own_failure():
    assert host.run([5], 1) == [7]
'''


@pytest.fixture
def project(pytester):
    pytester.makepyfile(host=HOST, test_project=TESTS)
    return pytester


def test_findings_of_tests(project):
    # --strict-markers: the marker is registered.
    r = project.runpytest_subprocess("--crosslane-check", "--strict-markers", "-v")
    assert r.ret == 1
    r.assert_outcomes(passed=3, failed=4)
    r.stdout.fnmatch_lines(
        [
            "crosslane: the CUDA driver is a device of Crosslane, with checks",
            "*::test_right PASSED*",
            "*::test_past_the_end FAILED*",
            "*::test_past_the_end_again FAILED*",
            "*::test_past_the_end_later FAILED*",
            "*::test_still_right PASSED*",
            "*::test_allowed PASSED*",
            "*::test_own_failure FAILED*",
            "*_ test_past_the_end _*",
            "Crosslane found errors in code that ran without a failure:",
            "*ld.global.u32: lane 3 of wave 0 *just past the end of *(12 bytes)*[[]out-of-bounds[]]",
            "*host.py:*was allocated here, in run",
            "*host.py:*it was launched here, in run",
            "*assert*",
            "crosslane: 4 errors in tests",
        ]
    )


def test_several_processes(project):
    """With pytest-xdist each process reports its own findings, and none is reported twice."""
    if importlib.util.find_spec("xdist") is None:
        assert not os.environ.get("CROSSLANE_REQUIRE_ORACLES"), "pytest-xdist is not installed"
        pytest.skip("pytest-xdist is not installed")
    r = project.runpytest_subprocess("--crosslane-check", "-n", "2", "-k", "not later and not own")
    r.assert_outcomes(passed=3, failed=2)
    r.stdout.fnmatch_lines(["FAILED *test_past_the_end*", "FAILED *test_past_the_end*"])
    assert "outside of tests" not in r.stdout.str()
    r.stdout.fnmatch_lines(["crosslane: 3 errors in tests"])


def test_without_checks(project):
    """Faults are found without checks, too."""
    r = project.runpytest_subprocess("--crosslane", "--crosslane-target=sm_80", "-k", "right or again")
    r.assert_outcomes(passed=2, failed=1, deselected=4)
    r.stdout.fnmatch_lines(["crosslane: the CUDA driver is a device of Crosslane (sm_80), without checks"])


def test_sticky(project):
    """As on hardware, calls after a fault fail; the tests say so themselves."""
    r = project.runpytest_subprocess("--crosslane", "--crosslane-sticky", "-k", "test_past_the_end or test_still_right")
    r.assert_outcomes(failed=4, deselected=3)
    r.stdout.fnmatch_lines(["E*AssertionError: 700"])


def test_right_project(project):
    r = project.runpytest_subprocess("--crosslane-check", "-k", "right")
    assert r.ret == 0
    r.assert_outcomes(passed=2, deselected=5)
    assert "errors in" not in r.stdout.str() and "exec:" not in r.stderr.str()


def test_not_asked(pytester):
    pytester.makepyfile("import os\ndef test_env():\n    assert 'CROSSLANE_SOCKET' not in os.environ\n")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_package_in_project(pytester):
    """Modules that crosslane.load loads are launched on the same server: their findings are seen, too."""
    import kernels

    pytester.makepyfile(
        f"""
import array, crosslane, pytest

mul = crosslane.load({kernels.SCALE!r})["mul"]

def test_right():
    a = array.array("I", range(4))
    mul(1, 32, a, 4)
    assert list(a) == [0, 3, 6, 9]

def test_caught():
    with pytest.raises(crosslane.Fault):
        mul(1, 32, array.array("I", range(4)), 5)
"""
    )
    r = pytester.runpytest_subprocess("--crosslane-check")
    r.assert_outcomes(passed=1, failed=1)
    r.stdout.fnmatch_lines(["*just past the end of*"])
    # A module that is to be checked is checked, also where the server does not check.
    pytester.makepyfile(
        f"""
import array, crosslane

def test_race():
    bad = crosslane.load({kernels.EXCHANGE_RACES!r}, check=True)["exchange"]
    assert bad(1, 64, array.array("I", bytes(256))).findings.errors
"""
    )
    pytester.runpytest_subprocess("--crosslane").assert_outcomes(passed=1)


def test_inside_a_program(pytester):
    """pytest.main cannot replace the program that called it."""
    pytester.makepyfile(test_x="def test_x(): pass")
    program = pytester.makepyfile(program="import pytest, sys; sys.exit(pytest.main(['--crosslane', 'test_x.py']))")
    r = pytester.runpython(program)
    assert r.ret == pytest.ExitCode.USAGE_ERROR
    r.stderr.fnmatch_lines(["*run pytest as a command*"])
