#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Checks the text and the picture of a map against its JSON, page by page: the letters of the text, the
# rectangles of the picture, the sums of both and of the JSON are what the runs say.
#
# usage: map_check.py MAP.json TEXT PICTURE.svg [another three...]
import json
import re
import sys
import xml.etree.ElementTree as tree

PAGE, ROWS, FIELD, HEIGHT, LEFT, GAP, TOP = 65536, 16, 14, 20, 90, 30, 70
FILLS = {0: "#2a6fbb", 1: "#e08a1e", 2: "#3d9a50", 3: "#a04fa8", "system": "#888888", None: "#dddddd"}
LETTERS = {0: "0", 1: "1", 2: "2", 3: "3", "system": "s", None: "?"}


def wrong(asked, kept):
    return kept == "system" if asked is None else kept is not None and kept != asked


def letters(pages, step):
    out = ""
    for at in range(0, len(pages), step):
        found = set(pages[at:at + step])
        out += LETTERS[found.pop()] if len(found) == 1 else "*"
    return out


def check_sums(data, asked, kept):
    assert len(asked) == data["pages"], data["pages"]
    for tile in data["tiles"]:
        assert tile["asked"] == asked.count(tile["tile"]) * PAGE, tile
        assert data["device"] is None or tile["kept"] == kept.count(tile["tile"]) * PAGE, tile
    if data["device"] is not None:
        assert data["system"] == kept.count("system") * PAGE, data["system"]
        assert data["misplaced"] == sum(map(wrong, asked, kept)) * PAGE, data["misplaced"]


def check_text(text, data, asked, kept, columns, step):
    lists = [asked] if data["device"] is None else [asked, kept]
    rows = re.findall(r"^ *(\d+)  ([0-9s?*]+)(?:  +([0-9s?*]+))?( !)?$", text, re.M)
    for i, part in enumerate(lists):
        assert "".join(row[1 + i] for row in rows) == letters(part, step), text
    for i, row in enumerate(rows):
        first, last = i * columns * step, (i + 1) * columns * step
        assert int(row[0]) == first * PAGE >> 20, row
        assert bool(row[3]) == any(map(wrong, asked[first:last], kept[first:last])), row
    begin = re.search(r"^  begin  (\S+)(?:  (\S+))?( !)?$", text, re.M)
    assert bool(begin) == any("*" in letters(part, step) for part in lists), text
    for i, part in enumerate(lists if begin else []):
        assert begin[1 + i] == letters(part[:columns], 1), begin
    shown = re.findall(r"^0x([0-9a-f]+) +(\d+) ", text, re.M)
    assert [(int(at, 16), int(pages)) for at, pages in shown] == \
        [(run["page"] * PAGE, run["pages"]) for run in data["runs"][:12]], shown
    more = re.search(r"^and (\d+) more runs?(?:, (\d+) of them not as asked)?, which --json has$", text, re.M)
    assert (int(more[1]) if more else 0) == max(len(data["runs"]) - 12, 0), text
    hidden = sum(wrong(run["asked"], run["kept"]) for run in data["runs"][12:])
    assert (int(more[2] or 0) if more else 0) == hidden, text


def rects_of(pages, step, columns, left):
    rects = set()
    for number, at in enumerate(range(0, len(pages), step)):
        field, before = pages[at:at + step], 0
        x, y = left + number % columns * FIELD, TOP + number // columns * HEIGHT
        done = 0
        for memory, fill in FILLS.items():
            done += field.count(memory)
            end = int(FIELD * done / len(field) + 0.5)
            if end > before:
                rects.add((x + before, y, end - before, HEIGHT - 2, fill))
            before = end
    return rects


def check_picture(path, data, asked, kept, columns, step):
    name = "{http://www.w3.org/2000/svg}"
    root = tree.parse(path).getroot()
    rects = {}
    for r in root.iter(name + "rect"):
        if r.get("class"):
            box = tuple(int(r.get(key)) for key in ("x", "y", "width", "height"))
            rects.setdefault(r.get("class"), set()).add(box + (r.get("fill"),))
            assert box[0] + box[2] <= int(root.get("width")), box
            assert box[1] + box[3] <= int(root.get("height")), box
    assert rects["asked"] == rects_of(asked, step, columns, LEFT)
    right = LEFT + columns * FIELD + GAP
    if data["device"] is not None:
        assert rects["kept"] == rects_of(kept, step, columns, right)
    bad = {(right + n % columns * FIELD, TOP + n // columns * HEIGHT, FIELD, HEIGHT - 2, "none")
           for n, at in enumerate(range(0, len(asked), step))
           if any(map(wrong, asked[at:at + step], kept[at:at + step]))}
    assert rects.get("misplaced", set()) == bad
    words = "\n".join(t.text for t in root.iter(name + "text"))
    for tile in data["tiles"]:
        assert f"tile {tile['tile']}: {tile['asked']} bytes asked" in words, words
    assert data["device"] is None or f"{data['misplaced']} bytes are not as asked" in words, words


def check_map(path, text_path, picture):
    with open(path, encoding="ascii") as file:
        data = json.load(file)
    with open(text_path, encoding="ascii") as file:
        text = file.read()
    asked, kept = [], []
    for run in data["runs"]:
        assert run["page"] == len(asked), run
        asked += [run["asked"]] * run["pages"]
        kept += [run["kept"]] * run["pages"]
    pairs = [(run["asked"], run["kept"]) for run in data["runs"]]
    assert all(a != b for a, b in zip(pairs, pairs[1:])), "two runs are one"
    columns, step = 64 if data["device"] is None else 32, 1
    while len(asked) > columns * ROWS * step:
        step *= 2
    check_sums(data, asked, kept)
    check_text(text, data, asked, kept, columns, step)
    check_picture(picture, data, asked, kept, columns, step)


names = sys.argv[1:]
assert names and len(names) % 3 == 0, "usage"
for first in range(0, len(names), 3):
    check_map(*names[first:first + 3])
