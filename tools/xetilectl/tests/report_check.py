#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Checks a page of xetilectl report: it has the sections, each closed and linked; of elements and
# attributes there are only those of the page and its pictures, whatever names are in it; and it
# needs no other file.
#
# usage: report_check.py PAGE ID...
import html.parser
import sys

KNOWN = {"html", "head", "meta", "title", "style", "body", "header", "nav", "ul", "li", "a", "main",
         "section", "h1", "h2", "p", "pre", "figure", "svg", "rect", "text", "line", "path", "g"}
VOID = {"meta"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.errors = []
        self.open = []
        self.ids = []
        self.links = []

    def handle_starttag(self, tag, attrs):
        if tag not in KNOWN:
            self.errors.append(f"<{tag}> is in the page")
        for name, value in attrs:
            if name.startswith("on") or name in ("src", "style", "xlink:href"):
                self.errors.append(f"<{tag}> has {name}")
            if name == "href":
                self.links.append(value)
        if tag == "section":
            self.ids.append(dict(attrs)["id"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.errors.append(f"</{tag}> ends nothing")


page = Page()
with open(sys.argv[1], encoding="ascii") as file:
    text = file.read()
page.feed(text)
page.close()
if page.open:
    page.errors.append(f"{page.open} do not end")
if page.ids != sys.argv[2:]:
    page.errors.append(f"sections {page.ids}, not {sys.argv[2:]}")
if page.links != ["#" + name for name in page.ids]:
    page.errors.append(f"links {page.links}")
if "default-src 'none'" not in text:
    page.errors.append("no policy")
print("\n".join(page.errors), end="\n" if page.errors else "")
sys.exit(1 if page.errors else 0)
