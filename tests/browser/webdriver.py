# SPDX-License-Identifier: MIT
"""The part of the WebDriver protocol that these tests need, with Python's standard library.

    with Browser() as browser:
        browser.open("file:///tmp/matmul.svg")
        browser.click("#search")
"""

import base64
import http.client
import json
import os
import re
import shutil
import subprocess
import tempfile

CHROMIUM_ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars",
]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's key of an element's number
CONTROL, SHIFT, ESCAPE, ENTER, TAB, F3 = (
    "\ue009", "\ue008", "\ue00c", "\ue007", "\ue004", "\ue033")
LEFT, UP, RIGHT, DOWN = "\ue012", "\ue013", "\ue014", "\ue015"


class WebDriverError(Exception):
    pass


class Browser:
    def __init__(self, javascript=True, size=(1240, 700), dark=False):
        self.profile = tempfile.mkdtemp(prefix="aiflame-browser.")
        # port 0: the driver chooses a free port and prints it
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        self.session = None
        self.javascript = javascript
        try:
            self.port = self._port()
            arguments = CHROMIUM_ARGUMENTS + [
                "--user-data-dir=" + self.profile, "--window-size=%d,%d" % size]
            if dark:
                arguments.append("--force-dark-mode")
            options = {"args": arguments}
            if not javascript:
                options["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
            answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "goog:chromeOptions": options,
                "unhandledPromptBehavior": "ignore"}}})
            self.session = "/session/" + answer["sessionId"]
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _port(self):
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return int(found.group(1))
        raise WebDriverError("chromedriver did not start")

    def _call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        text = json.dumps({} if body is None else body) if method == "POST" else None
        connection.request(method, path, text, {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())["value"]
        connection.close()
        if isinstance(answer, dict) and "error" in answer:
            raise WebDriverError(answer["error"] + ": " + answer["message"].split("\n")[0])
        return answer

    def _post(self, path, **body):
        return self._call("POST", self.session + path, body)

    def close(self):
        if self.session:
            try:
                self._call("DELETE", self.session)
            except (OSError, WebDriverError):
                pass
            self.session = None
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def open(self, url):
        self._post("/url", url=url)

    def url(self):
        return self._call("GET", self.session + "/url")

    def reload(self):
        self._post("/refresh")

    def run(self, script, *arguments):
        """Runs a function body of JavaScript and returns its value."""
        return self._post("/execute/sync", script=script, args=list(arguments))

    def next_frame(self):
        """Returns when the page has drawn its next frame and done what it had to do by then."""
        self._post("/execute/async", args=[],
                   script="requestAnimationFrame(() => setTimeout(arguments[0]))")

    def _element(self, selector):
        return self._post("/element", using="css selector", value=selector)

    def click(self, target):
        """Clicks an element, or the first that a CSS selector finds."""
        element = self._element(target) if isinstance(target, str) else target
        self._post("/element/%s/click" % element[ELEMENT])

    def hover(self, element):
        self._post("/actions", actions=[{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": element}]}])

    def keys(self, *keys):
        """Presses keys together, as "control f"."""
        down = [{"type": "keyDown", "value": key} for key in keys]
        up = [{"type": "keyUp", "value": key} for key in reversed(keys)]
        self._post("/actions", actions=[{"type": "key", "id": "keys", "actions": down + up}])

    def type(self, text):
        """Presses one key after the other."""
        actions = []
        for key in text:
            actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._post("/actions", actions=[{"type": "key", "id": "keys", "actions": actions}])

    def context_click(self, element):
        self._post("/actions", actions=[{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": element},
            {"type": "pointerDown", "button": 2}, {"type": "pointerUp", "button": 2}]}])

    def click_at(self, x, y):
        """Clicks a place of the window."""
        self._post("/actions", actions=[{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, "x": x, "y": y},
            {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}])

    def touch(self, element, seconds=0):
        """Holds a finger on an element."""
        self._post("/actions", actions=[
            {"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": [
                {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": element},
                {"type": "pointerDown", "button": 0},
                {"type": "pause", "duration": int(1000 * seconds)},
                {"type": "pointerUp", "button": 0}]}])

    def back(self):
        self._post("/back")

    def forward(self):
        self._post("/forward")

    def colour_scheme(self, scheme):
        """Sets the system's preference: light or dark."""
        self._post("/goog/cdp/execute", cmd="Emulation.setEmulatedMedia", params={
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def resize(self, width, height):
        """Gives the page's view a size, which may be smaller than any window."""
        self._post("/goog/cdp/execute", cmd="Emulation.setDeviceMetricsOverride", params={
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def begin_processor_time(self):
        self._post("/goog/cdp/execute", cmd="Performance.enable",
                   params={"timeDomain": "threadTicks"})

    def processor_time(self):
        """Seconds that the page's main thread has run since begin_processor_time(). Other load on the
        machine changes them less than the clock."""
        metrics = self._post("/goog/cdp/execute", cmd="Performance.getMetrics", params={})["metrics"]
        return next(one["value"] for one in metrics if one["name"] == "TaskDuration")

    def allow_clipboard(self):
        self._post("/goog/cdp/execute", cmd="Browser.grantPermissions", params={
            "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})

    def dialogue(self):
        """The text of the dialogue that is open, or None."""
        try:
            return self._call("GET", self.session + "/alert/text")
        except WebDriverError:
            return None

    def print(self, **options):
        """The page as a PDF."""
        return base64.b64decode(self._post("/print", **options))

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._call("GET", self.session + "/screenshot")))


def missing_programs():
    return [name for name in ("chromium", "chromedriver") if not shutil.which(name)]


def file_url(path):
    return "file://" + os.path.abspath(path)
