"""Pictures: a scene is pure data, and each renderer turns any scene into SVG or terminal text."""
