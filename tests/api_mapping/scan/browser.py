"""Headless Chromium, driven through its debugging pipe: real clicks in a real page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-dev-shm-usage "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--remote-debugging-pipe --window-size=1300,800"
).split()


def chromium() -> str | None:
    """The browser's program, None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """One page; messages go through the pipe, ended by a zero byte."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self.to_browser = os.fdopen(to_browser, "wb", buffering=0)
        self.from_browser = os.fdopen(from_browser, "rb")
        self.session: dict[str, str] = {}
        self.sent = 0
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self.session = {"sessionId": attached["sessionId"]}
        self.ask("Page.enable")
        self.ask("Runtime.enable")

    def ask(self, method: str, **parameters: object) -> dict:
        """The browser's answer to a command."""
        self.sent += 1
        message = {"id": self.sent, "method": method, "params": parameters} | self.session
        self.to_browser.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.sent:
                assert "error" not in answer, answer
                return answer["result"]

    def read(self) -> dict:
        text = b""
        while not text.endswith(b"\0"):
            part = self.from_browser.read(1)
            assert part, "the browser has gone"
            text += part
        return json.loads(text[:-1])

    def go(self, address: str) -> None:
        self.ask("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def value(self, expression: str) -> object:
        """What a JavaScript expression gives, awaited."""
        answer = self.ask(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        """Returns when the condition holds; fails after minutes, to end a hang."""
        script = f"""new Promise((done) => {{
            const end = Date.now() + 300000;
            const look = () => ({condition}) || Date.now() > end ? done(!!({condition}))
                : setTimeout(look, 20);
            look();
        }})"""
        assert self.value(script), condition

    def click(self, selector: str) -> None:
        """A click of the mouse in the middle of an element."""
        place = f"(() => {{ const r = document.querySelector({json.dumps(selector)})"
        place += ".getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        x, y = self.value(place)
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, selector: str, text: str) -> None:
        self.value(f"document.querySelector({json.dumps(selector)}).focus()")
        self.ask("Input.insertText", text=text)


@contextmanager
def browser(folder: Path) -> Iterator[Page]:
    """A page of a browser that keeps its own files in `folder`."""
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    command = [chromium(), *FLAGS, f"--user-data-dir={folder}"]

    def as_3_and_4() -> None:
        os.dup2(to_read, 103)
        os.dup2(from_write, 104)
        os.dup2(103, 3)
        os.dup2(104, 4)

    process = subprocess.Popen(
        command,
        close_fds=False,
        preexec_fn=as_3_and_4,  # the pipe has these two numbers
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_read)
    os.close(from_write)
    page = Page(to_write, from_read)
    try:
        yield page
        page.session = {}
        page.ask("Browser.close")
    finally:
        page.to_browser.close()
        page.from_browser.close()
        process.terminate()
        process.wait(timeout=900)
