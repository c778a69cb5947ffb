import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createContext, VirtualClock } from '../kernel/index.ts';
import { receiveUnixDatagrams, type DatagramReceiver } from '../net/netns/testing/index.ts';
import { takeServiceNotifier } from './service-notifier.ts';

let receiver: DatagramReceiver | undefined;
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-notify-'));
afterEach(() => receiver?.close());

describe.runIf(process.platform === 'linux')('takeServiceNotifier', () => {
  it.each([path.join(directory, 'notify'), `@k8ts-notify-${process.pid}`])('tells systemd at %s', async (socket) => {
    receiver = receiveUnixDatagrams(socket);
    const environment = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: '2000000', WATCHDOG_PID: String(process.pid), A: 'b' };
    const stopped = new AbortController();
    const clock = new VirtualClock();
    const notifier = takeServiceNotifier(environment);
    expect(environment).toEqual({ A: 'b' });
    expect(receiver.received()).toEqual([]);
    notifier.ready(createContext({ clock, signal: stopped.signal }), 'API server\nhttps://a');
    expect(receiver.received()).toEqual(['READY=1\nSTATUS=API server https://a\n']);
    await clock.advance(3000);
    expect(receiver.received()).toEqual(['WATCHDOG=1\n', 'WATCHDOG=1\n', 'WATCHDOG=1\n']);
    stopped.abort();
    expect(receiver.received()).toEqual(['STOPPING=1\n']);
    await clock.advance(3000);
    expect(receiver.received()).toEqual([]);
  });

  it('leaves the watchdog of another process alone', async () => {
    const socket = `@k8ts-notify-other-${process.pid}`;
    receiver = receiveUnixDatagrams(socket);
    const clock = new VirtualClock();
    takeServiceNotifier({ NOTIFY_SOCKET: socket, WATCHDOG_USEC: '2000000', WATCHDOG_PID: '1' }).ready(
      createContext({ clock }),
      'ready',
    );
    await clock.advance(5000);
    expect(receiver.received()).toEqual(['READY=1\nSTATUS=ready\n']);
  });

  it('does not fail when nobody listens, or without systemd', () => {
    const context = createContext({ clock: new VirtualClock(), writeLog: () => undefined });
    takeServiceNotifier({ NOTIFY_SOCKET: '/nowhere/notify' }).ready(context, '');
    takeServiceNotifier({}).ready(context, '');
  });
});
