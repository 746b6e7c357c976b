"""`/docs`: the API reference as one page, made from `/openapi.json` without external resources."""

import functools
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse

_PAGE = Template(Path(__file__).with_name("reference.html").read_text(encoding="utf-8"))


def install(app: FastAPI) -> None:
    """Adds the page."""

    @app.get("/docs", include_in_schema=False, response_class=HTMLResponse)
    @functools.cache
    def docs() -> str:
        """The API reference."""
        return _page(app.openapi())


def _page(document: dict[str, Any]) -> str:
    info, schemas = document["info"], document["components"]["schemas"]
    paths = [
        _operation(f"{method.upper()} {path}", operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    objects = [_object(name, schema) for name, schema in sorted(schemas.items()) if "properties" in schema]
    head = {name: escape(info[name]) for name in ("title", "version", "description")}
    return _PAGE.substitute(head, paths="\n".join(paths), objects="\n".join(objects))


def _operation(name: str, operation: dict[str, Any]) -> str:
    rows = [
        f"<code>{escape(one['name'])}</code> ({one['in']}): {_kind(one['schema'])}"
        f"{': ' + escape(one['description']) if 'description' in one else ''}"
        for one in operation.get("parameters", ())
    ]
    if "requestBody" in operation:
        rows.append(f"body: {_content(operation['requestBody'])}")
    rows.append(f"answer: {_content(operation['responses'].get('200', {}))}")
    return f"<section><h2><code>{escape(name)}</code></h2>{_described(operation, rows)}"


def _object(name: str, schema: dict[str, Any]) -> str:
    required = schema.get("required", ())
    rows = [
        f"<code>{escape(field)}</code>{'' if field in required else ' (may be left out)'}: {_kind(kind)}"
        for field, kind in schema["properties"].items()
    ]
    return f'<section id="{escape(name)}"><h3>{escape(name)}</h3>{_described(schema, rows)}'


def _described(thing: dict[str, Any], rows: list[str]) -> str:
    """The rest of a section: what something is, and a list of its parts."""
    listed = "".join(f"<li>{row}</li>" for row in rows)
    return f"<p>{escape(thing.get('description', ''))}</p><ul>{listed}</ul></section>"


def _content(body: dict[str, Any]) -> str:
    schema = body.get("content", {}).get("application/json", {}).get("schema")
    return _kind(schema) if schema else "nothing"


def _kind(schema: dict[str, Any]) -> str:
    """The type of a value, with links to objects."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(_kind(one) for one in schema[key])
    if "const" in schema:
        return f"<code>{escape(repr(schema['const']))}</code>"
    if "enum" in schema:
        return " or ".join(f"<code>{escape(repr(value))}</code>" for value in schema["enum"])
    if schema.get("type") == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(_kind(one) for one in schema['prefixItems'])}]"
        return f"list of {_kind(schema.get('items', {}))}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_kind(schema['additionalProperties'])}"
    return escape(str(schema.get("type", "anything")))
