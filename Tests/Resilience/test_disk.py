"""Tests of the disk that loses power, with Python as the process that uses it."""

import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import disk

WRITES = """
import os
os.mkdir(FOLDER + "/data")
file = os.open(FOLDER + "/data/file", os.O_RDWR | os.O_CREAT)
os.pwrite(file, b"a" * 2048, 0)
"""
SYNCHRONIZES = """
for path in (FOLDER, FOLDER + "/data"):
    os.fsync(os.open(path, os.O_RDONLY))
os.fsync(file)
"""
OVERWRITES = 'os.pwrite(file, b"b" * 2048, 1024)\n'


class Chances:
    """Draws the given chance that a change reaches the disk; otherwise like `random.Random`."""

    def __init__(self, chance, seed=0):
        self.chance, self.source = chance, random.Random(seed)
        self.random, self.randint = self.source.random, self.source.randint

    def choice(self, chances):
        assert self.chance in chances
        return self.chance


class DiskTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tools = tempfile.TemporaryDirectory()
        cls.library = disk.compile_library("disk.c", cls.tools.name)

    @classmethod
    def tearDownClass(cls):
        cls.tools.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_on_disk(self, program, breaks_sync=False, kill=None):
        """Runs a program on a disk with a record, and returns the disk."""
        used = disk.Disk(self.library, Path(self.folder.name, "d"), records=True, breaks_sync=breaks_sync)
        command = [sys.executable, "-c", f"FOLDER = {str(used.root)!r}\n{program}"]
        self.status = subprocess.run(command, env=used.environment(kill), check=False).returncode
        return used

    def content(self, used):
        path = used.data / "file"
        return path.read_bytes() if path.exists() else None

    def test_a_folder_without_synchronization_is_lost(self):
        used = self.run_on_disk(WRITES)
        used.lose_power(Chances(0))
        self.assertEqual(list(used.root.iterdir()), [])

    def test_what_reached_the_disk_is_kept(self):
        used = self.run_on_disk(WRITES + OVERWRITES)
        used.lose_power(Chances(1))
        self.assertEqual(self.content(used), b"a" * 1024 + b"b" * 2048)

    def test_only_changes_after_the_synchronization_are_lost(self):
        used = self.run_on_disk(WRITES + SYNCHRONIZES + OVERWRITES)
        used.lose_power(Chances(0))
        self.assertEqual(self.content(used), b"a" * 2048)

    def test_a_broken_synchronization_keeps_nothing(self):
        used = self.run_on_disk(WRITES + SYNCHRONIZES, breaks_sync=True)
        used.lose_power(Chances(0))
        self.assertEqual(list(used.root.iterdir()), [])

    def test_a_torn_write_consists_of_whole_sectors(self):
        seen = set()
        used = self.run_on_disk(WRITES + SYNCHRONIZES + OVERWRITES)
        record, full = used.record.read_bytes(), self.content(used)
        for seed in range(100):
            (used.data / "file").write_bytes(full)
            used.record.write_bytes(record)
            used.lose_power(Chances(0.5, seed))
            content = self.content(used)
            for start in range(0, len(content), disk.SECTOR):
                self.assertIn(content[start : start + disk.SECTOR], {bytes([c]) * disk.SECTOR for c in b"ab\0"})
            seen.add(content)
        self.assertIn(full, seen)
        self.assertIn(b"a" * 2048, seen)
        self.assertGreater(len(seen), 4)

    def test_a_shortened_and_a_removed_file_return(self):
        for change in ("os.ftruncate(file, 10)", 'os.unlink(FOLDER + "/data/file")'):
            with self.subTest(change):
                used = self.run_on_disk(WRITES + SYNCHRONIZES + change)
                used.lose_power(Chances(0))
                self.assertEqual(self.content(used), b"a" * 2048)
                self.folder.cleanup()

    def test_a_renamed_file_has_its_first_name_again(self):
        used = self.run_on_disk(WRITES + SYNCHRONIZES + 'os.rename(FOLDER + "/data/file", FOLDER + "/data/other")')
        used.lose_power(Chances(0))
        self.assertEqual(self.content(used), b"a" * 2048)

    def test_the_process_is_killed_at_the_given_operation(self):
        sizes = []
        for mode in ("before", "torn", "after"):
            used = self.run_on_disk(WRITES, kill=(2, mode))
            self.assertEqual(self.status, -9)
            sizes.append(len(self.content(used)))
            self.folder.cleanup()
        self.assertEqual(sizes, [0, 1024, 2048])


if __name__ == "__main__":
    unittest.main()
