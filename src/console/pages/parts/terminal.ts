/** xterm on an exec WebSocket. Loaded when a shell is first opened. */
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { api, messageOf, openSocket } from '../api/request.ts';
import { visible } from '../format.ts';
import { T } from '../texts.ts';

export interface TerminalOptions {
  readonly namespace: string;
  readonly name: string;
  readonly container: string;
  readonly command: string;
  readonly onEnd: () => void;
}

/** The first byte of each message names its stream. */
const STDIN = 0;
const ERROR = 3;
const RESIZE = 4;

export function openTerminal(parent: HTMLElement, options: TerminalOptions): () => void {
  const { namespace, name, container, command, onEnd } = options;
  const terminal = new Terminal({ cursorBlink: true, fontSize: 13, screenReaderMode: true });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(parent);
  fit.fit();
  const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', tty: 'true' });
  for (const word of command.split(/\s+/).filter((each) => each !== '')) query.append('command', word);
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/exec`;
  const socket = openSocket(`${path}?${query.toString()}`, ['v5.channel.k8s.io', 'v4.channel.k8s.io']);
  const send = (stream: number, text: string): void => {
    if (socket.readyState !== WebSocket.OPEN) return;
    const bytes = new TextEncoder().encode(text);
    const message = new Uint8Array(bytes.length + 1);
    message[0] = stream;
    message.set(bytes, 1);
    socket.send(message);
  };
  const resize = (): void => send(RESIZE, JSON.stringify({ Width: terminal.cols, Height: terminal.rows }));
  let opened = false;
  socket.addEventListener('open', () => {
    opened = true;
    resize();
    terminal.focus();
  });
  socket.addEventListener('message', ({ data }) => {
    const bytes = new Uint8Array(data as ArrayBuffer);
    if (bytes[0] === ERROR) {
      const status = JSON.parse(new TextDecoder().decode(bytes.subarray(1)) || '{}') as {
        status?: string;
        message?: string;
      };
      if (status.status === 'Failure') terminal.writeln(`\r\n${status.message ?? ''}`);
    } else if (bytes.length > 1) terminal.write(bytes.subarray(1));
  });
  socket.addEventListener('close', () => {
    if (opened) terminal.writeln(`\r\n[${T.shell.ended}]`);
    // A browser is not told why a WebSocket was refused; an ordinary request is.
    else
      api(`${path}?${query.toString()}`).catch((error: unknown) => {
        terminal.writeln(`${T.shell.refused}: ${visible(messageOf(error))}`);
      });
    onEnd();
  });
  terminal.onData((text) => send(STDIN, text));
  terminal.onResize(resize);
  const observer = new ResizeObserver(() => fit.fit());
  observer.observe(parent);
  return () => {
    observer.disconnect();
    socket.close();
    terminal.dispose();
  };
}
