"""The examples of docs/python.md run, and print what the page shows."""

import contextlib
import io
import re


def test_page(root, monkeypatch):
    monkeypatch.chdir(root)
    page = (root / "docs" / "python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```\n(?:\n^```text\n(.*?)^```)?", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 5
    space = {}
    for code, want in blocks:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, "docs/python.md", "exec"), space)
        assert out.getvalue() == want, code


def test_readme(root, monkeypatch, tmp_path):
    (tmp_path / "block_scan.ptx").write_bytes((root / "examples" / "ptx" / "block_scan.ptx").read_bytes())
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"^```python\n(.*?)^```", (root / "python" / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "README.md", "exec"), {})
    assert out.getvalue().startswith("no findings\nblock_scan_param_1[3] = 4 (0x4)\n")
