"""Tests of the soak's judgment, with samples in place of a run."""

import random
import unittest

import soak

# The figures of a flat run.
LEVELS = {"memory (MB)": 80, "descriptors": 36, "click p50 (ms)": 0.6, "click p99 (ms)": 4, "disk (MB)": 40}
LONG = soak.SHORT


def samples(figure=None, change=lambda share: 0, levels=LEVELS):
    """Returns the samples of a run with some noise, in which a figure changes with the part of the run that has passed."""
    noise = random.Random(1)
    return [
        {
            name: level * noise.uniform(0.98, 1.02) + (change(number / soak.SAMPLES) if name == figure else 0)
            for name, level in levels.items()
        }
        for number in range(soak.SAMPLES)
    ]


def bound(name):
    part, amount = soak.BOUNDS[name]
    return max(part * LEVELS[name], amount)


def grows_warm(amount):
    """A figure that grows by an amount after the warm-up, and steadily."""
    return lambda share: amount * max(0, share - soak.WARM) / (1 - soak.WARM)


class JudgmentTests(unittest.TestCase):
    def failures(self, *arguments, minutes=LONG):
        return soak.judge(samples(*arguments), minutes)[1]

    def test_the_levels_are_those_of_all_figures(self):
        self.assertEqual(list(LEVELS), list(soak.BOUNDS))

    def test_flat_figures_are_accepted(self):
        self.assertEqual(self.failures(), [])

    def test_a_figure_that_grows_by_more_than_its_bound_is_rejected(self):
        for name in soak.BOUNDS:
            with self.subTest(name):
                rejected = self.failures(name, grows_warm(1.5 * bound(name)))
                self.assertEqual(len(rejected), 1)
                self.assertTrue(rejected[0].startswith(f"{name} grew by "), rejected)

    def test_a_figure_that_grows_by_half_of_its_bound_is_accepted(self):
        for name in soak.BOUNDS:
            with self.subTest(name):
                self.assertEqual(self.failures(name, grows_warm(0.5 * bound(name))), [])

    def test_the_part_of_a_high_level_is_that_of_its_start(self):
        for name, (part, amount) in soak.BOUNDS.items():
            with self.subTest(name):
                level = 10 * amount / part
                for growth, count in ((0.8, 0), (1.25, 1)):
                    rejected = self.failures(name, grows_warm(growth * part * level), LEVELS | {name: level})
                    self.assertEqual(len(rejected), count, rejected)

    def test_growth_before_the_warm_part_is_accepted(self):
        self.assertEqual(self.failures("memory (MB)", lambda share: 1000 * min(share, soak.WARM)), [])

    def test_a_single_slow_sample_is_accepted(self):
        self.assertEqual(self.failures("click p99 (ms)", lambda share: 500 if 0.90 < share < 0.91 else 0), [])

    def test_a_short_run_has_wider_bounds_for_latencies(self):
        for name in soak.SHORT_BOUNDS:
            with self.subTest(name):
                slower = grows_warm(1.5 * bound(name))
                self.assertEqual(self.failures(name, slower, minutes=LONG / 2), [])
                self.assertEqual(len(self.failures(name, slower)), 1)


if __name__ == "__main__":
    unittest.main()
