"""Compares the outcomes of tests with the failures that are expected, each with its reason. See numba.sh."""
import sys

# The reasons of failures. Tests with the first four are not counted.
REASONS = {
    "text": "compares text or machine code of a compiler",
    "library": "needs a library or a tool that is not there",
    "versions": "fails on any device with these versions of numba and numba-cuda",
    "mistake": "has a mistake that Crosslane reports",
    "crosslane": "needs something that Crosslane lacks",
}


def main(expected_file, outcomes_file):
    expected = {}
    for line in open(expected_file):
        line = line.split(None, 1) if not line.startswith("#") else []
        if line:
            expected[line[1].strip()] = line[0]
            assert line[0] in REASONS, line
    outcomes = dict(line.rstrip("\n").split(" ", 1)[::-1] for line in open(outcomes_file))
    failed = {name for name, outcome in outcomes.items() if outcome == "failed"}
    passed = {name for name, outcome in outcomes.items() if outcome == "passed"}
    for name in sorted(failed):
        if name not in expected:
            print("fails:", name)
    for name in sorted(passed & expected.keys()):
        print("passes, although a failure is expected:", name)
    counted = [name for name in failed if expected.get(name) in (None, "crosslane")]
    total = len(passed) + len(counted)
    print(f"{len(passed)} of {total} tests pass ({100 * len(passed) / max(total, 1):.1f} %); {len(outcomes) - len(passed) - len(failed)} are skipped.")
    for reason, text in REASONS.items():
        n = sum(expected.get(name) == reason for name in failed)
        if n:
            print(f"{n} of the failures: the test {text}" + ("." if reason == "crosslane" else "; not counted."))
    return 1 if failed - expected.keys() else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
