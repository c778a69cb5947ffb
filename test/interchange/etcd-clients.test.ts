/**
 * etcd's clients on `k8ts etcd`: every command of etcdctl ends as it does on etcd, with the same output, and python's client works.
 * What `k8ts etcd` does not have, users and changes of members, is refused by name.
 */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RealClock } from '../../src/kernel/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { freePort } from '../free-port.ts';
import { builtProgram } from '../k8ts-process.ts';
import { everything, findProgram, findPrograms, requires } from '../requires.ts';

const missing = requires('etcd', 'etcdctl') ?? (everything ? undefined : 'runs with everything');
const title = `etcd's clients${missing ? ` (skipped: ${missing})` : ''}`;
const clock = new RealClock();

interface Command {
  /** Separated by spaces; DIRECTORY is a directory of the test, LEASE the lease that was granted last. */
  readonly args: string;
  readonly input?: string;
  /** The lines to compare; all if it is missing. */
  readonly only?: RegExp;
  /** Ends a command that would go on. */
  readonly limitMs?: number;
}

const COMMANDS: readonly Command[] = [
  { args: 'put a 1' },
  { args: 'put a 2 --prev-kv' },
  { args: 'put empty', input: 'from stdin' },
  { args: 'put a 3 --ignore-lease' },
  { args: 'put missing --ignore-value' },
  { args: 'get a' },
  { args: 'get a -w json', only: /"count":1/ },
  { args: 'get a -w fields', only: /^"(?:Key|CreateRevision|Version|Value|Lease|More|Count)"/ },
  { args: 'get a --print-value-only' },
  { args: 'get nothing' },
  { args: 'put b 1' },
  { args: 'put c 1' },
  { args: 'get a c' },
  { args: 'get --prefix --keys-only --limit=2 a' },
  { args: 'get --from-key b' },
  { args: 'get --prefix --count-only -w fields a', only: /Count/ },
  { args: 'get --prefix a --sort-by=VALUE --order=DESCEND' },
  { args: 'get a --rev=2' },
  { args: 'get a --rev=99999' },
  { args: 'get a --consistency=s' },
  { args: 'txn', input: 'value("a") = "3"\n\nput t yes\nget t\n\nput t no\n\n' },
  { args: 'txn', input: 'version("a") > "100"\n\nput t yes\n\nget a\ndel b\n\n' },
  { args: 'txn', input: 'nonsense\n\n\n\n' },
  { args: 'del b' },
  { args: 'del c --prev-kv' },
  { args: 'del --prefix nothing' },
  { args: 'lease grant 600', only: /lease \S+ granted/ },
  { args: 'put leased 1 --lease=LEASE' },
  { args: 'lease timetolive LEASE --keys', only: /granted with TTL\(600s\)|leased/ },
  { args: 'lease keep-alive LEASE --once', only: /keepalived with TTL\(600\)/ },
  { args: 'lease list', only: /found/ },
  { args: 'lease revoke LEASE', only: /revoked/ },
  { args: 'lease revoke LEASE', only: /not found/ },
  { args: 'get leased' },
  { args: 'watch a --rev=1 --prev-kv', limitMs: 3000 },
  { args: 'watch --prefix t --rev=1', limitMs: 3000 },
  { args: 'watch a --rev=1 -- echo seen', limitMs: 3000 },
  { args: 'compaction 4' },
  { args: 'compaction 4' },
  { args: 'compaction 99999' },
  { args: 'compaction --physical 5' },
  { args: 'get a --rev=2' },
  { args: 'watch a --rev=1', limitMs: 3000, only: /compacted|canceled/ },
  { args: 'defrag', only: /Finished/ },
  { args: 'snapshot save DIRECTORY/snapshot', only: /Snapshot saved/ },
  { args: 'snapshot status DIRECTORY/snapshot -w json', only: /totalKey/ },
  { args: 'alarm list' },
  { args: 'alarm disarm' },
  { args: 'endpoint health', only: /is healthy/ },
  { args: 'endpoint status -w fields', only: /^"(?:IsLearner|Errors)"/ },
  { args: 'endpoint hashkv -w fields', only: /^"Revision"/ },
  { args: 'member list -w fields', only: /^"(?:IsLearner)"/ },
  { args: 'lock mutex echo held' },
  { args: 'elect leader me', limitMs: 3000, only: /^me$/ },
  { args: 'elect leader --listen', limitMs: 2000, only: /nothing/ },
  { args: 'auth status', only: /Authentication Status: false/ },
  { args: 'auth disable' },
  { args: 'user list' },
  { args: 'user get nobody' },
  { args: 'user delete nobody' },
  { args: 'role list' },
  { args: 'role get nothing' },
  { args: 'role delete nothing' },
  { args: 'move-leader 1', only: /nothing/ },
  { args: 'check perf --load=s', limitMs: 90_000, only: /^PASS$/ },
  { args: 'version', only: /etcdctl version/ },
];

