"""Writes a part of ICU's data: icu_data.py LIBRARY OUTPUT PATTERN...

LIBRARY contains the data of an ICU as a symbol such as icudt72_dat: a static library, or a shared one. Almost all of it, 30 MB,
describes languages, time zones, and charsets. OUTPUT is the assembly source of an object with only the items whose names match a
pattern, such as uts46.nrm or brkitr/root.res, and with the symbol that the linker takes in place of the library's with the option
--wrap. ICU takes what is missing as not installed, as its guide to data customization describes. Prints the symbol.
"""

import fnmatch
import pathlib
import re
import struct
import subprocess
import sys
import tempfile


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def data_of(library, folder):
    """The name of the symbol, and the bytes from the symbol on."""
    path = library
    if library.suffix == ".a":
        member = next(name for name in output_of("ar", "t", library).split() if re.match(r"icu_packaged_data|icudt", name))
        subprocess.run(["ar", "x", library.resolve(), member], check=True, cwd=folder)
        path = folder / member
    symbols = output_of("nm", *([] if library.suffix == ".a" else ["--dynamic"]), "--defined-only", path)
    address, name = re.search(r"^([0-9a-f]+) \S (icudt\d+_dat)\b", symbols, re.MULTILINE).groups()
    for line in output_of("readelf", "--wide", "--sections", path).splitlines():
        section = re.match(r" *\[ *\d+\] (\.rodata\S*) +PROGBITS +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)", line)
        if section is None:
            continue
        start, offset, size = (int(section[part], 16) for part in (2, 3, 4))
        if start <= int(address, 16) < start + size:
            data = path.read_bytes()[offset + int(address, 16) - start : offset + size]
            if data[2:4] == b"\xda\x27" and data[12:16] == b"CmnD":
                return name, data
    sys.exit(f"{library} has no ICU data in a form that this script knows")


def items(data):
    """The header, and the items by name. An item ends where the next one begins."""
    header = struct.unpack_from("<H", data)[0]
    count = struct.unpack_from("<I", data, header)[0]
    entries = [struct.unpack_from("<II", data, header + 4 + 8 * index) for index in range(count)]
    names = [data[header + name : data.index(b"\0", header + name)].decode() for name, _ in entries]
    ends = [start for _, start in entries[1:]] + [len(data) - header]
    return data[:header], {name: data[header + start : header + end] for name, (_, start), end in zip(names, entries, ends)}


def packed(header, kept):
    """A package of the kept items, whose names stay sorted, because ICU searches by halving."""
    names = sorted(kept, key=str.encode)
    text, places = b"", []
    for name in names:
        places.append(4 + 8 * len(names) + len(text))
        text += name.encode() + b"\0"
    position = 4 + 8 * len(names) + len(text)
    table, bodies = b"", b""
    for name, place in zip(names, places):
        padding = -(position + len(bodies)) % 16
        bodies += b"\0" * padding
        table += struct.pack("<II", place, position + len(bodies))
        bodies += kept[name]
    return header + struct.pack("<I", len(names)) + table + text + bodies


library, output, patterns = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
with tempfile.TemporaryDirectory() as folder:
    symbol, data = data_of(library, pathlib.Path(folder))
header, found = items(data)
kept = {
    name: body for name, body in found.items()
    if any(fnmatch.fnmatchcase(name.split("/", 1)[1], pattern) for pattern in patterns)
}
unused = [pattern for pattern in patterns if not fnmatch.filter((name.split("/", 1)[1] for name in found), pattern)]
if unused:
    sys.exit(f"{library} has no item {', '.join(unused)}")
output.with_suffix(".dat").write_bytes(packed(header, kept))
wrap = f"__wrap_{symbol}"
output.write_text(
    f'.section .rodata\n.balign 16\n.global {wrap}\n.type {wrap}, @object\n{wrap}:\n'
    f'.incbin "{output.with_suffix(".dat").resolve()}"\n.size {wrap}, . - {wrap}\n.section .note.GNU-stack,"",@progbits\n')
print(symbol)
