"""Validates documents against JSON schemas."""

import copy
import json

import jsonschema

from seriatim import ROOT

RESULT = json.loads((ROOT / "docs" / "schema" / "result-1.json").read_text())
PREDICTION = json.loads((ROOT / "docs" / "schema" / "predict-1.json").read_text())
ABLATION = json.loads((ROOT / "docs" / "schema" / "ablation-1.json").read_text())
SEGMENTS = json.loads((ROOT / "docs" / "schema" / "segments-1.json").read_text())
SHRINKING = json.loads((ROOT / "docs" / "schema" / "segment-shrinking-1.json").read_text())
IMPROVEMENTS = json.loads((ROOT / "docs" / "schema" / "block-improvements-1.json").read_text())
STORAGE = json.loads((ROOT / "docs" / "schema" / "storage-1.json").read_text())
SARIF = json.loads((ROOT / "tests" / "schema" / "sarif-schema-2.1.0.json").read_text())


def strict(schema):
    """The schema, changed to allow nothing that it does not describe."""
    schema = copy.deepcopy(schema)
    for part in schema["definitions"].values():
        part.setdefault("additionalProperties", False)
    return schema


def validator(schema):
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema, format_checker=jsonschema.FormatChecker())


def complaints(checker, document):
    """What is wrong with the document, one line each."""
    found = []
    for error in checker.iter_errors(document):
        while error.context:  # of several choices, the complaint about the nearest
            error = min(error.context, key=lambda e: (-len(e.absolute_path), str(e.schema_path)))
        found.append(f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
    return found
