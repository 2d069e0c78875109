"""Hands out recordings: those files that it was told of, and nothing else."""

from __future__ import annotations

import shutil
import threading
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote


class BagServer:
    """A small web server beside the page's, for files that are too large for a web socket."""

    def __init__(self, address: str) -> None:
        self._files: dict[str, Path] = {}
        files = self._files

        class Handler(BaseHTTPRequestHandler):
            """Answers GET with a file."""

            def do_GET(self) -> None:
                """Send a file that is known."""
                path = files.get(unquote(self.path.lstrip('/')))
                if path is None or not path.is_file():
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header('Content-Type', 'application/octet-stream')
                self.send_header('Content-Disposition', f'attachment; filename="{path.name}"')
                self.send_header('Content-Length', str(path.stat().st_size))
                self.end_headers()
                with path.open('rb') as stream:
                    shutil.copyfileobj(stream, self.wfile)

            def log_message(self, format: str, *values: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer((address, 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_port)

    def offer(self, path: Path) -> None:
        """Hand out a file from now on, by its name."""
        self._files[path.name] = path

    def write_links(self) -> str:
        """Write links to all files as HTML; the host is the one that the page came from."""
        rows = ''.join(
            f'<div><a href="#" download style="color:inherit" onmousedown="this.href='
            f"'http://'+location.hostname+':{self.port}/{quote(name)}'\" "
            f'data-port="{self.port}">{escape(name)}</a> '
            f'<span style="opacity:.7">{escape(str(path.parent))}</span></div>'
            for name, path in reversed(self._files.items()))
        return f'<div style="padding:0 12px;font-size:12px;word-break:break-all">{rows}</div>'
