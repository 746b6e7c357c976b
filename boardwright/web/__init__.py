"""The app: play, study, arena and training in a browser, over HTTP and a socket."""
