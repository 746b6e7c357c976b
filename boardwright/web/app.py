"""The web app: routes of all features, middleware, and the pages in `static/`."""

from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from boardwright import __version__
from boardwright.web import sockets
from boardwright.web.arena import matches, ratings, records
from boardwright.web.play import routes as play_routes
from boardwright.web.players import catalogue
from boardwright.web.server import http, reference
from boardwright.web.server.middleware import Guard, Limits
from boardwright.web.services import Services
from boardwright.web.settings import Settings
from boardwright.web.study import routes as study_routes
from boardwright.web.training import routes as training_routes

STATIC = Path(__file__).parent / "static"
ROUTES = (catalogue, study_routes, play_routes, ratings, records, matches, training_routes, sockets)


def make_app(settings: Settings) -> FastAPI:
    """The app with these settings; it opens the database when it starts."""
    services = Services(settings)
    app = FastAPI(
        title="Boardwright",
        version=__version__,
        description="Play, study, arena and training: the API that the pages use.",
        lifespan=services.lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.services = services
    http.install(app)
    app.add_middleware(Limits, settings=settings)
    app.add_middleware(Guard, settings=settings)  # the last added runs first
    for routes in ROUTES:
        app.include_router(routes.make_router(services))
    reference.install(app)
    app.mount("/static", StaticFiles(directory=STATIC, check_dir=False), name="static")

    @app.get("/{page:path}", include_in_schema=False)
    def pages(page: str, request: Request) -> Response:
        """Every other path is a page, which `index.html` chooses."""
        if page.startswith(("api/", "static/", "ws")):
            return http.problem(404, f"there is nothing at /{page}")
        index = STATIC / "index.html"
        return FileResponse(index) if index.is_file() else http.problem(404, "the pages are not installed")

    return app
