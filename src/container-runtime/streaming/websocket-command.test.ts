import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { websocketCommand } from './websocket-command.ts';

const WANTED = { stdin: false, stdout: true, stderr: true, terminal: false };

class RecordingSocket extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  readonly sent: number[][] = [];

  send(data: Buffer | string, done: () => void): void {
    this.sent.push([...Buffer.from(data as Buffer)]);
    done();
  }

  close(): void {
    this.emit('close');
  }
}

it.each([
  ['stdout and stderr', { stdout: true, stderr: true }, 1],
  ['stderr alone', { stdout: false, stderr: true }, 2],
  ['neither', { stdout: false, stderr: false }, 3],
  ['a terminal', { stdout: true, stderr: true, terminal: true }, 1],
])('a client that requests %s gets one empty message, on its first channel', (_, wanted, channel) => {
  const socket = new RecordingSocket();
  websocketCommand(socket as unknown as WebSocket, {
    protocol: 'v5.channel.k8s.io',
    wanted: { stdin: false, terminal: false, ...wanted },
  });
  expect(socket.sent).toEqual([[channel]]);
});

it.each([
  ['v5.channel.k8s.io', { type: 'success' } as const, ['{"metadata":{},"status":"Success"}']],
  ['v4.channel.k8s.io', { type: 'success' } as const, ['{"metadata":{},"status":"Success"}']],
  ['channel.k8s.io', { type: 'success' } as const, []],
  ['', { type: 'success' } as const, []],
  ['channel.k8s.io', { type: 'failure', message: 'no such file' } as const, ['no such file']],
])('%s: the error channel for %o', async (protocol, outcome, expected) => {
  const socket = new RecordingSocket();
  const command = websocketCommand(socket as unknown as WebSocket, { protocol, wanted: WANTED });
  await command.finish(outcome);
  const ofErrors = socket.sent.filter(([channel]) => channel === 3);
  expect(ofErrors.map((message) => Buffer.from(message.slice(1)).toString())).toEqual(expected);
});
