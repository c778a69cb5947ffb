import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFabric } from '../src/cluster/fabric/index.ts';
import { BridgeNetwork } from '../src/container-runtime/network/index.ts';
import { createContext, RealClock, SeededRandom } from '../src/kernel/index.ts';
import { connectIn, deleteNetns, isNetns, listenIn, runIn } from '../src/net/netns/index.ts';
import { TestNamespaces } from '../src/net/netns/testing/index.ts';
import { everything, requires } from './requires.ts';

const missing = requires('root', 'ip', 'nft', 'tc');
const rounds = everything ? 50 : 2;
const clock = new RealClock();

describe.skipIf(missing !== undefined)(
  `the network after kill -9${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    test(
      `${rounds} rounds: pods keep their addresses, no two share one, nothing is left behind`,
      { timeout: rounds * 60_000 },
      async () => {
        const ctx = createContext({ writeLog: () => {} });
        const namespaces = new TestNamespaces();
        const { directory } = namespaces;
        const host = namespaces.create('host');
        await runIn('ip', ['link', 'set', 'lo', 'up'], { netns: host });
        const chance = new SeededRandom(42);
        const podNamespaces = (): string[] =>
          fs.existsSync(path.join(directory, 'pods'))
            ? fs.readdirSync(path.join(directory, 'pods')).filter((id) => isNetns(path.join(directory, 'pods', id)))
            : [];
        try {
          for (let round = 0; round < rounds; round++) {
            const child = spawn(
              process.execPath,
              [
                '--import',
                'tsx',
                path.join(import.meta.dirname, 'network-crash-worker.ts'),
                directory,
                host,
                String(round),
              ],
              { stdio: ['ignore', 'pipe', 'inherit'] },
            );
            await once(child.stdout, 'data');
            await clock.sleep(20 + chance.next() * 400);
            expect(child.exitCode, `it was running in round ${round}`).toBeNull();
            child.kill('SIGKILL');
            await once(child, 'exit');

            const fabric = await createFabric(ctx, {
              name: 'crash',
              stateDirectory: path.join(directory, 'fabric'),
              hostNetns: host,
            });
            for (const [name, node] of fabric.nodes) {
              const network = await BridgeNetwork.open(ctx, {
                nodeNetns: node.netnsPath,
                stateDirectory: path.join(directory, name),
              });
              await network.configure({ podCidrs: [`10.244.${name.split('-')[1]}.0/24`] });
              const live = podNamespaces().filter((id) => id.startsWith(name));
              await network.reconcile(live);
              const attachments = live
                .map((id) => network.attachment(id))
                .filter((attachment) => attachment !== undefined);
              const addresses = attachments.map(({ ips }) => ips[0]!);
              expect(new Set(addresses).size, 'no address twice').toBe(addresses.length);
              const veths = (await runIn('ip', ['-br', 'link', 'show', 'type', 'veth'], { netns: node.netnsPath }))
                .split('\n')
                .filter((line) => line.startsWith('veth'));
              const half = fs
                .readdirSync(path.join(directory, name))
                .filter((file) => file.endsWith('.attachment.json')).length;
              expect(veths.length, 'an interface per attachment').toBeLessThanOrEqual(half);
              // Whoever was half attached is attached now, and every pod answers.
              for (const id of live) {
                const netnsPath = path.join(directory, 'pods', id);
                const { ips } = await network.attach({ id, name: id, namespace: 'default', uid: '', netnsPath });
                const server = net.createServer((socket) => socket.end('yes'));
                await listenIn(server, { netns: netnsPath, host: '0.0.0.0', port: 80 });
                const socket = connectIn({ netns: host, host: ips[0]!, port: 80, signal: AbortSignal.timeout(30_000) });
                expect(String((await once(socket, 'data'))[0])).toBe('yes');
                server.close();
              }
              await network.close();
            }
            await fabric.close();
          }
          for (const id of podNamespaces()) deleteNetns(path.join(directory, 'pods', id));
          const fabric = await createFabric(ctx, {
            name: 'crash',
            stateDirectory: path.join(directory, 'fabric'),
            hostNetns: host,
          });
          for (const [name, node] of fabric.nodes) {
            const network = await BridgeNetwork.open(ctx, {
              nodeNetns: node.netnsPath,
              stateDirectory: path.join(directory, name),
            });
            await network.reconcile([]);
            await network.close();
            expect(await runIn('ip', ['-br', 'link'], { netns: node.netnsPath })).not.toMatch(/^(veth|ifb)/m);
            expect(await runIn('nft', ['list', 'tables'], { netns: node.netnsPath })).not.toContain('hostports');
          }
          await fabric.destroy();
          expect(await runIn('ip', ['-br', 'link'], { netns: host })).toMatch(/^lo [^\n]*\n$/);
          expect(await runIn('ip', ['route'], { netns: host })).toBe('');
          expect(await runIn('nft', ['list', 'ruleset'], { netns: host })).toBe('');
        } finally {
          namespaces.close();
        }
      },
    );
  },
);