/** Refused with an error that says so. */
const REFUSED = [
  'auth enable',
  'user add someone --no-password',
  'role add reader',
  'member add other --peer-urls=http://127.0.0.1:1',
  'member remove 1',
] as const;

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe.skipIf(missing)(title, { timeout: 400_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-etcd-clients-'));
  const children: ChildProcess[] = [];

  afterAll(async () => {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(directory, { recursive: true, force: true });
  });

  async function startEtcd(side: 'upstream' | 'k8ts', name: string): Promise<string> {
    const url = `http://127.0.0.1:${await freePort()}`;
    const flags = [
      `--data-dir=${join(directory, name)}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
    ];
    const child =
      side === 'upstream'
        ? spawn(findProgram('etcd')!, [...flags, '--listen-peer-urls=http://127.0.0.1:0', '--log-level=error'])
        : spawn(process.execPath, [await builtProgram(), 'etcd', ...flags]);
    children.push(child);
    const answers = (): Promise<boolean> =>
      fetch(`${url}/health`, { signal: clock.deadline(1000) }).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(`${side} etcd is healthy`, answers, { intervalMs: 100 });
    return url;
  }

  const run = (program: string, url: string, args: readonly string[], { input, limitMs }: Partial<Command> = {}) =>
    new Promise<Outcome>((resolve) => {
      const child = execFile(
        program,
        ['--endpoints', url, ...args],
        { env: { ...process.env, ETCDCTL_API: '3' }, timeout: limitMs ?? 30_000, killSignal: 'SIGINT' },
        (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
      );
      // A command that reads nothing may have ended.
      child.stdin?.on('error', () => {});
      child.stdin?.end(input ?? '');
    });

  describe.each([...new Map(findPrograms('etcdctl').map((program) => [versionOf(program), program]))])(
    'etcdctl %s',
    (version, program) => {
      let urls: readonly string[] = [];
      beforeAll(async () => {
        urls = [await startEtcd('upstream', `etcd-${version}`), await startEtcd('k8ts', `k8ts-${version}`)];
      });

      it('every command ends as it does on etcd', async () => {
        const differences: string[] = [];
        const leases = ['', ''];
        for (const command of COMMANDS) {
          const texts = await Promise.all(
            urls.map(async (url, i) => {
              const words = command.args
                .split(' ')
                .map((word) => word.replace('DIRECTORY', join(directory, String(i))).replace('LEASE', leases[i]!));
              const outcome = await run(program, url, words, command);
              leases[i] = /lease (\S+) granted/.exec(outcome.stdout)?.[1] ?? leases[i]!;
              return comparable(outcome, command, leases[i]!);
            }),
          );
          if (texts[0] !== texts[1])
            differences.push(`etcdctl ${command.args}\n--- etcd\n${texts[0]}\n--- k8ts\n${texts[1]}`);
        }
        expect(differences.join('\n\n')).toBe('');
      });

      it.each(REFUSED)('%s is refused by name', async (args) => {
        const { code, stderr } = await run(program, urls[1]!, args.split(' '));
        expect(code).not.toBe(0);
        expect(stderr).toMatch(/k8ts etcd|not supported|not implemented/i);
      });

      it('mirrors keys to the other etcd, and back', async () => {
        for (const [from, to] of [urls, urls.toReversed()] as [string, string][]) {
          const key = `mirrored-${urls.indexOf(from)}`;
          await run(program, from, ['put', key, 'x']);
          await run(program, from, ['make-mirror', '--prefix', 'mirrored', to.replace('http://', '')], {
            limitMs: 4000,
          });
          expect((await run(program, to, ['get', key, '--print-value-only'])).stdout).toBe('x\n');
        }
      });
    },
  );

  const noPython = pythonMissing();
  it.skipIf(noPython)(`python's client${noPython ? ` (skipped: ${noPython})` : ''}`, async () => {
    const outputs = [];
    for (const side of ['upstream', 'k8ts'] as const) {
      const port = new URL(await startEtcd(side, `python-${side}`)).port;
      outputs.push(execFileSync('python3', ['-c', PYTHON, port], { encoding: 'utf8', timeout: 60_000 }));
    }
    expect(outputs[1]).toBe(outputs[0]);
    expect(outputs[0]).toContain('the end');
  });
});

