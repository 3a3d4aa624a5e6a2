#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Draws what a terminal of 80 columns got as a picture: text in its colors, each piece as wide as its
# columns, whatever font there is. It knows the colors, bold and reverse; other sequences are dropped.
#
# usage: terminal_svg.py TITLE < TEXT > PICTURE
import html
import re
import sys

COLUMNS = 80
WIDTH = 8           # of a column
LINE = 17           # height of a line
MARGIN = 12
FOREGROUND, BACKGROUND = "#d8d8d8", "#1c1f26"
COLORS = ["#4b5263", "#e06c75", "#98c379", "#e5a84b", "#61afef", "#c678dd", "#56b6c2", "#d8d8d8"]


def style_of(style, codes):
    """What the numbers of a sequence make of (color, bold, reverse)"""
    color, bold, reverse = style
    for code in codes.split(";"):
        number = int(code or 0)
        if number == 0:
            color, bold, reverse = FOREGROUND, False, False
        elif number == 1:
            bold = True
        elif number == 7:
            reverse = True
        elif 30 <= number <= 37 or 90 <= number <= 97:
            color = COLORS[number % 10]
        elif number == 39:
            color = FOREGROUND
    return color, bold, reverse


def pieces(line, style):
    """Parts of a line, each with its column and its style; the last one is the style behind it"""
    column = 0
    for part in re.split(r"(\033\[[0-9;?]*[A-Za-z])", line):
        sequence = re.fullmatch(r"\033\[([0-9;]*)m", part)
        if sequence:
            style = style_of(style, sequence.group(1))
        elif not part.startswith("\033") and part:
            yield column, part, style
            column += len(part)
    yield column, "", style


def draw(column, row, text, style):
    color, bold, reverse = style
    x, y = MARGIN + column * WIDTH, MARGIN + row * LINE
    if reverse:
        yield (f'<rect x="{x}" y="{y}" width="{len(text) * WIDTH}" height="{LINE}" '
               f'fill="{color}"/>')
        color = BACKGROUND
    look = f' fill="{color}"' if color != FOREGROUND else ""
    look += ' font-weight="bold"' if bold else ""
    # A viewer may make one blank of several: pieces between them have places of their own.
    for word in re.finditer(r"\S+(?: \S+)*", text):
        yield (f'<text x="{x + word.start() * WIDTH}" y="{y + 13}" '
               f'textLength="{len(word.group()) * WIDTH}"{look}>'
               f'{html.escape(word.group(), quote=False)}</text>')


def main():
    with open(0, encoding="ascii", newline="") as file:
        text = file.read().replace("\r\n", "\n").rstrip("\n").expandtabs()
    # A line that was begun anew tells how far a command has come.
    lines = [re.sub(r"^.*\r\033\[K", "", line).rstrip() for line in text.split("\n")]
    width, height = COLUMNS * WIDTH + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
          f'viewBox="0 0 {width} {height}" font-family="monospace" font-size="13" '
          f'fill="{FOREGROUND}">')
    print("<!-- SPDX-License-Identifier: GPL-2.0-only -->")
    print(f"<title>{html.escape(sys.argv[1])}</title>")
    print(f'<rect width="100%" height="100%" rx="6" fill="{BACKGROUND}"/>')
    style = (FOREGROUND, False, False)
    for row, line in enumerate(lines):
        for column, text, style in pieces(line, style):
            if column + len(text) > COLUMNS:
                sys.exit(f"line {row + 1} has more than {COLUMNS} columns: {line}")
            for element in draw(column, row, text, style):
                print(element)
    print("</svg>")


main()
