"""How values came about, and pictures."""

import kernels
import numpy as np
import pytest

import crosslane


def test_why(block_scan):
    scan = crosslane.load(block_scan)["block_scan"]
    x, out = np.ones(1024, np.int32), np.zeros(1024, np.int32)
    w = scan.why(4, 256, x, out, 1024, at=(1, 3))
    assert str(w).startswith("block_scan_param_1[3] = 4 (0x4)")
    assert "in" not in w.data["at"] and w.data["schema"] == "crosslane.why/1"
    assert w.svg.startswith("<svg") and w._repr_svg_() == w.svg and "<svg" in w._repr_html_()
    assert w.findings == () and out.sum() == 0
    scan.names = ["in", "out", "n"]
    assert scan.why(4, 256, x, out, 1024, at="out[3]", depth=3).text.startswith("out[3] = 4")
    assert "shfl.sync.up" in str(crosslane.why(scan, 4, 256, x, out, 1024, at=49, lane=3))
    with pytest.raises(crosslane.Error, match="1024"):
        scan.why(4, 256, x, out, 1024, at=(1, 1024))
    with pytest.raises(TypeError, match="argument 2 is no array"):
        scan.why(4, 256, x, out, 1024, at=(2, 0))


def test_why_of_text():
    k = crosslane.load(kernels.NUMBERS)["numbers"]
    out = np.zeros(12, np.float32)
    args = (out, -3, 65535, -1, 2**64 - 1, 1.5, float("inf"), 2.5, bytes(8) + np.float32(7.5).tobytes())
    assert k.why(1, 1, *args, at=(0, 6)).text.startswith("out[6] = 1.5")
    assert k.why(1, 1, *args, at=(0, 10)).text.startswith("out[10] = 2.5")
    assert k.why(1, 1, *args, at=(0, 11)).text.startswith("out[11] = 7.5")
    mul = crosslane.load(kernels.SCALE)["mul"]
    with crosslane.Device() as d:
        a = d.array(np.arange(8, dtype=np.uint32))
        assert d.load(kernels.SCALE)["mul"].why(1, 32, a, 8, at=(0, 2)).text.startswith("p[2] = 6")
    b = np.arange(8, dtype=np.uint32)
    b.flags.writeable = False
    assert "p[7] = 7" in mul.why(1, 32, b, 8, at="p[7]").text


def test_process():
    """The way of systems where processes share no memory: each launch is a run of the command."""
    from crosslane._process import ProcessModule

    def load(text, check=False):
        return ProcessModule((text.encode(), None, "k.ptx"), check, 60)

    mul = load(kernels.SCALE)["mul"]
    a = np.arange(8, dtype=np.uint32)
    mul(1, 32, a, 8)
    assert a.tolist() == [3 * i for i in range(8)]
    with pytest.raises(crosslane.Fault, match="out-of-bounds"):
        mul(1, 32, a, 9)
    assert "p[2] = 18" in mul.why(1, 32, a, 8, at=(0, 2)).text
    with pytest.raises(crosslane.LaunchError, match="2000"):
        mul(1, 2000, a, 8)
    out = np.zeros(64, np.uint32)
    assert load(kernels.EXCHANGE, True)["exchange"](1, 64, out).findings == ()
    assert out.tolist() == list(range(63, -1, -1))
    assert load(kernels.EXCHANGE_RACES, True)["exchange"](1, 64, out).findings.errors
    with pytest.raises(crosslane.LoadError, match="frob"):
        load(kernels.HEAD + ".entry k() { frob; }\n")


FILL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry fill(.param .u64 p)
{
	.reg .b32 %i;
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [p];
	mov.u32 %i, %tid.x;
	mul.wide.u32 %rd2, %i, 4;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %i;
	ret;
}
"""


def test_why_knows_undefined_bits_of_earlier_launches():
    with crosslane.Device(check=True) as d:
        a = d.empty(8, np.uint32)
        mul = d.load(kernels.SCALE)["mul"]
        assert ", undefined" in mul.why(1, 32, a, 8, at=(0, 2)).text  # nothing was written
        d.load(FILL)["fill"](1, 4, a)
        assert mul.why(1, 32, a, 8, at=(0, 2)).text.startswith("p[2] = 6")
        assert ", undefined" not in mul.why(1, 32, a, 8, at=(0, 2)).text
        assert ", undefined" in mul.why(1, 32, a, 8, at=(0, 6)).text
        assert not [f for f in d.findings if f.code == "undefined-copy"], "the question is no copy of the program"
        a.write(np.arange(8, dtype=np.uint32))
        assert ", undefined" not in mul.why(1, 32, a, 8, at=(0, 6)).text
