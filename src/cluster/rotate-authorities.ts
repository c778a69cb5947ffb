/**
 * A step of the rotation of the CAs on this server (`apiserver/pki/rotate-authorities.ts` has the steps). Servers take each
 * step one after the other. The next CAs are in a Secret that only servers can open: its key is derived from the CA's own.
 * The Secret also has who has taken which step, so that nobody goes ahead of the others.
 */
import { hkdfSync } from 'node:crypto';
import path from 'node:path';
import type { Node, Secret } from '../api/generated/core-v1.ts';
import {
  certificatesIn,
  createNextAuthorities,
  forgetPreviousAuthorities,
  rotationState,
  signWithNextAuthorities,
  trustNextAuthorities,
  type NextAuthorities,
} from '../apiserver/index.ts';
import { ownValue } from '../base/index.ts';
import { isConflict, isNotFound, type Client } from '../client/index.ts';
import type { Context } from '../kernel/index.ts';
import { caHash, readClusterConfig } from './discovery/index.ts';
import { ADMIN } from './identities.ts';
import { ISSUER_ANNOTATION, TRUSTED_ANNOTATION } from './machine-node/index.ts';
import { seal, unseal } from './server-join/index.ts';
import type { Cluster } from './start-cluster.ts';

export const ROTATION_STEPS = ['begin', 'switch', 'finish'] as const;

export type RotationStep = (typeof ROTATION_STEPS)[number];

class RotationError extends Error {
  override readonly name = 'RotationError';
  readonly code = 'authority-rotation';
}

const SECRET = { namespace: 'kube-system', name: 'k8ts-next-authorities' };
const CONTEXT = 'next authorities';
const ATTEMPTS = 10;
const stepAnnotation = (step: RotationStep): string => `k8ts.dev/${step}-done-by`;

interface Rotation {
  readonly ctx: Context;
  readonly cluster: Cluster;
  readonly client: Client;
  /** The PKI of this server. */
  readonly directory: string;
  /** The addresses of all servers, with this one. */
  readonly servers: readonly string[];
}

/** Writes the files; the server uses them when it starts again. What was done, in words. */
export async function rotateAuthorities(
  ctx: Context,
  cluster: Cluster,
  { step, force }: { readonly step: RotationStep; readonly force: boolean },
): Promise<string> {
  const { dataDirectory, advertiseAddress } = cluster;
  if (dataDirectory === undefined) throw new RotationError('the cluster is kept in memory alone, and its CA with it');
  const directory = path.join(dataDirectory, 'pki');
  const client = cluster.clientAs(ADMIN, 'k8ts', ctx.signal);
  const servers = [...new Set([advertiseAddress, ...(await otherServers(client))])];
  const rotation: Rotation = { ctx, cluster, client, directory, servers };
  const state = rotationState(directory);
  switch (step) {
    case 'begin':
      if (state === 'switched')
        throw new RotationError('the next CA signs already; "k8ts certs rotate-ca finish" ends the rotation');
      await trustNextAuthorities(directory, await nextAuthorities(rotation));
      break;
    case 'switch':
      if (state !== 'trusted')
        throw new RotationError('there is no next CA yet: "k8ts certs rotate-ca begin" makes one');
      if (!force) await checkOthers(rotation, 'begin');
      await signWithNextAuthorities(directory);
      break;
    case 'finish':
      if (state !== 'switched')
        throw new RotationError('no CA is on its way out: "k8ts certs rotate-ca begin" and "switch" come first');
      if (!force) await checkOthers(rotation, 'switch');
      await forgetPreviousAuthorities(directory);
      break;
    default:
      throw new RotationError(`there is no step ${JSON.stringify(step)} of a rotation`);
  }
  const missing = await record(rotation, step);
  return `${DONE[step]}${missing.length > 0 ? `; do the same on ${missing.join(', ')}` : ''}`;
}

const DONE: Readonly<Record<RotationStep, string>> = {
  begin: 'the next CA is trusted besides the present one',
  switch: 'the next CA signs now, and certificates of the one before are still accepted',
  finish: 'the CA of before is trusted no more',
};

