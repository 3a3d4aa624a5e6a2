#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Checks the picture of a plan against its JSON: it is XML, each piece has a rectangle for each tile
# that holds or accesses bytes of it, as wide as the tile's share, and the words have the numbers.
#
# usage: svg.py PICTURE.svg PLAN.json
import json
import sys
import xml.etree.ElementTree as tree

LEFT, RIGHT, WIDTH, TOP, STEP = 20, 220, 160, 70, 6
FILLS = ["#2a6fbb", "#e08a1e", "#3d9a50", "#a04fa8"]


def wanted(pieces, key, left):
    rects = set()
    for number, piece in enumerate(pieces):
        total = sum(piece[key])
        ends = [int(WIDTH * sum(piece[key][:t]) / total + 0.5) if total else 0
                for t in range(len(piece[key]) + 1)]
        rects |= {(left + a, TOP + number * STEP, b - a, STEP, FILLS[t])
                  for t, (a, b) in enumerate(zip(ends, ends[1:])) if b > a}
    return rects


def main():
    root = tree.parse(sys.argv[1]).getroot()
    with open(sys.argv[2], encoding="ascii") as file:
        plan = json.load(file)
    name = "{http://www.w3.org/2000/svg}"
    assert root.tag == name + "svg", root.tag
    rects = [r.attrib for r in root.iter(name + "rect") if r.get("fill") in FILLS]
    drawn = {(int(r["x"]), int(r["y"]), int(r["width"]), int(r["height"]), r["fill"])
             for r in rects if int(r["height"]) == STEP}
    want = wanted(plan["pieces"], "held", LEFT) | wanted(plan["pieces"], "accessed", RIGHT)
    assert drawn == want, drawn ^ want
    words = "\n".join(t.text for t in root.iter(name + "text"))
    for tile in plan["tiles"]:
        line = f"tile {tile['tile']}: {tile['local']} bytes local, {tile['remote']} remote"
        assert line in words, words
    assert f" of {plan['total']} bytes are remote" in words, words
    assert ("warning:" in words) == plan["warning"], words
    assert ("better:" in words) == (plan["better"] is not None), words


main()
