"""`/docs`: the API reference as one page, made from `/openapi.json` without external resources."""

import functools
from html import escape
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Boardwright: API reference</title>
<link rel="stylesheet" href="/static/css/base.css">
</head>
<body><main class="reference">
<h1>{title} {version}: API reference</h1>
<p>{description} Errors are <code>{{"error": "one line"}}</code>. Machine-readable:
<a href="/openapi.json">/openapi.json</a>.</p>
{paths}
{socket}
<h2>Objects</h2>
{objects}
</main></body>
</html>
"""

_SOCKET = {
    '→ {"type": "watch", "game": ID}': "subscribe to a game: its current state, then every change",
    '→ {"type": "unwatch", "game": ID}': "unsubscribe",
    '→ {"type": "watch-match", "match": ID}': "subscribe to a match",
    '→ {"type": "unwatch-match", "match": ID}': "unsubscribe",
    '→ {"type": "analyse", "id": NAME, "game", "rules", "start", "actions", "agent", "seconds"}': (
        "analyse a position with a player; it replaces the analysis of the same name"
    ),
    '→ {"type": "stop", "id": NAME}': "stop an analysis",
    '← {"type": "game", "game": LiveGameInfo}': "a game",
    '← {"type": "match", …}': "a match",
    '← {"type": "preparing", "id": NAME}': "the player is being made: a net is read or a table allocated",
    '← {"type": "info", "id": NAME, "value", "side", "depth", "nodes", "candidates", "line", "waiting", …}': (
        "the state of the analysis, at most ten times a second; values from -1 to 1, always of role 0; waiting: "
        "paused while other analyses run"
    ),
    '← {"type": "done", "id": NAME}': "the analysis has ended",
    '← {"type": "error", "id": NAME or null, "error": "one line"}': "an error of an analysis or a game",
}


def install(app: FastAPI) -> None:
    """Adds the page."""

    @functools.cache
    def page() -> str:
        return _page(app.openapi())

    @app.get("/docs", include_in_schema=False)
    def docs() -> HTMLResponse:
        """The API reference."""
        return HTMLResponse(page())


def _page(document: dict[str, Any]) -> str:
    info = document["info"]
    paths = [
        _operation(method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    schemas = document["components"]["schemas"]
    objects = [_object(name, schema) for name, schema in sorted(schemas.items()) if "properties" in schema]
    return _PAGE.format(
        title=escape(info["title"]),
        version=escape(info["version"]),
        description=escape(info["description"]),
        paths="\n".join(paths),
        socket=_socket(),
        objects="\n".join(objects),
    )


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    rows = [
        f"<li><code>{escape(one['name'])}</code> ({one['in']}): {_kind(one['schema'])}"
        f"{': ' + escape(one['description']) if 'description' in one else ''}</li>"
        for one in operation.get("parameters", ())
    ]
    if "requestBody" in operation:
        rows.append(f"<li>body: {_content(operation['requestBody'])}</li>")
    rows.append(f"<li>answer: {_content(operation['responses'].get('200', {}))}</li>")
    return (
        f"<section><h2><code>{method.upper()} {escape(path)}</code></h2>"
        f"<p>{escape(operation.get('description', ''))}</p><ul>{''.join(rows)}</ul></section>"
    )


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


def _object(name: str, schema: dict[str, Any]) -> str:
    required = schema.get("required", ())
    rows = [
        f"<li><code>{escape(field)}</code>{'' if field in required else ' (may be left out)'}: {_kind(kind)}</li>"
        for field, kind in schema["properties"].items()
    ]
    return (
        f'<section id="{escape(name)}"><h3>{escape(name)}</h3>'
        f"<p>{escape(schema.get('description', ''))}</p><ul>{''.join(rows)}</ul></section>"
    )


def _socket() -> str:
    rows = [f"<li><code>{escape(message)}</code>: {escape(meaning)}</li>" for message, meaning in _SOCKET.items()]
    return (
        "<section><h2><code>/ws</code></h2><p>A socket of JSON messages, of at most 16 KB from a page.</p>"
        f"<ul>{''.join(rows)}</ul></section>"
    )
