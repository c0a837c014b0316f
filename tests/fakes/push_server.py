#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""push_server.py DIR [--deaf FIFO] ANSWER...: stands in for Pyroscope, Parca and an OTLP collector.

Prints its port in a line. Request N is answered by the Nth ANSWER, and those after the last one by
the last. DIR gets N.head, which is method, path and headers, and N.body. With --deaf nothing can
connect until FIFO is opened for writing.

An ANSWER is STATUS or STATUS:TEXT; `retry=S,STATUS` has a Retry-After; `close` ends the connection
without an answer; `endless,STATUS` has no end; `headers` neither; `hex,STATUS:TEXT` is bytes;
`cut,STATUS` ends in the middle; `hang` never comes; `slow=FIFO,STATUS` waits for a writer of FIFO."""
import http.server
import sys
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    count = 0

    def do_POST(self):
        number = Handler.count = Handler.count + 1
        length = int(self.headers['Content-Length'])
        with open(f'{self.server.directory}/{number}.body', 'wb') as file:
            file.write(self.rfile.read(length))
        with open(f'{self.server.directory}/{number}.head', 'w') as file:
            file.write(f'{self.command} {self.path}\n')
            for name in sorted(self.headers):
                file.write(f'{name}: {self.headers[name]}\n')
        answers = self.server.answers
        self.answer(answers[min(number, len(answers)) - 1])

    def answer(self, answer):
        words = answer.split(',', 1)
        if answer == 'close':
            self.close_connection = True
            return
        if answer == 'hang':
            threading.Event().wait()
        if words[0].startswith('slow='):
            with open(words[0][5:]):
                pass
        if words[0] == 'cut':
            self.close_connection = True
            self.wfile.write(f'HTTP/1.1 {words[1]} Yes\r\nContent-Length: 9\r\n\r\nhalf'.encode())
            return
        if answer == 'headers':
            self.flood(b'HTTP/1.1 400 No\r\n', b'X-More: ' + b'x' * 1000 + b'\r\n')
            return
        if words[0] == 'endless':
            self.flood(f'HTTP/1.1 {words[1]} No\r\n\r\n'.encode(), b'y' * 1000)
            return
        status, _, text = words[-1].partition(':')
        body = bytes.fromhex(text) if words[0] == 'hex' else text.encode()
        self.send_response(int(status))
        if words[0].startswith('retry='):
            self.send_header('Retry-After', words[0][6:])
        if status[0] == '3':
            self.send_header('Location', 'file:///etc/passwd')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def flood(self, head, more):
        self.close_connection = True
        self.wfile.write(head)
        try:
            while True:
                self.wfile.write(more)
        except OSError:  # the client has had enough
            pass

    def log_message(self, *words):
        pass


def main():
    directory, answers = sys.argv[1], sys.argv[2:]
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler, bind_and_activate=False)
    server.directory = directory
    server.server_bind()
    print(server.server_address[1], flush=True)
    if answers[0] == '--deaf':
        with open(answers[1]):
            answers = answers[2:]
    server.answers = answers
    server.server_activate()
    print('listening', flush=True)
    server.serve_forever()


main()
