"""What a package consists of, besides the project's own code: name, version, license, origin, and license text of each part."""

import dataclasses
import json
import pathlib
import re
import subprocess


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    version: str
    # An SPDX expression, or NOASSERTION where only the license's text says it.
    license: str
    # A package URL.
    purl: str
    texts: tuple[pathlib.Path, ...]


def license_of(text):
    if "Mozilla Public License" in text:
        return "MPL-2.0"
    if "Apache License" in text:
        return "Apache-2.0"
    if "Permission is hereby granted, free of charge" in text:
        return "MIT"
    return "NOASSERTION"


def swift_packages(root, scratch):
    """The packages that Package.resolved names. Their checkouts have the licenses."""
    for pin in json.loads((root / "Package.resolved").read_text())["pins"]:
        location = pin["location"].removesuffix(".git")
        checkout = scratch / "checkouts" / location.rsplit("/", 1)[1]
        texts = tuple(sorted(path for pattern in ("LICENSE*", "NOTICE*") for path in checkout.glob(pattern)))
        owner = location.removeprefix("https://")
        version = pin["state"]["version"]
        license = license_of(next(path for path in texts if path.name.startswith("LICENSE")).read_text())
        yield Part(pin["identity"], version, license, f"pkg:swift/{owner}@{version}", texts)


def vendored(root):
    bundle = root / "Sources/CSwaggerUI"
    version = re.search(r"\b(\d+\.\d+\.\d+)\b", (bundle / "README.md").read_text()).group(1)
    yield Part("swagger-ui", version, "Apache-2.0", f"pkg:npm/swagger-ui-dist@{version}", (bundle / "LICENSE",))
    suffixes = root / "Sources/CPublicSuffixList/public_suffix_list.dat"
    version = re.search(r"VERSION: (\S+)", suffixes.read_text()).group(1)
    # The file's own head names its license.
    yield Part("public-suffix-list", version, "MPL-2.0", "pkg:github/publicsuffix/list", ())


def swift_runtime():
    """The standard library and Foundation, which are linked statically, with Foundation's ICU."""
    done = subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True, text=True)
    target = json.loads(done.stdout)
    version = re.search(r"Swift version (\d+(?:\.\d+)+)", target["compilerVersion"]).group(1)
    text = pathlib.Path(target["paths"]["runtimeResourcePath"]).parents[1] / "share/swift/LICENSE.txt"
    yield Part("swift", version, "Apache-2.0 WITH Swift-exception", f"pkg:github/swiftlang/swift@{version}", (text,))


def own(root, scratch):
    """What is in the binary, in every package."""
    return [*swift_packages(root, scratch), *swift_runtime(), *vendored(root), *debian_packages(["libicuuc.a", "libstdc++.a"])]


def debian_packages(names):
    """The Debian packages that libraries are from, or are built from."""
    found = set()
    for name in names:
        done = subprocess.run(["dpkg-query", "--search", f"*/{name}"], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{name} belongs to no Debian package, so its license is unknown")
        found.add(done.stdout.split(":", 1)[0])
    for name in sorted(found):
        fields = ["${Version}", "${Architecture}", "${source:Package}"]
        done = subprocess.run(["dpkg-query", "--show", "--showformat", "\\t".join(fields) + "\\n", name], check=True, capture_output=True, text=True)
        version, architecture, _ = done.stdout.splitlines()[0].split("\t")
        text = pathlib.Path(f"/usr/share/doc/{name}/copyright")
        yield Part(name, version, "NOASSERTION", f"pkg:deb/debian/{name}@{version}?arch={architecture}", (text,))


def spdx(version, commit, created, parts):
    """The parts as an SPDX 2.3 document."""
    def entry(identifier, part):
        return {
            "SPDXID": identifier, "name": part.name, "versionInfo": part.version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": part.license,
            "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": part.purl}],
        }

    own = Part("pcm-browser", version, "Apache-2.0", f"pkg:generic/pcm-browser@{version}", ())
    identifiers = {part: "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", part.name) for part in parts}
    relation = lambda one, kind, other: {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"pcm-browser-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/pcm-browser-{version}-{commit}",
        "creationInfo": {"created": created, "creators": ["Tool: pcm-browser-scripts-package"]},
        "packages": [entry("SPDXRef-pcm-browser", own)] + [entry(identifiers[part], part) for part in parts],
        "relationships": [relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-pcm-browser")]
        + [relation("SPDXRef-pcm-browser", "CONTAINS", identifiers[part]) for part in parts],
    }


def write_licenses(parts, folder):
    """One folder of texts for each part that has any. A text of several parts is in the first folder, and the others name it."""
    places = {}
    for part in parts:
        for text in part.texts:
            place = folder / part.name / text.name
            place.parent.mkdir(parents=True, exist_ok=True)
            content = text.read_bytes()
            first = places.setdefault(content, place)
            place.write_bytes(content if first == place else f"The text is in {first.relative_to(folder)}\n".encode())
