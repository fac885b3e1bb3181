#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The coarse clock of the fast tier against cycles of RTL that measure_clock.py has kept: the median of the errors, and each of them;
and the same cycles again, with any number of threads."""

import json
import statistics
import unittest

import clock_jobs
from measure_clock import FIGURES, errors

MEDIAN = 0.055  # of the errors, which are 0.035; the bar of fast.clock_error is 0.10
MOST = 0.17     # of one
# Of a job's first launch, whose code comes from memory: how long that takes depends on which lines of it lie together, and changes
# by 5 % of a short launch from build to build.
MOST_COLD = 0.25
HAIR = 40       # cycles that are no error, whatever part of a short launch they are
MODEL = "build/iss-cpe-run"


class Clock(unittest.TestCase):
    def test_against_rtl(self):
        rtl = json.loads(FIGURES.read_text())
        self.assertEqual(list(rtl), list(clock_jobs.JOBS), "measure_clock.py --write has not been run for all jobs")
        all_errors = []
        for name, job in clock_jobs.JOBS.items():
            with self.subTest(job=name):
                model = job(clock_jobs.Run(MODEL))
                found = errors(rtl[name], model)
                all_errors += map(abs, found)
                mosts = [MOST_COLD] + [MOST] * (len(found) - 1)
                for cycles, ours, error, most in zip(rtl[name], model, found, mosts, strict=True):
                    self.assertTrue(abs(error) <= most or abs(ours - cycles) <= HAIR, f"{ours} cycles, of {cycles} in RTL")
        self.assertLessEqual(statistics.median(all_errors), MEDIAN)

    def test_threads(self):
        for name in ("gemm", "attention", "examples/histogram"):
            with self.subTest(job=name):
                cycles = [clock_jobs.JOBS[name](clock_jobs.Run(MODEL, "--threads", threads)) for threads in (1, 2, 7)]
                self.assertEqual(cycles, cycles[:1] * 3)


if __name__ == "__main__":
    unittest.main()
