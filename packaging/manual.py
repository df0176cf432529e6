"""Prints the manual page pcm-browser(1): manual.py VERSION DATE < HELP, where HELP is what --experimental-dump-help prints."""

import json
import sys


def escaped(text):
    """Text in roff: a backslash and a hyphen are themselves, and no line begins as a request."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").split("\n")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in lines)


def spelled(argument):
    if argument["kind"] == "positional":
        name = argument["valueName"].upper()
        return f"{name}..." if argument["isRepeating"] else name
    dashes = {"long": "--", "short": "-", "longWithSingleDash": "-"}
    names = ", ".join(dashes[name["kind"]] + name["name"] for name in argument["names"])
    return f"{names} {argument['valueName'].upper()}" if argument["kind"] == "option" else names


def shown(arguments):
    return [argument for argument in arguments if argument["shouldDisplay"]]


def synopsis(command, path):
    words = [f".B {escaped(path)}"]
    options = [argument for argument in shown(command.get("arguments", [])) if argument["kind"] != "positional"]
    positional = [argument for argument in shown(command.get("arguments", [])) if argument["kind"] == "positional"]
    if options:
        words.append("[options]")
    for argument in positional:
        words.append(f"[{spelled(argument)}]" if argument["isOptional"] else spelled(argument))
    return "\n".join(words)


def described(command):
    parts = [escaped(command["abstract"])]
    for argument in shown(command.get("arguments", [])):
        text = argument.get("abstract", "")
        if values := argument.get("allValues"):
            text += f" Values: {', '.join(values)}."
        if default := argument.get("defaultValue"):
            text += f" Default: {default}."
        parts.append(f".TP\n.B {escaped(spelled(argument))}\n{escaped(text.strip())}")
    if discussion := command.get("discussion"):
        parts.append(f".PP\n.nf\n{escaped(discussion)}\n.fi")
    return "\n".join(parts)


def leaves(command, path=()):
    """The subcommands that have none, each with its path."""
    for sub in command["subcommands"]:
        below = (*path, sub["commandName"])
        if sub["shouldDisplay"] and sub["commandName"] != "help":
            if sub.get("subcommands"):
                yield from leaves(sub, below)
            else:
                yield " ".join(below), sub


def page(command, version, date):
    name = command["commandName"]
    yield f'.TH PCM\\-BROWSER 1 "{date}" "pcm\\-browser {version}"'
    yield f".SH NAME\n{escaped(name)} \\- the browser of Private Click Measurement, for tests"
    subcommands = list(leaves(command))
    yield ".SH SYNOPSIS"
    yield "\n.br\n".join(synopsis(sub, f"{name} {path}") for path, sub in subcommands)
    yield f".SH DESCRIPTION\n{described(command)}"
    for path, sub in subcommands:
        yield f".SH {escaped(path.upper())}\n{described(sub)}"


print("\n".join(page(json.load(sys.stdin)["command"], *sys.argv[1:])))
