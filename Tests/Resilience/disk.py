"""A disk that can lose power: builds disk.c, reads its record, and undoes changes that were not synchronized."""

import os
import shutil
import struct
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ENTRY = struct.Struct("<6Q")
WRITE, TRUNCATE, SYNCHRONIZE, CREATE, RENAME, REMOVE = range(1, 7)
SECTOR = 512


def compile_library(source, folder):
    """Compiles a library for LD_PRELOAD with the system's C compiler, or with the Swift toolchain's."""
    if sys.platform != "linux":
        sys.exit("LD_PRELOAD and /proc are required: this test runs on Linux only")
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        sys.exit("a C compiler is required: install gcc or clang")
    source = Path(__file__).with_name(source)
    library = Path(folder, source.stem).with_suffix(".so")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", library, source, "-ldl", "-lpthread"], check=True
    )
    return library.resolve()


class Disk:
    """A folder whose changes are recorded while a process runs.

    A power loss keeps the order of changes to names in a folder, as journaling file systems do. Changes to bytes have no order.
    """

    def __init__(self, library, folder, records=False, breaks_sync=False):
        self.library = library
        self.folder = Path(folder).resolve()
        self.root = self.folder / "disk"
        self.saved = self.folder / "saved"
        self.record = self.folder / "record"
        self.records = records
        self.breaks_sync = breaks_sync
        self.root.mkdir(parents=True)
        self.saved.mkdir()

    @property
    def data(self):
        """The data folder of the service, which creates it."""
        return self.root / "data"

    def environment(self, kill=None):
        """Variables for a process that uses the disk.

        `kill` is the number of a change or synchronization, and "before", "torn", or "after".
        """
        values = {"LD_PRELOAD": str(self.library), "PCM_DISK_FOLDER": str(self.root)}
        if self.records:
            values |= {"PCM_DISK_RECORD": str(self.record), "PCM_DISK_SAVED": str(self.saved)}
        if self.breaks_sync:
            values["PCM_DISK_BREAK_SYNC"] = "1"
        if kill:
            values["PCM_DISK_KILL"] = "{}:{}".format(*kill)
        return values

    def keep_everything(self):
        """Forgets the record, as if everything had been synchronized."""
        self.record.unlink(missing_ok=True)
        for path in self.saved.iterdir():
            path.unlink()

    def lose_power(self, random):
        """Returns the folder to a state that a power loss could have left. Returns the numbers of lost and kept changes."""
        changes, names = pending_changes(self.record.read_bytes() if self.record.exists() else b"")
        places = {path.stat().st_ino: path for path in [self.root, *self.root.rglob("*")]}
        lost = kept = 0
        # Either nothing, everything, or a random part of it reached the disk.
        chance = random.choice([0, 0.1, 0.5, 0.9, 1])
        for inode, entries in changes.items():
            if inode in places:
                fates = [draw_fate(entry, chance, random) for entry in entries]
                places[inode].write_bytes(surviving_bytes(places[inode].read_bytes(), entries, fates))
                lost += fates.count("lost")
                kept += len(fates) - fates.count("lost")
        for inode, entries in names.items():
            # A folder may have lost its own name.
            if inode in places and places[inode].exists():
                count = random.randint(0, len(entries)) if 0 < chance < 1 else int(chance) * len(entries)
                for entry in reversed(entries[count:]):
                    self.undo_name(places[inode], entry)
                lost += len(entries) - count
                kept += count
        for path in self.root.rglob("*-shm"):
            path.unlink()
        self.keep_everything()
        return lost, kept

    def undo_name(self, folder, entry):
        kind, name, second = entry[0], entry[3].decode(), entry[4].decode()
        path = folder / name
        if kind == CREATE and path.is_dir():
            shutil.rmtree(path)
        elif kind == CREATE:
            path.unlink(missing_ok=True)
        elif kind == RENAME and (folder / second).exists():
            os.rename(folder / second, path)
        elif kind == REMOVE and not path.exists():
            os.link(self.saved / second, path)


def read_record(record):
    """Yields the inode and the entry: kind, offset, size before the change, and the two byte strings.

    The last entry may be cut off when the process was killed, and its change did not happen.
    """
    position = 0
    while position + ENTRY.size <= len(record):
        kind, inode, offset, size, first, second = ENTRY.unpack_from(record, position)
        position += ENTRY.size
        if position + first + second > len(record):
            return
        middle = position + first
        yield inode, (kind, offset, size, record[position:middle], record[middle : middle + second])
        position = middle + second


def pending_changes(record):
    """Returns the changes to bytes and to names after the last synchronization of each file and folder."""
    changes, names = defaultdict(list), defaultdict(list)
    for inode, entry in read_record(record):
        if entry[0] == SYNCHRONIZE:
            changes.pop(inode, None)
            names.pop(inode, None)
        elif entry[0] in (WRITE, TRUNCATE):
            changes[inode].append(entry)
        else:
            names[inode].append(entry)
    return changes, names


def draw_fate(entry, chance, random):
    """Returns "kept", "lost", or the sectors of a torn write that reached the disk."""
    if 0 < chance < 1 and entry[0] == WRITE and len(entry[4]) > SECTOR and random.random() < 0.2:
        first, last = entry[1] // SECTOR, (entry[1] + len(entry[4]) - 1) // SECTOR
        return {sector for sector in range(first, last + 1) if random.random() < 0.5}
    return "kept" if random.random() < chance else "lost"


def surviving_bytes(content, entries, fates):
    """Undoes all changes, the last one first, and repeats the changes that reached the disk."""
    image = bytearray(content)
    for _, offset, size, before, _ in reversed(entries):
        image[offset : offset + len(before)] = before
        del image[size:]
    for (kind, offset, _, _, after), fate in zip(entries, fates):
        if fate == "lost":
            continue
        if kind == TRUNCATE:
            del image[offset:]
            image.extend(bytes(offset - len(image)))
        elif fate == "kept":
            put(image, offset, after)
        else:
            put_sectors(image, offset, after, fate)
    return bytes(image)


def put(image, offset, content):
    image.extend(bytes(max(0, offset - len(image))))
    image[offset : offset + len(content)] = content


def put_sectors(image, offset, content, sectors):
    for sector in sectors:
        start, end = max(offset, sector * SECTOR), min(offset + len(content), (sector + 1) * SECTOR)
        put(image, start, content[start - offset : end - offset])
