# SPDX-License-Identifier: MIT
"""Firefox through WebDriver BiDi, which Firefox speaks itself over a web socket: Debian has no
geckodriver. What is the browser's and not the page's goes through Marionette (marionette.py)."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

from browser import ELEMENT, Browser, WebDriverError
from marionette import Marionette, MarionetteError

PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "app.update.enabled": False,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,",
    "dom.events.testing.asyncClipboard": True,  # the clipboard is read without a question
    "dom.meta-viewport.enabled": True,          # as on a phone
    "dom.w3c_touch_events.enabled": 1,
    "focusmanager.testmode": True,              # the page has the keyboard though no window is in front
    "ui.useOverlayScrollbars": 1,               # they take no room, as in headless Chromium
    "marionette.port": 0,                       # a free one, which it writes into the profile
}
SCHEMES = {"dark": 0, "light": 1}
TIMEOUT = 60  # seconds for a command


class Firefox(Browser):
    name = "firefox"

    @staticmethod
    def missing():
        missing = [] if shutil.which("firefox-esr") else ["firefox-esr"]
        try:
            import websocket  # noqa: F401
        except ImportError:
            missing.append("python3-websocket")
        return missing

    def __init__(self, javascript=True, size=(1240, 700), dark=False):
        self.profile = tempfile.mkdtemp(prefix="aiflame-browser.")
        self.javascript = javascript
        self.marionette, self.socket, self.number, self.logged = None, None, 0, []
        preferences = dict(PREFERENCES)
        preferences["layout.css.prefers-color-scheme.content-override"] = SCHEMES[
            "dark" if dark else "light"]
        preferences["javascript.enabled"] = javascript
        with open(os.path.join(self.profile, "user.js"), "w", encoding="utf-8") as file:
            for name, value in preferences.items():
                file.write("user_pref(%s, %s);\n" % (json.dumps(name), json.dumps(value)))
        # system access: preferences are changed while it runs
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--marionette", "--remote-debugging-port", "0",
             "--remote-allow-system-access", "--profile", self.profile],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self._connect()
            self._send("session.subscribe", events=["log.entryAdded",
                                                    "browsingContext.userPromptOpened",
                                                    "browsingContext.userPromptClosed"])
            self.context = self._send("browsingContext.getTree")["contexts"][0]["context"]
            # the page has the keyboard: without it, a space does not press a button
            self._as_browser("window.focus(); gBrowser.selectedBrowser.focus();")
            self.resize(*size)
        except BaseException:
            self.close()
            raise

    def _connect(self):
        import websocket
        self.marionette = Marionette(self._port(), TIMEOUT)
        session = self.marionette.call("WebDriver:NewSession", webSocketUrl=True,
                                       unhandledPromptBehavior="ignore")
        self.marionette.call("Marionette:SetContext", value="chrome")
        self.prompt = None
        # no Origin: Firefox refuses pages that connect to it
        self.socket = websocket.create_connection(session["capabilities"]["webSocketUrl"], timeout=TIMEOUT,
                                                  suppress_origin=True)

    def _port(self):
        """Marionette's port, once Firefox has written it into the profile."""
        path = os.path.join(self.profile, "MarionetteActivePort")
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with open(path, encoding="ascii") as file:
                    text = file.read()
                if text:
                    return int(text)
            except FileNotFoundError:
                pass
            time.sleep(0.05)
        raise WebDriverError("firefox-esr did not start")

    # ---- the protocol --------------------------------------------------------------------------
    def _send(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer["type"] == "event":
                self._heed(answer["method"], answer["params"])
            elif answer.get("id") == self.number:
                break
        if answer["type"] == "error":
            raise WebDriverError(answer["error"] + ": " + answer["message"].split("\n")[0])
        return answer["result"]

    def _heed(self, event, told):
        if event == "log.entryAdded":
            # what a policy forbids is logged as if a script had failed
            if (told["level"] == "error" and told["type"] in ("javascript", "console") and
                    not (told["text"] or "").startswith("Content-Security-Policy")):
                frames = (told.get("stackTrace") or {}).get("callFrames") or [None]
                at = " (line %d)" % (frames[0]["lineNumber"] + 1) if frames[0] else ""
                self.logged.append((told["text"] or "") + at)
        elif event == "browsingContext.userPromptOpened":
            self.prompt = told["message"]
        elif event == "browsingContext.userPromptClosed":
            self.prompt = None

    def _evaluate(self, declaration, arguments):
        answer = self._send("script.callFunction", functionDeclaration=declaration, awaitPromise=True,
                            target={"context": self.context}, userActivation=True,
                            arguments=[to_page(one) for one in arguments])
        if answer["type"] == "exception":
            raise WebDriverError("javascript error: " + answer["exceptionDetails"]["text"])
        return from_page(answer["result"])

    def _as_browser(self, script, *arguments):
        """Runs a function body in the browser's own window, not in the page."""
        self.marionette.call("WebDriver:ExecuteScript", script=script, args=list(arguments))

    def close(self):
        errors = []
        try:
            if self.socket:
                errors = self.errors()
            if self.marionette:
                self.marionette.call("Marionette:Quit", flags=["eForceQuit"])
        except (OSError, MarionetteError, WebDriverError):
            pass
        for connection in (self.socket, self.marionette):
            if connection:
                connection.close()
        self.socket = self.marionette = None
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
        self._complain(errors)

    def errors(self):
        """What the page's script threw, or wrote to the console as an error, since the last call."""
        self._send("session.status")  # what was logged before this answer was told before it
        logged, self.logged = self.logged, []
        return logged

    # ---- pages ---------------------------------------------------------------------------------
    def open(self, url):
        self._send("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def url(self):
        # not of the tree: the browser hears later what pushState() has changed
        return self.run("return location.href")

    def reload(self):
        self._send("browsingContext.reload", context=self.context, wait="complete")

    def back(self):
        self._send("browsingContext.traverseHistory", context=self.context, delta=-1)

    def forward(self):
        self._send("browsingContext.traverseHistory", context=self.context, delta=1)

    def run(self, script, *arguments):
        """Runs a function body of JavaScript and returns its value."""
        return self._evaluate("function() {" + script + "}", arguments)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self._send("browsingContext.captureScreenshot",
                                                   context=self.context)["data"]))

    def print(self):
        """The page on landscape paper, as a PDF."""
        return base64.b64decode(self._send("browsingContext.print", context=self.context,
                                           orientation="landscape", background=True)["data"])

    def dialogue(self):
        """The text of the dialogue that is open, or None."""
        self._send("session.status")
        return self.prompt

    # ---- the reader's hands --------------------------------------------------------------------
    def _actions(self, actions):
        for source in actions:
            for one in source["actions"]:
                if isinstance(one.get("origin"), dict):
                    one["origin"] = {"type": "element", "element": to_page(one["origin"])}
        self._send("input.performActions", context=self.context, actions=actions)

    # ---- the reader's machine ------------------------------------------------------------------
    def resize(self, width, height, phone=False):
        """Sets the size of the page. A phone has fingers."""
        self._prefer("ui.primaryPointerCapabilities", 1 if phone else 6)
        self._prefer("ui.allPointerCapabilities", 1 if phone else 6)
        self._send("browsingContext.setViewport", context=self.context,
                   viewport={"width": width, "height": height})

    def _prefer(self, preference, value):
        self._as_browser("Services.prefs.setIntPref(arguments[0], arguments[1])", preference, value)
        self.next_frame()  # the page hears of it between two frames

    def colour_scheme(self, scheme):
        """Sets the system's preference: light or dark."""
        self._prefer("layout.css.prefers-color-scheme.content-override", SCHEMES[scheme])

    def reduced_motion(self):
        self._prefer("ui.prefersReducedMotion", 1)

    def forced_colours(self):
        self._prefer("browser.display.document_color_use", 2)
        self._prefer("ui.useAccessibilityTheme", 1)

    def begin_processor_time(self):
        pass

    def processor_time(self):
        """Firefox does not tell what its main thread used."""
        return 0

    def allow_clipboard(self):
        pass  # by a preference


# ---- values of the page, as BiDi writes them ------------------------------------------------------
def to_page(value):
    if value is None:
        return {"type": "null"}
    if isinstance(value, bool):
        return {"type": "boolean", "value": value}
    if isinstance(value, (int, float)):
        return {"type": "number", "value": value}
    if isinstance(value, str):
        return {"type": "string", "value": value}
    if isinstance(value, (list, tuple)):
        return {"type": "array", "value": [to_page(one) for one in value]}
    if ELEMENT in value:
        return {"sharedId": value[ELEMENT]}
    return {"type": "object", "value": [[key, to_page(one)] for key, one in value.items()]}


def from_page(value):
    kind = value["type"]
    if kind == "node":
        return {ELEMENT: value["sharedId"]}
    if kind in ("array", "nodelist", "htmlcollection", "set"):
        return [from_page(one) for one in value["value"]]
    if kind == "object":
        return {key: from_page(one) for key, one in value["value"]}
    if kind == "bigint":
        return int(value["value"])
    return value.get("value")
