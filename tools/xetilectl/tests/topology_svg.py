#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Checks the picture of a topology against its JSON: it is XML, each tile has a frame with its HBM, a
# field for each slice in the color of its engine, and the words have the names and distances. Nothing
# lies outside of the picture.
#
# usage: topology_svg.py PICTURE.svg TOPOLOGY.json
import json
import sys
import xml.etree.ElementTree as tree

NAME = "{http://www.w3.org/2000/svg}"
FILLS = ["#2a6fbb", "#e08a1e", "#3d9a50", "#a04fa8"]


def short(size):
    if size < 1024:
        return f"{size} B" if size else "0"
    value, units = size / 1024, list("KMGTPE")
    while value >= 1000:
        value, units = value / 1024, units[1:]
    return f"{value:.{1 if value < 9.95 else 0}f} {units[0]}iB"


def main():
    root = tree.parse(sys.argv[1]).getroot()
    with open(sys.argv[2], encoding="ascii") as file:
        cards = json.load(file)["cards"]
    tiles = [tile for card in cards for tile in card["tiles"]]
    rects = {}
    for rect in root.iter(NAME + "rect"):
        if rect.get("class"):
            rects.setdefault(rect.get("class"), []).append(rect)
            assert int(rect.get("x")) + int(rect.get("width")) <= int(root.get("width")), rect.attrib
            assert int(rect.get("y")) + int(rect.get("height")) <= int(root.get("height")), rect.attrib
    for text in root.iter(NAME + "text"):
        assert int(text.get("y")) <= int(root.get("height")), text.text

    assert len(rects["tile"]) == len(tiles)
    for names in ["tile"], ["cslice", "fused"]:
        places = [(r.get("x"), r.get("y")) for name in names for r in rects.get(name, [])]
        assert len(set(places)) == len(places), places
    for tile in tiles:
        owners = {s: e["engine"] for e in tile["compute_engines"] for s in e["cslices"]}
        assert owners == {s["cslice"]: s["engine"] for s in tile["cslices"] if s["present"]}, tile
        assert all((s["engine"] is not None) == s["present"] for s in tile["cslices"]), tile
    fused = sum(not s["present"] for tile in tiles for s in tile["cslices"])
    assert len(rects.get("fused", [])) == fused
    fills = [rect.get("fill") for rect in rects["cslice"]]
    assert fills == [FILLS[s["engine"] % 4] for tile in tiles for s in tile["cslices"]
                     if s["present"]], fills
    for tile, whole, used in zip(tiles, rects["hbm"], rects["used"]):
        share = 1 - tile["hbm"]["free"] / tile["hbm"]["total"]
        assert abs(int(used.get("width")) - int(whole.get("width")) * share) <= 1, tile

    texts = [t.text for t in root.iter(NAME + "text")]
    for tile in tiles:
        assert f"HBM {short(tile['hbm']['total'])}, {short(tile['hbm']['free'])} free" in texts, tile
    lines = "\n".join(texts)
    for card in cards:
        assert f"card {card['card']}: {card['name']}, {card['pci']}" in lines, lines
        assert all(any(part in text for text in texts) for part in card["path"]), lines
        for d in card["distances"]:
            begin = "from CPU:" if d["from"] == "cpu" else f"from tile {d['from']}:"
            to = "system" if d["to"] == "system" else f"tile {d['to']}"
            order = f" {d['order']}" if d["order"] is not None else ""
            assert any(t.startswith(begin) and f"  {to}: {d['crosses']}{order}" in t
                       for t in texts), d


main()
