# SPDX-License-Identifier: MIT
"""Firefox's own remote protocol, for what WebDriver BiDi cannot do in every Firefox ESR: it runs scripts in
the browser's window, where preferences are. A session of it is a BiDi session too."""

import json
import socket


class MarionetteError(Exception):
    pass


class Marionette:
    def __init__(self, port, timeout):
        self.number = 0
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.file = self.socket.makefile("rb")
        self._receive()  # who it is, and which protocol

    def _receive(self):
        """The next message, which has its length in front: 10:{"a": "b"}"""
        length = b""
        while not length.endswith(b":"):
            byte = self.file.read(1)
            if not byte:
                raise MarionetteError("Firefox closed the connection")
            length += byte
        return json.loads(self.file.read(int(length[:-1])))

    def call(self, command, **parameters):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, error, result = self._receive()
        if error:
            raise MarionetteError("%s: %s" % (error["error"], error["message"].split("\n")[0]))
        return result

    def close(self):
        self.file.close()
        self.socket.close()
