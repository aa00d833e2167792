#!/usr/bin/env python3
"""Compares the symbols that real binaries import from libamdhip64 with Crosslane's.

Usage: python3 hip_symbols.py FILE...

FILE is a wheel, a shared library or a program. The names that Crosslane exports, with their versions, are those of
internal/driver/hip; a name without a definition in the C source there is a stub, which returns 801. For each binary the
script prints how many names it imports, those that are missing, and those that are stubs. The exit status is 1 if a name
or its version is missing. The command readelf is needed (binutils).
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

source = pathlib.Path(__file__).resolve().parents[3] / "internal/driver/hip"
libraries = re.compile(r"\[libamdhip64\.so[.\d]*\]")
definition = re.compile(r'^(?:HIP|HIP_TEXT)\((\w+)\)|^__attribute__\(\((?:weak, )?visibility\("default"\)\)\) [^(]*?(\w+)\(', re.M)


def own():
    """Returns the names that Crosslane exports, as name@version, and the names that it defines."""
    exported, defined = set(), set()
    for names in source.glob("*names.txt"):
        for line in names.read_text().splitlines():
            version, name = line.split()
            exported.add(f"{name}@{version}")
    for file in (source / "src").glob("*.[ch]"):
        defined.update(a or b for a, b in definition.findall(file.read_text()))
    return exported, defined


def imported(file):
    """Returns the libraries of HIP that an ELF file needs, and the names that it imports from them, as name@version."""
    def readelf(*options):
        return subprocess.run(["readelf", "-W", *options, file], capture_output=True, text=True, errors="replace").stdout

    needed = sorted({m[0].strip("[]") for m in libraries.finditer(readelf("-d"))})
    symbols = set()
    for line in readelf("--dyn-syms").splitlines():
        name = line.split()[7] if " UND " in line and len(line.split()) > 7 else ""
        if re.fullmatch(r"(__hip|hip[A-Z]|hiprtc|_Z\d+hip)\w*@(hip_|amdhip)[\w.]+", name):
            symbols.add(name)
    return needed, symbols


def main(files):
    exported, defined = own()
    total, missing, stubs = set(), set(), set()
    with tempfile.TemporaryDirectory() as work:
        for file in map(pathlib.Path, files):
            members = [file]
            if zipfile.is_zipfile(file):
                folder = pathlib.Path(work, file.name)
                with zipfile.ZipFile(file) as z:
                    z.extractall(folder, [n for n in z.namelist() if ".so" in n])
                members = sorted(p for p in folder.rglob("*") if p.is_file())
            for member in members:
                needed, symbols = imported(member)
                if not symbols:
                    continue
                lacks = sorted(symbols - exported)
                empty = sorted(s for s in symbols if s.split("@")[0] not in defined)
                print(f"{file.name}: {member.name}: needs {', '.join(needed) or 'none by name'}; {len(symbols)} names, {len(lacks)} missing, {len(empty)} stubs")
                for name in lacks:
                    print(f"  missing: {name}")
                for name in empty:
                    print(f"  stub: {name}")
                total |= symbols
                missing |= set(lacks)
                stubs |= set(empty)
    print(f"{len(total)} names in all, {len(missing)} missing, {len(stubs)} stubs")
    return 1 if missing or not total else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
