"""Writes the packages: package.py BINARY SCRATCH LIBRARIES WEBSITE OUTPUT [wheel] [client] [archive] [deb]

BINARY is the release build, SCRATCH the build folder with the checkouts, LIBRARIES a folder with shared libraries that replace the
system's in the wheel and the archive, and WEBSITE the documentation for the archive and the Debian package. The files are the same
for the same commit and tools.
"""

import datetime
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import parts
import share

root = pathlib.Path(__file__).resolve().parents[1]
# A system with the same glibc or a later one has these.
system_libraries = re.compile(r"^(linux-vdso|ld-linux|libc|libm|libdl|librt|libpthread|libresolv)[-.]")


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options).stdout


class Build:
    """The stripped binary, what it prints, and the commit's facts."""

    def __init__(self, binary, scratch, replacements, website, work):
        self.scratch, self.replacements, self.website, self.work = scratch, replacements, website, work
        self.binary = work / "pcm-browser"
        run("strip", "--strip-all", "-o", self.binary, binary)
        answer = run(self.binary, "--version").split()
        self.version = answer[0]
        self.commit = answer[1].strip("()") if len(answer) > 1 else "unknown"
        self.epoch = int(os.environ["SOURCE_DATE_EPOCH"])
        self.created = datetime.datetime.fromtimestamp(self.epoch, datetime.timezone.utc)
        self.machine = os.uname().machine

    def manual(self):
        dump = run(self.binary, "--experimental-dump-help")
        return run(sys.executable, root / "packaging/manual.py", self.version, self.created.date(), input=dump)

    def completions(self, shell):
        return run(self.binary, "--generate-completion-script", shell)


def libraries(binary, replacements):
    """All shared libraries that a program loads and that not every system has."""
    for line in run("ldd", binary, env=os.environ | {"LD_LIBRARY_PATH": str(replacements)}).splitlines():
        if match := re.match(r"\s*(\S+) => (/\S+)", line):
            if not system_libraries.match(match.group(1)):
                yield match.group(1), pathlib.Path(match.group(2))


def write_bundle(build, folder):
    """bin/pcm-browser with the libraries beside it in lib. Returns the parts in both."""
    (folder / "bin").mkdir(parents=True)
    (folder / "lib").mkdir()
    shutil.copy(build.binary, folder / "bin")
    found = dict(libraries(build.binary, build.replacements))
    for name, path in found.items():
        shutil.copy(path, folder / "lib" / name)
    # An RPATH, unlike a RUNPATH, is where the libraries look for each other, too.
    run("patchelf", "--force-rpath", "--set-rpath", "$ORIGIN/../lib", folder / "bin/pcm-browser")
    for line in run("ldd", folder / "bin/pcm-browser").splitlines():
        name = line.split()[0]
        if name in found and f"{folder}/bin/../lib/" not in line:
            raise SystemExit(f"the bundle loads a library of the system: {line.strip()}")
    return [*parts.own(root, build.scratch), *parts.debian_packages(found)]


def write_facts(build, contents, folder):
    parts.write_licenses(contents, folder / "licenses")
    shutil.copy(root / "LICENSE", folder / "licenses/LICENSE")
    document = parts.spdx(build.version, build.commit, build.created.strftime("%Y-%m-%dT%H:%M:%SZ"), contents)
    (folder / "pcm-browser.spdx.json").write_text(json.dumps(document, indent=2) + "\n")


def archive(build, output):
    name = f"pcm-browser-{build.version}-linux-{build.machine}"
    folder = build.work / name
    write_facts(build, write_bundle(build, folder), folder)
    share.write(root, build.website, folder, readme="README.md")
    (folder / "share/man/man1").mkdir(parents=True)
    (folder / "share/man/man1/pcm-browser.1").write_text(build.manual())
    (folder / "completions").mkdir()
    for shell in ("bash", "zsh", "fish"):
        (folder / "completions" / f"pcm-browser.{shell}").write_text(build.completions(shell))
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n" for path in files)
    (folder / "SHA256SUMS").write_text(sums)

    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = build.epoch
        return entry

    path = output / f"{name}.tar.gz"
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=build.epoch) as packed:
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for entry in sorted(folder.rglob("*")):
                tar.add(entry, f"{name}/{entry.relative_to(folder)}", recursive=False, filter=plain)
    return path


def client(build, output):
    """The wheel without the program, for any platform. pip prefers the other one where it fits."""
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", build.work, root / "clients/python")
    return pathlib.Path(shutil.copy(next(build.work.glob("*.whl")), output))


