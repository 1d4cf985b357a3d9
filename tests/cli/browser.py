"""Chromium without a window, driven through a pipe: it opens pages, clicks, and returns errors and requests."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium")
WITHOUT_BROWSER = "" if CHROMIUM else "chromium is not installed (tools/setup test)"
PATIENCE = 60  # s, only to find what never comes
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
           "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
           "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe"]


class Browser:
    """A browser with one page. `errors` has the errors of its console, `requests` the addresses that it asked for."""

    def __init__(self, size=(1280, 800)):
        self.errors, self.requests, self.is_loaded = [], [], False
        self.number, self.buffer, self.session = 0, b"", None
        self.folder = tempfile.mkdtemp(prefix="kjoule-browser-")
        read_end, self.output = os.pipe()
        self.input, write_end = os.pipe()
        # The browser reads commands from descriptor 3 and writes answers to descriptor 4. (dash cannot copy descriptors above 9.)
        shell = ["bash", "-c", f'exec 3<&{read_end} 4>&{write_end}; exec "$@"', "sh"]
        browser = [CHROMIUM, *OPTIONS, f"--user-data-dir={self.folder}", f"--window-size={size[0]},{size[1]}", "about:blank"]
        self.process = subprocess.Popen(shell + browser, pass_fds=(read_end, write_end), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=os.setpgrp)
        os.close(read_end)
        os.close(write_end)
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")
        self.resize(*size)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.ask("Browser.close")
        except (OSError, EOFError, TimeoutError):
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.input)
        os.close(self.output)
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, method, **parameters):
        """Sends a command and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while (answer := self.receive(end)).get("id") != self.number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def receive(self, end):
        """Returns the next message; keeps what an event says."""
        while b"\0" not in self.buffer:
            if not select.select([self.input], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser did not answer")
            data = os.read(self.input, 1 << 16)
            if not data:
                raise EOFError("the browser ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        self.take_event(message.get("method"), message.get("params", {}))
        return message

    def take_event(self, kind, event):
        if kind == "Page.loadEventFired":
            self.is_loaded = True
        elif kind == "Network.requestWillBeSent":
            self.requests.append(event["request"]["url"])
        elif kind == "Runtime.exceptionThrown":
            details = event["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif kind == "Runtime.consoleAPICalled" and event["type"] in ("error", "assert"):
            self.errors.append(" ".join(str(one.get("value", one.get("description"))) for one in event["args"]))
        elif kind == "Log.entryAdded" and event["entry"]["level"] == "error":
            self.errors.append(event["entry"]["text"] + " " + event["entry"].get("url", ""))

    def open(self, path):
        """Opens a file and waits until it is loaded."""
        self.is_loaded = False
        end = time.monotonic() + PATIENCE
        error = self.ask("Page.navigate", url=path.resolve().as_uri()).get("errorText")
        if error:
            raise RuntimeError(f"{path}: {error}")
        while not self.is_loaded:
            self.receive(end)

    def value(self, script):
        """Returns the value of an expression in the page."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description"))
        return result["result"].get("value")

    def wait(self, script):
        """Waits until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not (value := self.value(script)):
            if time.monotonic() > end:
                raise TimeoutError(script)
            time.sleep(0.02)
        return value

    def click(self, selector):
        """Clicks at the middle of an element with the mouse."""
        x, y = self.value("(e => { e.scrollIntoView({block: 'center', inline: 'center'}); const r = e.getBoundingClientRect();"
                          f" return [r.x + r.width / 2, r.y + r.height / 2] }})(document.querySelector({json.dumps(selector)}))")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)

    def press(self, key, code=0):
        """Presses a key in the focused element."""
        text = {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **(text if kind == "keyDown" else {}))

    def write(self, selector, text):
        """Types a text into a field."""
        self.click(selector)
        self.ask("Input.insertText", text=text)

    def resize(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, scheme):
        """Lets the page believe that the user prefers "dark" or "light" colours."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path, is_whole=False):
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        whole = {"captureBeyondViewport": True, "clip": {**size, "scale": 1}} if is_whole else {}
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", **whole)["data"]))
