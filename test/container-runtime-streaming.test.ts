import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  execText,
  runContainer,
  startRuntimeFixture,
  type RunningContainer,
  type RuntimeFixture,
} from './container-runtime-fixture.ts';
import { kubectl, spawnKubectl, startStreamGate, type KubectlProtocol, type StreamGate } from './kubectl-streams.ts';
import { requires } from './requires.ts';
import { WebSocketCommand } from './websocket-command.ts';

const missing = requires('root', 'runc', 'conmon', 'busybox', 'kubectl');
if (missing) console.warn(`container-runtime-streaming: skipped, ${missing}`);

const PROTOCOLS: readonly KubectlProtocol[] = ['websocket', 'spdy'];

describe.skipIf(missing)('streams of the container runtime, with kubectl', () => {
  let fixture: RuntimeFixture;
  let gate: StreamGate;
  let shell: RunningContainer;
  beforeAll(async () => {
    fixture = await startRuntimeFixture();
    shell = await runContainer(
      fixture,
      'mkdir /tmp/www; echo hello from the pod > /tmp/www/index.html; exec httpd -f -p 127.0.0.1:8080 -h /tmp/www',
    );
    gate = await startStreamGate(fixture, shell);
  });
  afterAll(async () => {
    await gate?.close();
    await fixture?.close();
  });

  describe.each(PROTOCOLS)('over %s', (protocol) => {
    it('runs a command and returns its output and exit code', async () => {
      const result = await kubectl(gate, protocol, ['exec', 'web', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3']);
      expect(result).toEqual({ code: 3, stdout: 'out\n', stderr: 'err\ncommand terminated with exit code 3\n' });
    });

    it('sends stdin to its end', async () => {
      const input = Buffer.alloc(1_000_000, 'abcdefghij');
      const result = await kubectl(gate, protocol, ['exec', '-i', 'web', '--', 'wc', '-c'], input);
      expect(result).toEqual({ code: 0, stdout: '1000000\n', stderr: '' });
    });

    it('reports why a command cannot run', async () => {
      const { code, stdout, stderr } = await kubectl(gate, protocol, ['exec', 'web', '--', 'nosuchcommand']);
      expect(code).toBe(1);
      expect(stdout).toBe('');
      expect(stderr.trim().split('\n')).toEqual([
        expect.stringMatching(
          /error executing command in container: failed to exec in container: .*"nosuchcommand": executable file not found/,
        ),
      ]);
    });

    it('forwards connections to a port of the sandbox', async () => {
      const child = spawnKubectl(gate, protocol, ['port-forward', 'pod/web', ':8080']);
      let output = '';
      child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
      try {
        await expect.poll(() => output).toMatch(/Forwarding from 127\.0\.0\.1:(\d+)/);
        const port = Number(/127\.0\.0\.1:(\d+)/.exec(output)![1]);
        for (let round = 0; round < 3; round++) {
          const answer = await untilAnswered(port);
          expect(answer).toContain('hello from the pod');
        }
      } finally {
        child.kill();
        await once(child, 'exit');
      }
    });
  });

  it('has a terminal with input, resizing and an exit code', async () => {
    const { url = '' } = await fixture.client.runtime.exec({
      containerId: shell.containerId,
      cmd: ['sh'],
      tty: true,
      stdin: true,
      stdout: true,
    });
    const client = new WebSocketCommand(url);
    await client.open();
    client.resize(132, 43);
    client.type('tty\n');
    // runc is told of a size by a signal, which does not wait for its turn among the input.
    const shown = (): string => {
      client.type('stty size\n');
      return client.output.stdout;
    };
    await expect.poll(shown).toContain('43 132\r\n');
    client.resize(100, 20);
    await expect.poll(shown).toContain('20 100\r\n');
    client.type('exit 6\n');
    expect(await client.status()).toMatchObject({
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '6' }] },
    });
    expect(client.output.stdout).toContain('/dev/pts/');
    expect(client.output.stderr).toBe('');
  });

  it.each(['onlcr', '-onlcr'])(
    'ends lines once, whether or not the process has set %s in its terminal',
    async (setting) => {
      const { url = '' } = await fixture.client.runtime.exec({
        containerId: shell.containerId,
        cmd: ['sh', '-c', `stty ${setting}; echo one; echo two`],
        tty: true,
        stdout: true,
      });
      const client = new WebSocketCommand(url);
      expect(await client.status()).toEqual({ metadata: {}, status: 'Success' });
      expect(client.output.stdout).toBe('one\r\ntwo\r\n');
    },
  );

  it('hangs up a terminal when its client disconnects', async () => {
    const { url = '' } = await fixture.client.runtime.exec({
      containerId: shell.containerId,
      cmd: ['sh', '-c', 'exec sleep 4321'],
      tty: true,
      stdin: true,
      stdout: true,
    });
    const client = new WebSocketCommand(url);
    await client.open();
    await expect.poll(() => execText(fixture, shell.containerId, 'ps')).toContain('sleep 4321');
    client.cut();
    await expect.poll(() => execText(fixture, shell.containerId, 'ps')).not.toContain('sleep 4321');
  });

  it('accepts a URL once', async () => {
    const { url = '' } = await fixture.client.runtime.exec({
      containerId: shell.containerId,
      cmd: ['true'],
      stdout: true,
    });
    expect(await new WebSocketCommand(url).status()).toEqual({ metadata: {}, status: 'Success' });
    await expect(new WebSocketCommand(url).closed).rejects.toThrow('404');
    await expect(new WebSocketCommand(`${url}x`).closed).rejects.toThrow('404');
  });

  it.each([
    { name: 'with a terminal', tty: true, typed: 'a line\n', shown: 'a line\r\ngot a line\r\n' },
    { name: 'without a terminal', tty: false, typed: 'a line\n', shown: 'got a line\n' },
  ])('attaches to a container $name', async ({ tty, typed, shown }) => {
    const { containerId } = await runContainer(fixture, 'while read line; do echo got $line; done; echo over', {
      container: { tty, stdin: true, stdinOnce: true },
    });
    const { url = '' } = await fixture.client.runtime.attach({
      containerId,
      stdin: true,
      stdout: true,
      stderr: !tty,
      tty,
    });
    const client = new WebSocketCommand(url);
    await client.open();
    if (tty) client.resize(100, 50);
    client.type(typed);
    await expect.poll(() => client.output.stdout).toBe(shown);
    if (tty) expect(await execText(fixture, containerId, 'sh', '-c', 'stty size < /proc/1/fd/0')).toBe('50 100\n');
    if (tty) client.type('\u0004');
    else client.endStdin();
    expect(await client.status()).toEqual({ metadata: {}, status: 'Success' });
    expect(client.output.stdout).toContain('over');
    await expect
      .poll(async () => (await fixture.client.runtime.containerStatus({ containerId })).status!.state)
      .toBe('CONTAINER_EXITED');
  });

  it('attaches until the last output, however late it is read', async () => {
    const script = 'read line; echo begin; for word in one two three; do sleep 0.2; echo $word; done';
    const { containerId } = await runContainer(fixture, script, { container: { stdin: true, stdinOnce: true } });
    const { url = '' } = await fixture.client.runtime.attach({ containerId, stdin: true, stdout: true, stderr: true });
    const client = new WebSocketCommand(url);
    await client.open();
    client.type('go\n');
    await expect.poll(() => client.output.stdout).toBe('begin\n');
    // The runtime, which is in this process, does nothing until the container has exited.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000);
    expect(await client.status()).toEqual({ metadata: {}, status: 'Success' });
    expect(client.output.stdout).toBe('begin\none\ntwo\nthree\n');
  });

  it('ends the attach of a client whose stdin ends when the stdin of the container stays open', async () => {
    const { containerId } = await runContainer(fixture, 'while read line; do echo got $line; done; echo over', {
      container: { stdin: true, stdinOnce: false },
    });
    for (const typed of ['one', 'two']) {
      const { url = '' } = await fixture.client.runtime.attach({
        containerId,
        stdin: true,
        stdout: true,
        stderr: true,
      });
      const client = new WebSocketCommand(url);
      await client.open();
      client.type(`${typed}\n`);
      await expect.poll(() => client.output.stdout).toBe(`got ${typed}\n`);
      client.endStdin();
      expect(await client.status()).toEqual({ metadata: {}, status: 'Success' });
      expect(client.output.stdout).toBe(`got ${typed}\n`);
    }
    expect((await fixture.client.runtime.containerStatus({ containerId })).status!.state).toBe('CONTAINER_RUNNING');
  });
});

/** The pod's server takes one connection at a time, and is away for a moment after each. */
async function untilAnswered(port: number): Promise<string> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const socket = net.connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.0\r\n\r\n');
    await Promise.race([once(socket, 'close'), sleep(3000)]);
    socket.destroy();
    if (text !== '') return text;
    await sleep(50);
  }
  return '';
}
