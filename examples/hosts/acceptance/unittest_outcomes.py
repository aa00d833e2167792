"""Runs the tests of a module by unittest and notes the outcome of each in $NUMBA_OUTCOMES. See debian_numba.sh."""
import faulthandler
import os
import signal
import sys
import unittest

LIMIT = 120  # seconds for a test


class Result(unittest.TextTestResult):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.outcomes = {}

    def startTest(self, test):
        super().startTest(test)
        signal.alarm(LIMIT)

    def stopTest(self, test):
        signal.alarm(0)
        super().stopTest(test)

    def note(self, test, outcome):
        name = test.id().removeprefix("numba.cuda.tests.")
        if self.outcomes.get(name) != "failed":
            self.outcomes[name] = outcome

    def addSuccess(self, test):
        super().addSuccess(test)
        self.note(test, "passed")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.note(test, "failed")

    def addError(self, test, err):
        super().addError(test, err)
        self.note(test, "failed")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.note(test, "skipped")

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.note(test, "passed")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.note(test, "failed")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.note(test, "failed")


def late(*_):
    raise TimeoutError(f"the test has run for {LIMIT} seconds")


def main(module):
    faulthandler.enable()
    signal.signal(signal.SIGALRM, late)
    suite = unittest.defaultTestLoader.loadTestsFromName(module)
    result = unittest.TextTestRunner(verbosity=2, resultclass=Result).run(suite)
    with open(os.environ["NUMBA_OUTCOMES"], "a") as f:
        for name, outcome in result.outcomes.items():
            print(outcome, name, file=f)


if __name__ == "__main__":
    main(sys.argv[1])
