"""Checks the links of the Markdown files, and copies the documentation with DocC's links: convert.py CHECKOUT CATALOG

A page links to another page as `[text](Other.md#section)`. DocC reads `[text](doc:Other#Section)`, and `- <doc:Other>` in a list of
topics. A link to a file outside the documentation is text in the copy, because a website has no such file.
"""

import pathlib
import re
import shutil
import sys

checkout, catalog = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
pages = checkout / "Sources/PCMApp/Documentation.docc"
root = pages / "Documentation.md"
# A link, or code within a line, in which nothing is a link.
link = re.compile(r"(?<!!)\[([^\[\]\n]+(?:\n[^\[\]\n]+)?)\]\(([^)\s]+)\)|`[^`\n]+`")
fenced = re.compile(r"^( *)```.*?^\1```$", re.DOTALL | re.MULTILINE)
errors = []


def report(page, problem):
    errors.append(f"{page.relative_to(checkout)}: {problem}")


def sections(path):
    """The sections of a page: the name in a link of Markdown, and the name in DocC's."""
    titles = [title.replace("`", "") for title in re.findall(r"^#{2,6} (.+)$", fenced.sub("", path.read_text()), re.MULTILINE)]
    markdown = [re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles]
    return dict(zip(markdown, [title.replace(" ", "-") for title in titles]))


def converted(page, text, is_topic=False):
    """The text with DocC's links."""

    def replace(found):
        title, target = found[1], found[2]
        if target is None or re.match(r"https?:", target):
            return found[0]
        name, _, section = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.exists() or checkout not in path.parents:
            report(page, f"no file {name}")
        elif section and (path.suffix != ".md" or section not in sections(path)):
            report(page, f"no section {target}")
        elif pages in path.parents and path.suffix == ".md":
            name = path.stem + (f"#{sections(path)[section]}" if section else "")
            return f"<doc:{name}>" if is_topic else f"[{title}](doc:{name})"
        return title

    if found := re.search(r"<doc:.*?>|\(doc:.*?\)", text):
        report(page, f"write {found[0]} as a link to a file")
    return link.sub(replace, text)


def convert(page):
    """The page with DocC's links outside of code."""
    text, parts, end = page.read_text(), [], 0
    text, heading, topics = text.partition("\n## Topics\n")
    for block in fenced.finditer(text):
        parts += [converted(page, text[end : block.start()]), block[0]]
        end = block.end()
    parts += [converted(page, text[end:]), heading, converted(page, topics, is_topic=True)]
    if page == root:
        parts[0] = parts[0].replace("\n", "\n\n@Metadata {\n  @TechnologyRoot\n}\n", 1)
    # DocC finds an image by its name alone.
    parts = [part.replace("](Resources/", "](") for part in parts]
    # DocC ignores HTML, also the comments around generated parts.
    return re.sub(r"^<!-- .*? -->\n", "", "".join(parts), flags=re.MULTILINE)


def check_page(page):
    """A page begins with a title and an abstract. A decision has three paragraphs instead."""
    lines = page.read_text().splitlines() + 4 * [""]
    if page.parent == pages and not (lines[0].startswith("# ") and lines[2].endswith(".") and lines[1] == lines[3] == ""):
        report(page, "begin with a title and an abstract of one line, which ends with a period")
    if page != root and page.resolve() not in listed:
        report(page, "add the page to a list of topics")


def listed_pages():
    for page in pages.rglob("*.md"):
        for target in re.findall(r"^- \[.*\]\((.+)\)$", page.read_text().partition("\n## Topics\n")[2], re.MULTILINE):
            yield (page.parent / target).resolve()


shutil.copytree(pages, catalog)
listed = set(listed_pages())
for page in sorted(pages.rglob("*.md")):
    check_page(page)
    (catalog / page.relative_to(pages)).write_text(convert(page))
# The name of the root's file is its address.
(catalog / root.name).rename(catalog / "pcm-browser.md")
for document in [*checkout.glob("*.md"), *checkout.glob("examples/**/*.md"), *checkout.glob("clients/*/*.md")]:
    converted(document, fenced.sub("", document.read_text()))
if errors:
    sys.exit("\n".join(errors))
