"""A browser for tests: Chromium without a window, driven by chromedriver through the WebDriver
protocol, with nothing but the standard library.

No step has a time limit: `wait` asks until the answer is true, so that a slow machine is slow and
nothing else. What the page does by itself after it was opened or resized is awaited."""

import base64
import http.client
import json
import re
import shutil
import subprocess
import time

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of an element, from the specification
KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "End": "\ue010", "Home": "\ue011",
        "ArrowUp": "\ue013", "ArrowDown": "\ue015", "PageDown": "\ue00f"}


class Failure(Exception):
    """What the driver could not do."""


class Browser:
    def __init__(self, width=1400, height=900):
        if not shutil.which("chromedriver") or not shutil.which("chromium"):
            raise Failure("chromium or chromedriver is missing; scripts/setup test installs them")
        self.session = None
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            self.port = self.find_port()
            self.session = self.start_session(width, height)
            self.command("POST", "/timeouts", {"script": None, "pageLoad": 10**9})
        except BaseException:
            self.stop_driver()
            raise

    def start_session(self, width, height):
        options = {"binary": shutil.which("chromium"),
                   # Containers run tests as root, and give shared memory sparingly.
                   "args": ["--headless=new", "--no-sandbox", "--disable-gpu",
                            "--disable-dev-shm-usage", "--hide-scrollbars",
                            "--force-color-profile=srgb", f"--window-size={width},{height}"]}
        answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        return answer["sessionId"]

    def find_port(self):
        for line in self.driver.stdout:
            match = re.search(r"started successfully on port (\d+)", line)
            if match:
                return int(match.group(1))
        raise Failure("chromedriver does not start")

    def close(self):
        try:
            self.command("DELETE", "")
        finally:
            self.stop_driver()

    def stop_driver(self):
        self.driver.terminate()
        self.driver.wait()
        self.driver.stdout.close()

    # ---- The protocol ----

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        text = json.dumps(body or {}) if method == "POST" else None
        connection.request(method, path, text, {"Content-Type": "application/json"})
        value = json.loads(connection.getresponse().read())["value"]
        connection.close()
        if isinstance(value, dict) and "error" in value:
            raise Failure(value["message"])
        return value

    def command(self, method, path, body=None):
        return self.ask(method, f"/session/{self.session}{path}", body)

    def devtools(self, name, **parameters):
        return self.command("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    # ---- Pages ----

    def open(self, path, fragment=""):
        """Opens a file. What earlier pages logged is forgotten."""
        self.command("POST", "/url", {"url": "about:blank"})
        self.log("browser")
        self.log("performance")
        self.address = path.resolve().as_uri()
        self.command("POST", "/url", {"url": self.address + fragment})
        self.wait_for_frames()

    def run(self, script, *arguments):
        return self.command("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, condition, *arguments):
        """Until an expression is true; returns its value."""
        while True:
            value = self.run(f"return {condition};", *arguments)
            if value:
                return value
            time.sleep(0.02)

    def wait_for_frames(self):
        """Until the page has been drawn, and what watches sizes has had its turn."""
        self.command("POST", "/execute/async", {"args": [], "script": """
            const done = arguments[0];
            requestAnimationFrame(() => requestAnimationFrame(() => done(true)));"""})

    def log(self, kind):
        return self.command("POST", "/se/log", {"type": kind})

    def complaints(self):
        """What the console has to say about this page."""
        return [entry["message"] for entry in self.log("browser")]

    def wait_for_complaints(self, number):
        """Until there are so many; they come when the browser finds time for them."""
        found = self.complaints()
        while len(found) < number:
            time.sleep(0.02)
            found += self.complaints()
        return found

    def network(self, method):
        """The requests that the browser made since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        return [message["params"] for message in messages if message["method"] == method]

    def requests(self):
        """The addresses that were asked for, but for the page itself."""
        urls = [sent["request"]["url"] for sent in self.network("Network.requestWillBeSent")]
        return [url for url in urls if url not in (self.address, "about:blank")]

    def wait_for_blocked(self):
        """Until a request did not leave the browser; why it did not."""
        while not (failures := self.network("Network.loadingFailed")):
            time.sleep(0.02)
        return [failed["blockedReason"] for failed in failures]

    # ---- People ----

    def press(self, *keys):
        """Presses keys, one after the other, wherever the focus is."""
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.command("POST", "/actions", {"actions": [
            {"type": "key", "id": "keyboard", "actions": actions}]})
        self.wait_for_frames()

    def type(self, text):
        self.press(*text)

    def click(self, selector):
        element = self.command("POST", "/element", {"using": "css selector", "value": selector})
        self.command("POST", f"/element/{element[ELEMENT]}/click", {})

    # ---- Looks ----

    def resize(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=1, mobile=False)
        self.wait("innerWidth === arguments[0] && innerHeight === arguments[1]", width, height)
        self.wait_for_frames()

    def prefer(self, scheme="light", media=""):
        self.devtools("Emulation.setEmulatedMedia", media=media,
                      features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self):
        """The window as PNG."""
        return base64.b64decode(self.command("GET", "/screenshot"))

    def print(self):
        """The page on paper, as PDF."""
        return base64.b64decode(self.command("POST", "/print", {"background": True}))
