import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { websocketCommand } from './websocket-command.ts';

const WANTED = { stdin: false, stdout: true, stderr: true, terminal: false };

class RecordingSocket extends EventEmitter {
  readonly OPEN = 1;
  readonly readyState = 1;
  readonly sent: number[][] = [];
  slow = false;

  send(data: Buffer | string, done: () => void): void {
    this.sent.push([...Buffer.from(data as Buffer)]);
    if (this.slow) setImmediate(done);
    else done();
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

it('sends all output before the outcome, also to a slow client', async () => {
  const socket = new RecordingSocket();
  const command = websocketCommand(socket as unknown as WebSocket, { protocol: 'v5.channel.k8s.io', wanted: WANTED });
  socket.slow = true;
  for (const text of ['first', 'last']) {
    command.stdout!.write(text);
    command.stderr!.write(text);
  }
  await command.finish({ type: 'success' });
  const texts = socket.sent.slice(1).map(([channel, ...text]) => `${channel} ${Buffer.from(text).toString()}`);
  expect(texts.slice(0, 4).toSorted()).toEqual(['1 first', '1 last', '2 first', '2 last']);
  expect(texts.slice(4)).toEqual(['3 {"metadata":{},"status":"Success"}']);
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
