# SPDX-License-Identifier: MIT
"""As much of the WebDriver protocol as testing a drawing takes, over Python's standard library.

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
CONTROL, ESCAPE, F3 = "\ue009", "\ue00c", "\ue033"


class WebDriverError(Exception):
    pass


class Browser:
    def __init__(self, javascript=True, size=(1240, 700), dark=False):
        self.profile = tempfile.mkdtemp(prefix="aiflame-browser.")
        # port 0: the driver takes a free one and says which
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        self.session = None
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
        """The value of a function body of JavaScript."""
        return self._post("/execute/sync", script=script, args=list(arguments))

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

    def answer(self, text):
        """Types into the prompt that is open and confirms it."""
        self._post("/alert/text", text=text)
        self._post("/alert/accept")

    def dialogue(self):
        """The text of the dialogue that is open, or None."""
        try:
            return self._call("GET", self.session + "/alert/text")
        except WebDriverError:
            return None

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._call("GET", self.session + "/screenshot")))


def missing_programs():
    return [name for name in ("chromium", "chromedriver") if not shutil.which(name)]


def file_url(path):
    return "file://" + os.path.abspath(path)
