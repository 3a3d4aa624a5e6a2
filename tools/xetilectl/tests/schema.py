#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Checks each line of standard input, which is JSON, by a JSON schema. It knows the words that our
# schemas use, and fails for others.
#
# usage: schema.py SCHEMA < LINES
import json
import sys

TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
    "number": (int, float), "null": type(None),
}
KNOWN = {"title", "description", "definitions", "$ref", "type", "enum", "minimum", "maximum",
         "required", "properties", "additionalProperties", "items"}


def is_type(value, name):
    # To Python a bool is an int.
    if isinstance(value, bool) and name != "boolean":
        return False
    return isinstance(value, TYPES[name])


def check_object(value, schema, root, path):
    properties = schema.get("properties", {})
    for key in schema.get("required", []):
        if key not in value:
            yield f"{path}: no {key}"
    for key, part in value.items():
        if key in properties:
            yield from check(part, properties[key], root, f"{path}.{key}")
        elif schema.get("additionalProperties", True) is False:
            yield f"{path}: {key} is not in the schema"


def check(value, schema, root, path):
    unknown = set(schema) - KNOWN
    if unknown:
        yield f"{path}: the schema has {unknown}, which nobody checks"
    if "$ref" in schema:
        schema = root["definitions"][schema["$ref"].removeprefix("#/definitions/")]
        yield from check(value, schema, root, path)
        return
    types = schema.get("type", [])
    types = types if isinstance(types, list) else [types]
    if types and not any(is_type(value, name) for name in types):
        yield f"{path}: {value!r} is no {' or '.join(types)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is none of {schema['enum']}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            yield f"{path}: {value} is out of range"
    if isinstance(value, dict):
        yield from check_object(value, schema, root, path)
    if isinstance(value, list):
        for i, part in enumerate(value):
            yield from check(part, schema.get("items", {}), root, f"{path}[{i}]")


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        schema = json.load(file)
    errors = []
    lines = sys.stdin.read().splitlines()
    for line in lines:
        errors += check(json.loads(line), schema, schema, "")
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors or not lines else 0


sys.exit(main())
