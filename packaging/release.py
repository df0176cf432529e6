"""Collects the files of a release: release.py PACKAGES WEBSITE OUTPUT

Writes to OUTPUT/VERSION, and prints that folder. The version is the archive's. The same packages result in the same files.
"""

import gzip
import hashlib
import pathlib
import re
import shutil
import sys
import tarfile

packages, website, output = (pathlib.Path(word) for word in sys.argv[1:4])
changelog = pathlib.Path(__file__).resolve().parents[1] / "CHANGELOG.md"


def only(folder, pattern):
    found = list(folder.glob(pattern))
    if len(found) != 1:
        raise SystemExit(f"{folder} has {len(found)} files {pattern} instead of one; remove it, and run scripts/package")
    return found[0]


def notes(version):
    """The section of the version in the changelog."""
    found = re.search(rf"^## \[{re.escape(version)}\].*?\n\n(.*?)(?=^## \[|\Z)", changelog.read_text(), re.DOTALL | re.MULTILINE)
    if found is None:
        raise SystemExit(f"{changelog.name} has no section of {version}")
    return found[1].strip() + "\n"


def write_website(target, time):
    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = time
        return entry

    with open(target, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=time) as packed:
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for path in sorted(website.rglob("*")):
                tar.add(path, str(path.relative_to(website)), recursive=False, filter=plain)


archive = only(packages, "pcm-browser-*.tar.gz")
version = re.fullmatch(r"pcm-browser-(.*)-linux-.*", archive.name.removesuffix(".tar.gz"))[1]
folder = output / version
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
for pattern in ("*manylinux*.whl", "*-py3-none-any.whl", "*.tar.gz", "*.deb"):
    shutil.copy(only(packages, pattern), folder)
with tarfile.open(archive) as tar:
    parts = tar.extractfile(f"{archive.name.removesuffix('.tar.gz')}/pcm-browser.spdx.json")
    (folder / f"pcm-browser-{version}.spdx.json").write_bytes(parts.read())
    time = tar.getmembers()[0].mtime
write_website(folder / f"pcm-browser-{version}-documentation.tar.gz", time)
(folder / "NOTES.md").write_text(notes(version))
files = sorted(path for path in folder.iterdir())
sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
(folder / "SHA256SUMS").write_text(sums)
print(folder)