async function otherServers(client: Client): Promise<string[]> {
  try {
    const { servers } = await readClusterConfig(client);
    return servers.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, ''));
  } catch (error) {
    // A cluster that no machine can join has no such ConfigMap.
    if (isNotFound(error)) return [];
    throw error;
  }
}

const findSecret = (client: Client): Promise<Secret | undefined> =>
  client
    .resource('v1/secrets')
    .get(SECRET)
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      return undefined;
    });

/** Those of the server that began, or new ones. */
async function nextAuthorities({ ctx, cluster, client, directory }: Rotation): Promise<NextAuthorities> {
  const key = Buffer.from(hkdfSync('sha256', cluster.pki.ca.key, '', CONTEXT, 32));
  const found = await findSecret(client);
  if (found) {
    try {
      return unseal(Buffer.from(found.data?.['keys'] ?? '', 'base64'), key, CONTEXT) as NextAuthorities;
    } catch (cause) {
      throw new RotationError(
        `the Secret ${SECRET.namespace}/${SECRET.name} is not of this rotation; delete it if no server is in one`,
        { cause },
      );
    }
  }
  const next = await createNextAuthorities(ctx, directory);
  const keys = seal(ctx.random, next, key, CONTEXT).toString('base64');
  await client.resource('v1/secrets').create({ type: 'Opaque', metadata: { ...SECRET }, data: { keys } });
  return next;
}

const doneBy = (secret: Secret | undefined, step: RotationStep): string[] =>
  (ownValue(secret?.metadata.annotations, stepAnnotation(step)) ?? '').split(' ').filter((one) => one !== '');

/** Remembers that this server has taken the step; the servers that have not. After the last one the Secret goes. */
async function record({ client, cluster, servers }: Rotation, step: RotationStep): Promise<string[]> {
  const secrets = client.resource('v1/secrets');
  for (let attempt = 0; ; attempt++) {
    const found = await findSecret(client);
    const done = [...new Set([...doneBy(found, step), cluster.advertiseAddress])];
    const missing = servers.filter((one) => !done.includes(one));
    if (!found) return [];
    const annotations = { ...found.metadata.annotations, [stepAnnotation(step)]: done.join(' ') };
    try {
      if (step === 'finish' && missing.length === 0) await secrets.delete(SECRET);
      else await secrets.update({ ...found, metadata: { ...found.metadata, annotations } });
      return missing;
    } catch (error) {
      if (!isConflict(error) || attempt >= ATTEMPTS) throw error;
    }
  }
}

/**
 * All other servers have taken the step before this one, and all machines have followed. Of this server its files tell: the address
 * under which it took that step may have been another one.
 */
async function checkOthers({ client, cluster, servers }: Rotation, step: RotationStep): Promise<void> {
  const done = [...doneBy(await findSecret(client), step), cluster.advertiseAddress];
  const behind = servers.filter((one) => !done.includes(one));
  if (behind.length > 0)
    throw new RotationError(
      `"k8ts certs rotate-ca ${step}" was not done on ${behind.join(', ')}; --force goes on anyway`,
    );
  const [signer, other] = certificatesIn(cluster.pki.ca.certificate).map(caHash);
  const { items } = await client.resource('v1/nodes').list();
  const inProcess = new Set([
    ...cluster.simulatedNodes.names,
    ...(cluster.fleet?.fabric.nodes.keys() ?? []),
    ...(cluster.machine ? [cluster.machine.name] : []),
  ]);
  const isServer = ({ status }: Node): boolean =>
    status?.addresses?.some(({ address }) => servers.includes(address)) ?? false;
  const hasFollowed = ({ metadata: { annotations = {} } }: Node): boolean =>
    step === 'begin'
      ? (annotations[TRUSTED_ANNOTATION] ?? '').split(',').includes(other ?? '')
      : annotations[ISSUER_ANNOTATION] === signer;
  const late = items
    .filter((node) => !inProcess.has(node.metadata.name ?? '') && !isServer(node) && !hasFollowed(node))
    .map(({ metadata }) => metadata.name);
  if (late.length > 0)
    throw new RotationError(
      `${step === 'begin' ? 'the next CA is not yet trusted by' : 'certificates of the CA of before are in use on'} ${late.join(', ')}; machines follow within a minute; --force goes on without them`,
    );
}
