#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Checks files of xetilectl trace beyond their schema: each track has a name, a queue's turns on an
# engine and the jobs in them do not overlap, each job is in a turn of its queue, and epochs of a tile
# follow each other.
#
# usage: trace_check.py FILE
import json
import sys


def check(events):
    names = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    cards = {e["pid"] for e in events if e["name"] == "process_name"}
    slices = [e for e in events if e["ph"] == "X"]
    for e in slices:
        if (e["pid"], e["tid"]) not in names or e["pid"] not in cards:
            yield f"the track of {e} has no name"
    for track in names:
        for cat in ("turn", "epoch", "job"):
            mine = sorted((e["ts"], e["ts"] + e["dur"]) for e in slices
                          if (e["pid"], e["tid"]) == track and e["cat"] == cat)
            for one, two in zip(mine, mine[1:]):
                if one[1] > two[0]:
                    yield f"track {track}: {cat} {one} overlaps {two}"
    turns = [e for e in slices if e["cat"] == "turn"]
    for job in (e for e in slices if e["cat"] == "job"):
        if not any((t["pid"], t["tid"]) == (job["pid"], job["tid"]) and
                   t["args"]["context"] == job["args"]["context"] and
                   t["ts"] <= job["ts"] and job["ts"] + job["dur"] <= t["ts"] + t["dur"]
                   for t in turns):
            yield f"{job} is in no turn"


with open(sys.argv[1], encoding="ascii") as file:
    errors = list(check(json.load(file)["traceEvents"]))
print("\n".join(errors), end="\n" if errors else "")
sys.exit(1 if errors else 0)
