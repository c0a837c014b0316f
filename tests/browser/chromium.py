# SPDX-License-Identifier: MIT
"""Chromium through chromedriver: the part of the WebDriver protocol that these tests need, with
Python's standard library.

To start it takes longer than most tests, so tests take turns in one window: that of the Chromium in
CHROMIUM_RUNNING, which `chromium.py` as a program keeps running, or of one for this process."""

import atexit
import base64
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from browser import ELEMENT, Browser, WebDriverError

ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars",
]


class Running:
    """A chromedriver with one Chromium, until this process ends."""

    def __init__(self, javascript=True):
        self.profile = tempfile.mkdtemp(prefix="aiflame-browser.")
        # port 0: the driver chooses a free port and prints it
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        atexit.register(self._end)
        self.port = self._port()
        options = {"args": ARGUMENTS + ["--user-data-dir=" + self.profile]}
        if not javascript:
            options["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
        self.session = call(self.port, "POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "SEVERE"},
            "unhandledPromptBehavior": "ignore"}}})["sessionId"]

    def _port(self):
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return int(found.group(1))
        raise WebDriverError("chromedriver did not start")

    def _end(self):
        try:
            call(self.port, "DELETE", "/session/" + self.session)
        except (AttributeError, OSError, WebDriverError):  # it did not start, or is gone
            pass
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()
        shutil.rmtree(self.profile, ignore_errors=True)


def call(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    text = json.dumps({} if body is None else body) if method == "POST" else None
    connection.request(method, path, text, {"Content-Type": "application/json"})
    answer = json.loads(connection.getresponse().read())["value"]
    connection.close()
    if isinstance(answer, dict) and "error" in answer:
        raise WebDriverError(answer["error"] + ": " + answer["message"].split("\n")[0])
    return answer


def running(javascript=True):
    """The port and the session that the tests share; without JavaScript, which is of a profile, another."""
    if not javascript:
        other = Running(javascript=False)
        return other.port, other.session
    if "CHROMIUM_RUNNING" not in os.environ:
        shared = Running()
        os.environ["CHROMIUM_RUNNING"] = "%d %s" % (shared.port, shared.session)
    port, session = os.environ["CHROMIUM_RUNNING"].split()
    return int(port), session


class Chromium(Browser):
    name = "chromium"

    @staticmethod
    def missing():
        return [name for name in ("chromium", "chromedriver") if not shutil.which(name)]

    def __init__(self, javascript=True, size=(1240, 700), dark=False):
        self.javascript = javascript
        self.media = {}
        self.port, session = running(javascript)
        self.session = "/session/" + session
        self.in_use = True
        self._as_at_first(size)
        if dark:
            self.colour_scheme("dark")

    def _as_at_first(self, size):
        """Takes back what another test asked for."""
        self._post("/window/rect", width=size[0], height=size[1])
        self._devtools("Emulation.clearDeviceMetricsOverride")
        self._devtools("Emulation.setTouchEmulationEnabled", enabled=False)
        self._devtools("Emulation.setEmulatedMedia", features=[])
        self._devtools("Browser.resetPermissions")
        self.errors()

    def _call(self, method, path, body=None):
        return call(self.port, method, path, body)

    def _post(self, path, **body):
        return self._call("POST", self.session + path, body)

    def _devtools(self, command, **parameters):
        return self._post("/goog/cdp/execute", cmd=command, params=parameters)

    def close(self):
        if not self.in_use:
            return
        self.in_use = False
        errors = self.errors()
        if self.dialogue() is not None:
            self._post("/alert/dismiss")
        self._complain(errors)

    def errors(self):
        """What the page's script threw, or wrote to the console as an error, since the last call."""
        return [entry["message"] for entry in self._post("/se/log", type="browser")
                if entry["level"] == "SEVERE" and entry["source"] in ("javascript", "console-api")]

    # ---- pages ---------------------------------------------------------------------------------
    def open(self, url):
        self._post("/url", url=url)

    def url(self):
        return self._call("GET", self.session + "/url")

    def reload(self):
        self._post("/refresh")

    def back(self):
        self._post("/back")

    def forward(self):
        self._post("/forward")

    def run(self, script, *arguments):
        """Runs a function body of JavaScript and returns its value."""
        return self._post("/execute/sync", script=script, args=list(arguments))

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._call("GET", self.session + "/screenshot")))

    def print(self):
        """The page on landscape paper, as a PDF."""
        return base64.b64decode(self._post("/print", orientation="landscape", background=True))

    def dialogue(self):
        """The text of the dialogue that is open, or None."""
        try:
            return self._call("GET", self.session + "/alert/text")
        except WebDriverError:
            return None

    # ---- the reader's hands --------------------------------------------------------------------
    def _actions(self, actions):
        self._post("/actions", actions=actions)

    def click(self, target):
        """Clicks an element, or the first that a CSS selector finds."""
        element = self.find(target) if isinstance(target, str) else target
        self._post("/element/%s/click" % element[ELEMENT])

    # ---- the reader's machine ------------------------------------------------------------------
    def resize(self, width, height, phone=False):
        """Sets the size of the page. A phone has fingers, and a page without a viewport is shrunk."""
        self._devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                       deviceScaleFactor=1, mobile=phone)
        self._devtools("Emulation.setTouchEmulationEnabled", enabled=phone)

    def _prefer(self, feature, value):
        self.media[feature] = value
        self._devtools("Emulation.setEmulatedMedia", features=[
            {"name": name, "value": chosen} for name, chosen in self.media.items()])

    def colour_scheme(self, scheme):
        """Sets the system's preference: light or dark."""
        self._prefer("prefers-color-scheme", scheme)

    def reduced_motion(self):
        self._prefer("prefers-reduced-motion", "reduce")

    def forced_colours(self):
        self._prefer("forced-colors", "active")

    def begin_processor_time(self):
        self._devtools("Performance.enable", timeDomain="threadTicks")

    def processor_time(self):
        """Seconds that the page's main thread has run since begin_processor_time(). Other load on the
        machine changes them less than the clock."""
        metrics = self._devtools("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in metrics if one["name"] == "TaskDuration")

    def allow_clipboard(self):
        self._devtools("Browser.grantPermissions",
                       permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])


if __name__ == "__main__":  # prints CHROMIUM_RUNNING's value, and keeps it running until SIGTERM
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    running()
    print(os.environ["CHROMIUM_RUNNING"], flush=True)
    signal.pause()
