# SPDX-License-Identifier: MIT
#
# How Sphinx reads Documentation/, see tools/docs/html. The kernel's own extension inserts the
# kernel-doc comments of the source.
import sys

sys.path.insert(0, "/opt/kernel/Documentation/sphinx")

project = "xetile"
root_doc = "gpu/xetile/index"
extensions = ["kerneldoc", "automarkup"]
# The bytes of specs are shown as they are; the files of ABI have a form of their own.
exclude_patterns = ["specs", "ABI"]
kerneldoc_bin = "/opt/kernel/scripts/kernel-doc"
kerneldoc_srctree = "/xetile"
kerneldoc_verbosity = 0
highlight_language = "none"
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px", "sidebar_width": "230px"}
html_show_copyright = False
