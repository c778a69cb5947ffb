/**
 * ServiceAccount: every pod runs as a ServiceAccount, `default` if it names none. The plugin mounts a bound token, adds the
 * account's image pull secrets, and limits the pod to the account's Secrets if the account enforces that.
 */
import type { ServiceAccount } from '../../../api/generated/core-v1.ts';
import { cloneJson, whenDone } from '../../../base/index.ts';
import type { Context } from '../../../kernel/index.ts';
import { isStatusError } from '../../../machinery/errors/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { Registry } from '../../registry/registry.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { newForbidden } from '../new-forbidden.ts';
import { referencesSecrets, usesTokenProjection } from '../pod-references.ts';
import { isForResource, isMirrorPod, podOf, specOf, type PodObject } from '../request-objects.ts';
import {
  enforcesMountableSecrets,
  forbiddenEphemeralReference,
  forbiddenSecretReference,
} from './secret-references.ts';
import { mountToken } from './token-volume.ts';

const DEFAULT_ACCOUNT = 'default';

/** A controller creates the default ServiceAccount of a new namespace; a pod waits this long for it. */
const DEFAULT_ACCOUNT_TIMEOUT_MS = 1500;

type Account = ServiceAccount & KubeObject;

export function serviceAccountPlugin(ctx: Context, registry: Registry): AdmissionPlugin {
  const lookup = new ServiceAccountLookup(ctx, registry);
  return {
    name: 'ServiceAccount',
    operations: ['CREATE', 'UPDATE'],
    matches: (attributes) =>
      isForResource(attributes, '', 'pods') &&
      (attributes.operation === 'CREATE'
        ? attributes.subresource === ''
        : attributes.subresource === 'ephemeralcontainers'),
    admit: (attributes) => (attributes.operation === 'CREATE' ? admitPod(ctx, lookup, attributes) : undefined),
    validate: (attributes) =>
      attributes.operation === 'CREATE'
        ? validatePod(lookup, attributes)
        : validateEphemeralContainers(lookup, attributes),
  };
}

/** Finds ServiceAccounts in the watch cache; those that are not there in the store, or by waiting for them. */
class ServiceAccountLookup {
  readonly #ctx: Context;
  readonly #registry: Registry;
  readonly #accounts: ServedResource;

  constructor(ctx: Context, registry: Registry) {
    this.#ctx = ctx;
    this.#registry = registry;
    this.#accounts = registry.require('', 'v1', 'serviceaccounts');
  }

  /** Synchronous if the watch cache has the account. */
  find(attributes: AdmissionAttributes, name: string): Account | Promise<Account> {
    const cached = this.#accounts.cache.get(attributes.namespace, name);
    return cached ? (cached.object as Account) : this.#findUncached(attributes, name);
  }

  async #findUncached(attributes: AdmissionAttributes, name: string): Promise<Account> {
    const { namespace } = attributes;
    const found =
      name === DEFAULT_ACCOUNT ? await this.#waitForDefault(namespace) : await this.#readStored(namespace, name);
    if (!found)
      throw newForbidden(
        attributes,
        `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
      );
    return found;
  }

  async #readStored(namespace: string, name: string): Promise<Account | undefined> {
    try {
      return (await this.#registry.objects.fresh(this.#accounts, { namespace, name })).object as Account;
    } catch (error) {
      if (isStatusError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #waitForDefault(namespace: string): Promise<Account | undefined> {
    return new Promise((resolve) => {
      const finish = (account: Account | undefined): void => {
        timer.cancel();
        stopWatching();
        resolve(account);
      };
      const timer = this.#ctx.clock.after(DEFAULT_ACCOUNT_TIMEOUT_MS, () => finish(undefined));
      const stopWatching = this.#accounts.cache.watch({
        scope: `${namespace}/${DEFAULT_ACCOUNT}`,
        deliver: (event) => {
          if (event.type !== 'DELETED') finish(event.entry.object as Account);
        },
      });
    });
  }
}

function admitPod(
  { random }: Context,
  lookup: ServiceAccountLookup,
  attributes: AdmissionAttributes,
): Promise<void> | void {
  const pod = podOf(attributes);
  if (isMirrorPod(pod)) return checkMirrorPod(attributes, pod);
  const spec = specOf(pod);
  const { record } = attributes;
  if (!spec.serviceAccountName) {
    spec.serviceAccountName = DEFAULT_ACCOUNT;
    record?.changed('spec.serviceAccountName');
  }
  // The deprecated field always has the same value.
  spec.serviceAccount = spec.serviceAccountName;
  const applyAccount = (account: Account): void => {
    if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) {
      const mounted = mountToken(spec, random);
      if (mounted !== undefined) record?.changed('the token volume {} and its mounts', mounted);
    }
    if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length) {
      spec.imagePullSecrets = cloneJson(account.imagePullSecrets);
      record?.changed('spec.imagePullSecrets');
    }
    checkSecrets(attributes, pod, account);
  };
  return whenDone(lookup.find(attributes, spec.serviceAccountName), applyAccount);
}

function validatePod(lookup: ServiceAccountLookup, attributes: AdmissionAttributes): Promise<void> | void {
  const pod = podOf(attributes);
  if (isMirrorPod(pod)) return checkMirrorPod(attributes, pod);
  const name = specOf(pod).serviceAccountName ?? '';
  if (name === '')
    throw newForbidden(
      attributes,
      `no service account specified for pod ${attributes.namespace}/${pod.metadata.name ?? ''}`,
    );
  return whenDone(lookup.find(attributes, name), (account) => checkSecrets(attributes, pod, account));
}

async function validateEphemeralContainers(
  lookup: ServiceAccountLookup,
  attributes: AdmissionAttributes,
): Promise<void> {
  const spec = specOf(podOf(attributes));
  const account = await lookup.find(attributes, spec.serviceAccountName ?? '');
  const reason = enforcesMountableSecrets(account) ? forbiddenEphemeralReference(spec, account) : undefined;
  if (reason) throw newForbidden(attributes, reason);
}

function checkSecrets(attributes: AdmissionAttributes, pod: PodObject, account: Account): void {
  if (!enforcesMountableSecrets(account)) return;
  const reason = forbiddenSecretReference(specOf(pod), account);
  if (reason) throw newForbidden(attributes, reason);
}

function checkMirrorPod(attributes: AdmissionAttributes, pod: PodObject): void {
  const spec = specOf(pod);
  if (spec.serviceAccountName) throw newForbidden(attributes, 'a mirror pod may not reference service accounts');
  if (referencesSecrets(spec)) throw newForbidden(attributes, 'a mirror pod may not reference secrets');
  if (usesTokenProjection(spec))
    throw newForbidden(attributes, 'a mirror pod may not use ServiceAccountToken volume projections');
}
