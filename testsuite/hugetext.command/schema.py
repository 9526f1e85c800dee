# Compare JSON on standard input with a schema.  The JSON may contain only what
# the schema names.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
#
# usage: schema.py SCHEMA

import json
import sys

import jsonschema


def close(schema):
    """Forbid all keys that SCHEMA does not name."""
    if isinstance(schema, dict):
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
        for part in schema.values():
            close(part)
    elif isinstance(schema, list):
        for part in schema:
            close(part)


with open(sys.argv[1], encoding="utf-8") as stream:
    schema = json.load(stream)
jsonschema.Draft202012Validator.check_schema(schema)
close(schema)
# Strictly UTF-8.
value = json.loads(sys.stdin.buffer.read().decode("utf-8"))
for error in jsonschema.Draft202012Validator(schema).iter_errors(value):
    print("/".join(map(str, error.absolute_path)), error.message[:200])
