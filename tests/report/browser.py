"""Drive a real browser over two pipes, as its developer tools do."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from xml.etree import ElementTree

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_SECONDS = 60
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


class Browser:
    """Chromium with one page, which is ended with the block.

    Parameters
    ----------
    profile : path-like
        Folder for its own files.
    """

    def __init__(self, profile):
        # Chromium reads commands from descriptor 3 and answers on descriptor 4.
        inner_read, self._write = os.pipe()
        self._read, inner_write = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (inner_read, inner_write)]

        def place():
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self._process = subprocess.Popen(
            [CHROMIUM, *_OPTIONS, f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=place,
            pass_fds=(3, 4),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (inner_read, inner_write, *ends):
            os.close(end)
        self._number, self._left, self._session = 0, b"", None
        self.problems = []

    def __enter__(self):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        found = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]
        for part in ("Page", "Runtime", "Log"):
            self.ask(f"{part}.enable")
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._read)
        os.close(self._write)

    def ask(self, method, **params):
        """Send a command and return its result; errors of the page are kept in `problems`."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return self._wait(lambda answer: answer.get("id") == self._number).get("result", {})

    def _wait(self, wanted):
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end:
            while b"\0" in self._left:
                text, self._left = self._left.split(b"\0", 1)
                answer = json.loads(text)
                self._note(answer)
                if wanted(answer):
                    return answer
            if select.select([self._read], [], [], 1.0)[0]:
                self._left += os.read(self._read, 1 << 20)
        raise TimeoutError("the browser did not answer")

    def _note(self, answer):
        if answer.get("method") == "Runtime.exceptionThrown":
            self.problems.append(answer["params"]["exceptionDetails"])
        if answer.get("method") == "Log.entryAdded":
            entry = answer["params"]["entry"]
            if entry["level"] == "error":
                self.problems.append(entry["text"])

    def open(self, page, width, height=1000, dark=False):
        """Show a page in a window of this size."""
        phone = width < 600
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            screenWidth=width,
            screenHeight=height,
            deviceScaleFactor=1,
            mobile=phone,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask("Page.navigate", url=page.as_uri())
        self._wait(lambda answer: answer.get("method") == "Page.loadEventFired")

    def reload(self):
        """Show the page again."""
        self.ask("Page.reload")
        self._wait(lambda answer: answer.get("method") == "Page.loadEventFired")

    def run(self, steps):
        """Return the value of the body of an asynchronous function."""
        found = self.ask(
            "Runtime.evaluate",
            expression=f"(async () => {{ {steps} }})()",
            awaitPromise=True,
            returnByValue=True,
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def picture(self, path):
        """Write a picture of what the window shows."""
        shown = self.ask("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(shown["data"]))

    def save_to(self, folder):
        """Let downloads go to a folder."""
        self.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))


def save_every_part(browser, folder, n_parts, first=""):
    """Save every table and picture of a page, and check the pictures.

    `first` is run after each reload. A picture must be a file that needs no style sheet.
    """
    for number in range(n_parts):
        if number % 9 == 0:
            # Chromium lets a page save ten files before it asks.
            browser.reload()
            browser.run(first)
        browser.run(f"document.querySelectorAll('.tool:not(.theme)')[{number}].click();")
    end = time.monotonic() + 10
    while time.monotonic() < end and len(list(folder.glob("*.[cs][sv][vg]"))) < n_parts:
        time.sleep(0.1)
    pictures, tables = list(folder.glob("*.svg")), list(folder.glob("*.csv"))
    assert len(pictures) + len(tables) == n_parts
    for picture in pictures:
        text = picture.read_text()
        assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
        assert "var(" not in text and "class=" not in text
