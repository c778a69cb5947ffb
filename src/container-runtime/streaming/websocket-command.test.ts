import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { websocketCommand } from './websocket-command.ts';

class RecordingSocket extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  readonly sent: number[][] = [];

  send(data: Buffer | string, done: () => void): void {
    this.sent.push([...Buffer.from(data as Buffer)]);
    done();
  }
}

it.each([
  ['stdout and stderr', { stdout: true, stderr: true }, 1],
  ['stderr alone', { stdout: false, stderr: true }, 2],
  ['neither', { stdout: false, stderr: false }, 3],
  ['a terminal', { stdout: true, stderr: true, terminal: true }, 1],
])('a client that wants %s is greeted once, on its first channel', (_, wanted, channel) => {
  const socket = new RecordingSocket();
  websocketCommand(socket as unknown as WebSocket, {
    protocol: 'v5.channel.k8s.io',
    wanted: { stdin: false, terminal: false, ...wanted },
  });
  expect(socket.sent).toEqual([[channel]]);
});
