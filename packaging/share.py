"""What the archive and the Debian package have besides the program: the documentation as a website and as pages, examples, and clients."""

import os
import pathlib
import re
import shutil

folder = "share/pcm-browser"
# Where the checkout's files are in a package.
places = {
    "README.md": f"{folder}/README.md",
    "CHANGELOG.md": f"{folder}/CHANGELOG.md",
    "Sources/PCMApp/Documentation.docc": f"{folder}/pages",
    "examples": f"{folder}/examples",
    "clients/node": f"{folder}/clients/node",
    "clients/swift": f"{folder}/clients/swift",
}
# A link or an image, or code, in which nothing is a link.
link = re.compile(r"^( *)```.*?^\1```$|`[^`\n]+`|(!?)\[([^\[\]]+)\]\(([^)\s]+)\)", re.DOTALL | re.MULTILINE)
built = shutil.ignore_patterns(".*", "__pycache__", "node_modules", "Package.resolved")


def place(path, places):
    """The path in the package of a path in the checkout; None for one that no package has."""
    for source, target in places.items():
        if path == source or path.startswith(source + "/"):
            return target + path[len(source):]
    return None


def with_links(text, source, target, places):
    """A page with links to the files of the package. A link to another file of the checkout is its text."""

    def replaced(found):
        mark, title, address = found[2], found[3], found[4]
        if address is None or re.match(r"[a-z]+:|#", address):
            return found[0]
        name, sign, section = address.partition("#")
        other = place(os.path.normpath(os.path.join(os.path.dirname(source), name)), places)
        if other is None:
            return title
        return f"{mark}[{title}]({os.path.relpath(other, os.path.dirname(target))}{sign}{section})"

    return link.sub(replaced, text)


def write(root, website, package, readme=places["README.md"]):
    """Writes the files to the folder of a package.

    readme is where the package has the README.
    """
    own = places | {"README.md": readme}
    for source, target in own.items():
        (package / target).parent.mkdir(parents=True, exist_ok=True)
        if (root / source).is_dir():
            shutil.copytree(root / source, package / target, ignore=built)
        else:
            shutil.copy(root / source, package / target)
    for source, target in own.items():
        pages = sorted((package / target).rglob("*.md")) if (root / source).is_dir() else [package / target]
        for page in pages:
            name = source + str(page.relative_to(package))[len(target):]
            page.write_text(with_links(page.read_text(), name, str(page.relative_to(package)), own))
    shutil.copytree(pathlib.Path(website), package / folder / "documentation")
