#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Reads the text format of Prometheus from standard input, strictly: each metric has its HELP and its
# TYPE once, all its values below them, names by the conventions, labels quoted, no series twice.
# Prints how many series there are.
import math
import re
import sys

NAME = re.compile(r"xetile(_[a-z0-9]+)+")
SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)')
UNITS = ("_bytes", "_seconds", "_hertz", "_joules", "_errors", "_ccs_mode", "_info", "_up", "_cards",
         "_clients", "_clients_complete", "_throttled")


def read_labels(text):
    labels, at = {}, 0
    while at < len(text):
        match = LABEL.match(text, at)
        assert match, f"no label: {text[at:]}"
        assert match[1] not in labels and not match[1].startswith("__"), text
        labels[match[1]] = match[2]
        assert match[3] or match.end() == len(text), text
        at = match.end()
    assert not text.endswith(","), text
    return labels


def check_name(name, kind):
    assert NAME.fullmatch(name), name
    assert name.endswith("_total") == (kind == "counter"), f"{name} is a {kind}"
    assert name.removesuffix("_total").endswith(UNITS), f"{name} has no unit"


def main():
    text = sys.stdin.buffer.read().decode("ascii")
    assert text.endswith("\n")
    kinds, helps, series, last = {}, set(), set(), None
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            last, words = line[7:].split(" ", 1)
            assert last not in helps and words, line
            assert not re.search(r"\\(?![\\n])", words), line
            helps.add(last)
        elif line.startswith("# TYPE "):
            name, kind = line[7:].split(" ")
            assert name == last and name not in kinds and kind in ("counter", "gauge"), line
            check_name(name, kind)
            kinds[name] = kind
        else:
            match = SAMPLE.fullmatch(line)
            assert match, f"no sample: {line}"
            assert match[1] == last and match[1] in kinds, f"apart from its TYPE: {line}"
            labels = read_labels(match[2] or "")
            value = float(match[3])
            assert math.isfinite(value) and value >= 0, line
            one = (match[1], tuple(sorted(labels.items())))
            assert one not in series, f"twice: {line}"
            series.add(one)
    assert helps == set(kinds)
    print(len(series))


main()