def wheel(build, output):
    """The client's wheel for any platform, with the bundle in it."""
    (build.work / "plain").mkdir()
    run(sys.executable, "-m", "wheel", "unpack", "--dest", build.work / "unpacked", client(build, build.work / "plain"))
    folder = next((build.work / "unpacked").iterdir())
    contents = write_bundle(build, build.work / "bundle")
    for part in ("bin", "lib"):
        shutil.copytree(build.work / "bundle" / part, folder / "pcm_browser" / part)
    facts = next(folder.glob("*.dist-info"))
    write_facts(build, contents, build.work / "facts")
    shutil.copytree(build.work / "facts/licenses", facts / "licenses", dirs_exist_ok=True)
    (facts / "sboms").mkdir()
    shutil.copy(build.work / "facts/pcm-browser.spdx.json", facts / "sboms")
    # The wheel has a program, so its files are not for any platform.
    (facts / "WHEEL").write_text((facts / "WHEEL").read_text().replace("Root-Is-Purelib: true", "Root-Is-Purelib: false"))
    packed = build.work / "packed"
    packed.mkdir()
    run(sys.executable, "-m", "wheel", "pack", "--dest-dir", packed, folder)
    glibc = run("getconf", "GNU_LIBC_VERSION").split()[1].replace(".", "_")
    run(sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", f"manylinux_{glibc}_{build.machine}",
        next(packed.glob("*.whl")))
    # Deflates better than Python does: 4 %.
    run("advzip", "--recompress", "--shrink-normal", "--quiet", next(packed.glob("*.whl")))
    return pathlib.Path(shutil.copy(next(packed.glob("*.whl")), output))


def deb(build, output):
    """A package for Debian 12, which depends on the libraries of the system."""
    folder = build.work / "deb"
    architecture = run("dpkg", "--print-architecture").strip()

    def write(path, contents, mode=0o644):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(contents.encode() if isinstance(contents, str) else contents)
        place.chmod(mode)

    def packed(text):
        return gzip.compress(text.encode(), 9, mtime=build.epoch)

    source = root / "packaging/debian"
    write("usr/bin/pcm-browser", build.binary.read_bytes(), 0o755)
    write("usr/lib/systemd/system/pcm-browser.service", (source / "pcm-browser.service").read_text())
    # dpkg keeps an administrator's changes, and removes the file with a purge.
    write("etc/default/pcm-browser", (source / "default").read_text(), 0o600)
    write("DEBIAN/conffiles", "/etc/default/pcm-browser\n")
    write("usr/share/man/man1/pcm-browser.1.gz", packed(build.manual()))
    write("usr/share/bash-completion/completions/pcm-browser", build.completions("bash"))
    write("usr/share/zsh/vendor-completions/_pcm-browser", build.completions("zsh"))
    write("usr/share/fish/vendor_completions.d/pcm-browser.fish", build.completions("fish"))
    share.write(root, build.website, folder / "usr")
    write("usr/share/doc/pcm-browser/changelog.gz", packed((root / "CHANGELOG.md").read_text()))
    contents = parts.own(root, build.scratch)
    texts = [f"{part.name} {part.version}\n\n{text.read_text()}" for part in contents for text in part.texts]
    write("usr/share/doc/pcm-browser/copyright", "\n\n".join([(root / "LICENSE").read_text(), *texts]))
    # dpkg-shlibdeps reads a source package's control file, which has to exist.
    (build.work / "debian").mkdir()
    (build.work / "debian/control").write_text("Source: pcm-browser\n\nPackage: pcm-browser\nArchitecture: any\n")
    depends = run("dpkg-shlibdeps", "-O", f"-e{folder}/usr/bin/pcm-browser", cwd=build.work).strip().split("=", 1)[1]
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) // 1024
    control = (source / "control").read_text().format(
        version=build.version, architecture=architecture, size=size, depends=depends)
    write("DEBIAN/control", control)
    for name in ("postinst", "prerm", "postrm"):
        write(f"DEBIAN/{name}", (source / name).read_text(), 0o755)
    for path in folder.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)
    path = output / f"pcm-browser_{build.version}_{architecture}.deb"
    run("dpkg-deb", "--root-owner-group", "--build", folder, path)
    return path


binary, scratch, replacements, website, output = (pathlib.Path(word).resolve() for word in sys.argv[1:6])
kinds = {"wheel": wheel, "client": client, "archive": archive, "deb": deb}
output.mkdir(parents=True, exist_ok=True)
with tempfile.TemporaryDirectory() as folder:
    for kind in sys.argv[6:]:
        work = pathlib.Path(folder, kind)
        work.mkdir()
        path = kinds[kind](Build(binary, scratch, replacements, website, work), output)
        print(f"{path.stat().st_size / 1e6:6.1f} MB  {path}")
