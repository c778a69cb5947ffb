import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../src/kernel/testing/index.ts';
import { createNetns, deleteNetns } from '../src/net/netns/index.ts';
import { removeCgroups } from './container-runtime-fixture.ts';
import { startRuntimeProcess, type RuntimeProcess } from './container-runtime-process.ts';
import { everything, findProgram, requires } from './requires.ts';
import { busyboxImage, dockerArchive, type TestImage } from './test-images.ts';

const missing = requires('root', 'runc', 'conmon', 'busybox', 'ip');
if (missing) console.warn(`container-runtime-crash: skipped, ${missing}`);

const ROUNDS = everything ? 50 : 3;
const PODS = 6;
const CGROUPS = existsSync('/sys/fs/cgroup/memory') ? '/sys/fs/cgroup/memory' : '/sys/fs/cgroup';

describe.skipIf(missing)('the container runtime, killed at any time', () => {
  const name = `crtk-${process.pid}`;
  const state = `/run/k8ts-test/${name}`;
  const netns = `${state}-node`;
  const socket = `${state}.sock`;
  let directory: string;
  let runtime: RuntimeProcess;
  let image: TestImage;
  const start = async (): Promise<void> => {
    const flags = {
      root: join(directory, 'root'),
      state,
      'cgroup-parent': `/${name}`,
      'node-netns': netns,
      'pod-cidr': '10.198.1.0/24',
    };
    runtime = await startRuntimeProcess(socket, [
      ...Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]),
      '--load-archive',
      join(directory, 'image.tar'),
    ]);
  };

  beforeAll(async () => {
    image = busyboxImage();
    directory = mkdtempSync(join(tmpdir(), `${name}-`));
    writeFileSync(join(directory, 'image.tar'), dockerArchive(image));
    createNetns(netns);
    await start();
    await until('the image is loaded', () => runtime.output().includes('loaded'));
  });

  afterAll(async () => {
    await runtime?.kill('SIGTERM');
    deleteNetns(netns);
    removeCgroups(`/${name}`);
    rmSync(state, { recursive: true, force: true });
    rmSync(directory, { recursive: true, force: true });
  });

  /** What the caller was told: the containers whose start was answered, by what they run. */
  const started = new Map<string, { containerId: string; pid: number }>();
  let sequence = 0;

  /** Makes pods, removes some, as fast as it can, until the runtime is gone. */
  async function work(slot: number): Promise<void> {
    const { runtime: cri } = runtime.client;
    for (;;) {
      const number = ++sequence;
      const marker = String(5_000_000 + number);
      const config = {
        metadata: { name: `pod-${number}`, uid: `uid-${number}`, namespace: 'default' },
        logDirectory: join(directory, 'logs', String(number)),
        linux: {
          cgroupParent: `/${name}/pod-${number}`,
          securityContext: { namespaceOptions: { pid: slot % 3 === 0 ? ('POD' as const) : ('CONTAINER' as const) } },
        },
      };
      const { podSandboxId = '' } = await cri.runPodSandbox({ config });
      const { containerId = '' } = await cri.createContainer({
        podSandboxId,
        sandboxConfig: config,
        config: {
          metadata: { name: 'main' },
          image: { image: image.id },
          command: ['sleep', marker],
          logPath: 'main.log',
          linux: { securityContext: config.linux.securityContext },
        },
      });
      await cri.startContainer({ containerId });
      started.set(marker, { containerId, pid: processesOf(marker)[0] ?? 0 });
      if (number % 3 === 0) {
        started.delete(marker);
        await cri.removePodSandbox({ podSandboxId });
      }
    }
  }

  it(
    `loses and repeats nothing in ${ROUNDS} rounds, and leaves nothing behind`,
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const working = Promise.allSettled(Array.from({ length: PODS }, (_, slot) => work(slot)));
        await sleep(100 + Math.random() * 900);
        await runtime.kill('SIGKILL');
        await working;
        await start();
        const { containers = [] } = await runtime.client.runtime.listContainers({
          filter: { state: { state: 'CONTAINER_RUNNING' } },
        });
        const running = new Set(containers.map((container) => container.id));
        for (const [marker, { containerId, pid }] of started) {
          expect(running, `container ${containerId} of ${marker}`).toContain(containerId);
          // The start is answered when the process exists; it may have become the program a moment later.
          if (pid === 0) expect(processesOf(marker), `processes of ${containerId}`).toHaveLength(1);
          else expect(processesOf(marker), `process of ${containerId}`).toEqual([pid]);
        }
        // Whatever else was on its way is there at most once, and what runs is known to run.
        for (let number = 1; number <= sequence; number++)
          expect(processesOf(String(5_000_000 + number)).length).toBeLessThanOrEqual(1);
        const { items = [] } = await runtime.client.runtime.listPodSandbox({});
        // The caller goes on as a kubelet does: what it did not ask for to stay goes.
        const wanted = new Set(
          [...started.values()].map(
            ({ containerId }) => containers.find((container) => container.id === containerId)?.podSandboxId,
          ),
        );
        const keep = [...wanted].slice(0, 4);
        await Promise.all(
          items
            .filter((item) => !keep.includes(item.id))
            .map(({ id = '' }) => runtime.client.runtime.removePodSandbox({ podSandboxId: id })),
        );
        for (const [marker, { containerId }] of started) {
          if (!keep.includes(containers.find((container) => container.id === containerId)?.podSandboxId))
            started.delete(marker);
        }
      }
      const { items = [] } = await runtime.client.runtime.listPodSandbox({});
      await Promise.all(items.map(({ id = '' }) => runtime.client.runtime.removePodSandbox({ podSandboxId: id })));
      await expect.poll(leftovers).toEqual([]);
    },
    ROUNDS * 60_000,
  );

  it.runIf(everything)('waits for what the killed one was creating, and deletes it (long form)', async () => {
    // As on a machine that is busy: the OCI runtime makes state and cgroup long after its caller was killed.
    const slow = join(directory, 'slow');
    const [begun, goOn] = [join(slow, 'begun'), join(slow, 'go-on')];
    mkdirSync(slow);
    writeFileSync(
      join(slow, 'runc'),
      `#!/bin/sh
case " $* " in *" create "*) ;; *) exec ${findProgram('runc')} "$@";; esac
for id; do :; done
touch ${begun}
until [ -e ${goOn} ]; do sleep 0.1; done
mkdir -p ${join(state, 'oci/runc')}/$id ${join(CGROUPS, name, 'pod-slow')}/$id
`,
      { mode: 0o755 },
    );
    const { PATH } = process.env;
    await runtime.kill('SIGTERM');
    process.env['PATH'] = `${slow}:${PATH}`;
    await start();
    process.env['PATH'] = PATH;
    const creating = runtime.client.runtime
      .runPodSandbox({
        config: {
          metadata: { name: 'slow', uid: 'slow', namespace: 'default' },
          logDirectory: join(directory, 'logs', 'slow'),
          linux: { cgroupParent: `/${name}/pod-slow`, securityContext: { namespaceOptions: { pid: 'POD' } } },
        },
      })
      .catch(() => undefined);
    await until('the sandbox is being created', () => existsSync(begun));
    await runtime.kill('SIGKILL');
    await creating;
    await start();
    writeFileSync(goOn, '');
    expect((await runtime.client.runtime.listPodSandbox({})).items ?? []).toEqual([]);
    await until('the OCI runtime has ended', () => !processes().some((words) => words.includes('create')));
    expect(leftovers()).toEqual([]);
  });

  function leftovers(): string[] {
    const folders = [
      join(state, 's'),
      join(state, 'c'),
      join(state, 'exits'),
      join(state, 'oci/runc'),
      join(directory, 'root/sandboxes'),
      join(directory, 'root/containers'),
      join(directory, 'root/images/snapshots'),
    ];
    const files = folders.flatMap((folder) =>
      existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : [],
    );
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[4] ?? '')
      .filter((point) => point.startsWith(`${state}/`) || point.startsWith(directory));
    const conmons = readdirSync('/proc').filter(
      (pid) => /^\d+$/.test(pid) && commandOf(pid).some((word) => word.startsWith(`${state}/`)),
    );
    const links = execFileSync('nsenter', [`--net=${netns}`, 'ip', '-o', 'link', 'show', 'type', 'veth'], {
      encoding: 'utf8',
    })
      .split('\n')
      .filter((line) => line !== '');
    const cgroups = existsSync(join(CGROUPS, name))
      ? readdirSync(join(CGROUPS, name), { recursive: true, encoding: 'utf8' }).filter((path) =>
          /\/[0-9a-f]{64}$/.test(path),
        )
      : [];
    return [...files, ...mounts, ...conmons, ...links, ...cgroups];
  }

  /** The command lines that name the runtime's state directory. */
  const processes = (): string[][] =>
    readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid))
      .map((pid) => commandOf(pid))
      .filter((words) => words.some((word) => word.startsWith(`${state}/`)));

  function commandOf(pid: string): string[] {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    } catch {
      return [];
    }
  }

  /** The pids of `sleep MARKER`, wherever they run. */
  function processesOf(marker: string): number[] {
    return readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid) && commandOf(pid)[1] === marker && commandOf(pid)[0] === 'sleep')
      .map(Number);
  }
});