function versionOf(program: string): string {
  const text = execFileSync(program, ['version'], { encoding: 'utf8', env: { ...process.env, ETCDCTL_API: '3' } });
  return /etcdctl version: (\S+)/.exec(text)?.[1] ?? program;
}

function pythonMissing(): string | undefined {
  try {
    execFileSync('python3', ['-c', 'import etcd3'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return "needs python's etcd3";
  }
}

/** Without what differs between two servers: leases, member ids, times, ports. */
function comparable({ code, stdout, stderr }: Outcome, { only, limitMs }: Command, lease: string): string {
  const text = `${stdout}${stderr}`
    .replaceAll(lease === '' ? '\0' : lease, 'LEASE')
    .replace(/"(?:cluster_id|member_id|raft_term|revision|mod_revision)":\d+,?/g, '')
    .replace(/\{"level":"(?:info|warn)".*\n?/g, '')
    .replace(/^.*(?:INFO|WARN|DEBUG).*\n?/gm, '')
    .replace(/127\.0\.0\.1:\d+/g, 'ENDPOINT')
    .replace(/took = \S+|took \S+/g, 'took TIME')
    .replace(/\/\S*\/[01]\/snapshot/g, 'SNAPSHOT')
    .replace(/mutex\/[0-9a-f]+|leader\/[0-9a-f]+/g, 'OWNER')
    .replace(/"(?:hash|totalSize|revision)":\d+,?/g, '');
  const lines = text.split('\n').filter((line) => (only ? only.test(line) : true));
  // What ends a command that goes on does not matter.
  return [...(limitMs ? [] : [`exit code ${code}`]), ...lines].join('\n');
}

const PYTHON = `
import sys, threading, etcd3
client = etcd3.client(host='127.0.0.1', port=int(sys.argv[1]))
client.put('/a', '1')
print(client.get('/a')[0], client.get('/nothing')[0])
print(client.replace('/a', '1', '2'), client.replace('/a', '1', '3'))
print(client.put_if_not_exists('/a', 'x'), client.put_if_not_exists('/b', 'x'))
print([(meta.key, value) for value, meta in client.get_prefix('/')])
print([value for value, meta in client.get_range('/a', '/b')])
lease = client.lease(60)
client.put('/leased', 'l', lease)
print(lease.granted_ttl, lease.keys)
print([response.TTL for response in lease.refresh()])
lease.revoke()
print(client.get('/leased')[0])
print(client.transaction(
    compare=[client.transactions.value('/a') == '2', client.transactions.version('/a') > 0],
    success=[client.transactions.put('/t', 'yes'), client.transactions.get('/t')],
    failure=[client.transactions.delete('/a')])[0])
events, cancel = client.watch_prefix('/w')
threading.Timer(0.3, lambda: [client.put('/w1', 'x'), client.delete('/w1')]).start()
seen = [type(next(events)).__name__ for _ in range(2)]
cancel()
print(seen)
with client.lock('mutex', ttl=20) as lock:
    print(lock.is_acquired())
print(client.delete('/a'), client.delete('/a'), client.delete_prefix('/').deleted)
print(len(list(client.members)), client.status().version != '', len(list(client.list_alarms())))
client.compact(3)
client.defragment()
print('the end')
`;
