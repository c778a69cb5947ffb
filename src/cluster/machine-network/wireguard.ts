/** Encryption between machines by the kernel's WireGuard: its key, its interface, and the configuration that `wg` reads. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { writeFileDurably } from '../../kernel/index.ts';
import { addLink, deleteLink, findLink, NetlinkSocket, runIn, setLink } from '../../net/netns/index.ts';
import type { WireguardPeer } from './plan-network.ts';

/** Where a node tells its public key to the others. */
export const WIREGUARD_ANNOTATION = 'k8ts.dev/wireguard-public-key';
export const WIREGUARD_INTERFACE = 'k8ts.wg';
/** UDP */
const PORT = 51_820;

export interface WireguardKeys {
  readonly privateKey: string;
  readonly publicKey: string;
}

const base64 = (key: KeyObject, field: 'd' | 'x'): string =>
  Buffer.from(key.export({ format: 'jwk' })[field] ?? '', 'base64url').toString('base64');

/** The machine's keys; made at its first start. */
export async function openWireguardKeys(directory: string): Promise<WireguardKeys> {
  const file = path.join(directory, 'wireguard.key');
  if (!fs.existsSync(file))
    await writeFileDurably(
      file,
      generateKeyPairSync('x25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    );
  const key = createPrivateKey(fs.readFileSync(file, 'utf8'));
  return { privateKey: base64(key, 'd'), publicKey: base64(createPublicKey(key), 'x') };
}

/** As `wg setconf` reads it. */
export const wireguardConfig = (privateKey: string, peers: readonly WireguardPeer[]): string =>
  [
    ['[Interface]', `PrivateKey = ${privateKey}`, `ListenPort = ${PORT}`],
    ...peers.map(({ publicKey, address, ranges }) => [
      '[Peer]',
      `PublicKey = ${publicKey}`,
      `Endpoint = ${address.includes(':') ? `[${address}]` : address}:${PORT}`,
      `AllowedIPs = ${ranges.join(', ')}`,
    ]),
  ]
    .map((section) => `${section.join('\n')}\n`)
    .join('\n');

/** Why this machine cannot encrypt; undefined when it can. */
export async function wireguardObstacle(): Promise<string | undefined> {
  const socket = new NetlinkSocket(undefined);
  const name = 'k8ts.wg-try';
  try {
    await socket.send([addLink({ name, kind: 'wireguard' })]);
    await socket.send([deleteLink({ name })]);
  } catch (error) {
    return (error as { code?: string }).code === 'EOPNOTSUPP'
      ? 'the kernel of this machine has no WireGuard (CONFIG_WIREGUARD), which --encrypt needs: load its module, or start without --encrypt'
      : `WireGuard, which --encrypt needs, cannot be used: ${(error as Error).message}`;
  } finally {
    socket.close();
  }
  return runIn('wg', ['--version']).then(
    () => undefined,
    () => '--encrypt needs the program wg (apt install wireguard-tools)',
  );
}

/** Makes the interface and sets its peers; returns its index. */
export async function syncWireguard(
  socket: NetlinkSocket,
  {
    keys,
    peers,
    mtu,
  }: { readonly keys: WireguardKeys; readonly peers: readonly WireguardPeer[]; readonly mtu: number },
): Promise<number> {
  const name = WIREGUARD_INTERFACE;
  if ((await findLink(socket, name)) === undefined) await socket.send([addLink({ name, kind: 'wireguard' })]);
  await runIn('wg', ['syncconf', name, '/dev/stdin'], { input: wireguardConfig(keys.privateKey, peers) });
  await socket.send([setLink({ name, mtu, up: true })]);
  const link = await findLink(socket, name);
  if (link === undefined) throw new Error(`the interface ${name} could not be made`);
  return link.index;
}
