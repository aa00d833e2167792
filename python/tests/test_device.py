"""Devices: memory across launches, variables, streams, and the mistakes that checks find beside their correct twins."""

import kernels
import numpy as np
import pytest

import crosslane


@pytest.fixture
def device():
    with crosslane.Device("sm_80", check=True) as d:
        yield d


def test_memory_lives(device):
    m = device.load(kernels.SCALE)
    a = device.array(np.arange(32, dtype=np.uint32), name="numbers")
    for _ in range(3):
        assert m["mul"](1, 32, a, 32).findings == ()
    assert np.asarray(a).tolist() == [27 * i for i in range(32)]
    b = device.empty(32, np.uint32, name="copy")
    device.copy(b, a)
    assert b.read().tolist() == [27 * i for i in range(32)]
    b.fill(0x01020304, 4)
    assert b.read().tolist() == [0x01020304] * 32
    b.write(np.ones(32, np.uint32))
    assert b.read().sum() == 32
    scale = m.variable("scale")
    assert scale.read(np.uint32).tolist() == [3] and scale.nbytes == 4
    scale.write(np.array([10], np.uint32))
    assert m.variable("counter").read(np.uint32).tolist() == [5]
    m["mul"](1, 32, b, 2)
    assert b.read().tolist() == [10, 10] + [1] * 30
    assert device.memory[0] == 256
    a.free()
    b.free()
    assert device.close() == ()


def test_managed(device):
    m = device.load(kernels.SCALE)
    memory, host = device.managed(8, np.uint32)
    host[:] = range(8)
    assert m["mul"](1, 32, memory, 8).findings == ()
    assert host.tolist() == [3 * i for i in range(8)]
    memory.free()
    assert device.close() == ()


def test_undefined(device):
    mul = device.load(kernels.SCALE)["mul"]
    a = np.arange(8, dtype=np.uint32)
    assert mul(1, 32, a, 8).findings == ()
    found = mul(1, 32, crosslane.Out(a), 8).findings
    assert found.codes == ("poison-store",), found
    assert device.findings == found


def test_race():
    out = np.zeros(64, np.uint32)
    good = crosslane.load(kernels.EXCHANGE, check=True)["exchange"]
    assert good(1, 64, out).findings == ()
    assert out.tolist() == list(range(63, -1, -1))
    bad = crosslane.load(kernels.EXCHANGE_RACES, check=True, name="bad.ptx")["exchange"]
    found = bad(1, 64, out).findings
    race = found.errors[0]
    assert "race" in race.code and race.file == "bad.ptx" and race.steps
    assert "bad.ptx:" in str(found) and "<pre" in found._repr_html_()
    # Without check nothing is looked for.
    assert crosslane.load(kernels.EXCHANGE_RACES)["exchange"](1, 64, out).findings == ()


def test_callers(device):
    a = device.array(np.arange(8, dtype=np.uint32), name="numbers")
    a.free()
    with pytest.raises(crosslane.Error, match="freed before") as e:
        a.free()
    (f,) = e.value.findings
    assert f.code == "double-free" and f.file == __file__ and "freed" in str(f.steps)


def test_leak():
    d = crosslane.Device(check=True)
    d.array(np.arange(8, dtype=np.uint32), name="numbers")
    (f,) = d.close()
    assert f.code == "leak" and '"numbers" (32 bytes)' in f.message and f.file == __file__
    with pytest.raises(crosslane.Disconnected, match="closed"):
        d.empty(4)


def test_streams(device):
    mul = device.load(kernels.SCALE)["mul"]
    a = device.array(np.arange(8, dtype=np.uint32))
    one, two = device.stream(non_blocking=True), device.stream(non_blocking=True)
    device.synchronize()
    mul(1, 32, a, 8, stream=one)
    two.wait(one.record())
    assert mul(1, 32, a, 8, stream=two).findings == ()
    device.synchronize()
    mul(1, 32, a, 8, stream=one)
    assert "stream-race" in mul(1, 32, a, 8, stream=two).findings.codes
    e = one.record()
    e.synchronize()
    assert e.since(e) == 0
    e.close()
    two.close()
    device.synchronize()
    assert a.read().tolist() == [81 * i for i in range(8)]


def test_attributes():
    with crosslane.Device("sm_90") as d:
        assert (d.attribute(75), d.attribute(76), d.attribute(10), d.attribute(1000)) == (9, 0, 32, None)
        mul = d.load(kernels.SCALE)["mul"]
        assert mul.occupancy(1024) == 2
    with pytest.raises(crosslane.Disconnected, match="there is no device"):
        crosslane.Device("sm_12345")


def test_target_of_module():
    m = crosslane.load(kernels.SCALE.replace("sm_80", "sm_90a"))
    assert m.device.target == "sm_90"
    with pytest.raises(crosslane.LoadError, match="sm_90"):
        crosslane.load(kernels.SCALE.replace("sm_80", "sm_90a"), target="sm_80")
