import type { ServiceAccount } from '../../../api/generated/core-v1.ts';
/**
 * ServiceAccount: every pod runs as one. Pods that name none get `default`; the account gives them its token, its image
 * pull secrets, and, where it insists, a limit on the secrets that they may use.
 */
import { cloneJson, whenDone } from '../../../base/index.ts';
import type { Context } from '../../../kernel/index.ts';
import { isStatusError } from '../../../machinery/errors/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { Registry } from '../../registry/registry.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { isFor, isMirrorPod, podOf, specOf, type PodObject } from '../kinds.ts';
import { referencesSecrets, usesTokenProjection } from '../pod-references.ts';
import { refuse } from '../refuse.ts';
import {
  enforcesMountableSecrets,
  forbiddenEphemeralReference,
  forbiddenSecretReference,
} from './secret-references.ts';
import { mountToken } from './token-volume.ts';

const DEFAULT_ACCOUNT = 'default';

/** How long a pod waits for the account that its new namespace is about to get. */
const DEFAULT_ACCOUNT_PATIENCE_MS = 1500;

type Account = ServiceAccount & KubeObject;

export function serviceAccountPlugin(ctx: Context, registry: Registry): AdmissionPlugin {
  const accounts = registry.require('', 'v1', 'serviceaccounts');

  /** At once, if the cache has it. */
  function accountOf(attributes: AdmissionAttributes, name: string): Account | Promise<Account> {
    const known = accounts.cache.get(attributes.namespace, name);
    return known ? (known.object as Account) : lookedUp(attributes, name);
  }

  async function lookedUp(attributes: AdmissionAttributes, name: string): Promise<Account> {
    const { namespace } = attributes;
    const found = name === DEFAULT_ACCOUNT ? await appearing(namespace) : await stored(namespace, name);
    if (!found)
      throw refuse(
        attributes,
        `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`,
      );
    return found;
  }

  async function stored(namespace: string, name: string): Promise<Account | undefined> {
    try {
      return (await registry.objects.fresh(accounts, { namespace, name })).object as Account;
    } catch (error) {
      if (isStatusError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** The default account of a new namespace is made by a controller, which may take a moment. */
  function appearing(namespace: string): Promise<Account | undefined> {
    return new Promise((resolve) => {
      const finish = (account: Account | undefined): void => {
        timer.cancel();
        stopWatching();
        resolve(account);
      };
      const timer = ctx.clock.after(DEFAULT_ACCOUNT_PATIENCE_MS, () => finish(undefined));
      const stopWatching = accounts.cache.watch({
        scope: `${namespace}/${DEFAULT_ACCOUNT}`,
        deliver: (event) => {
          if (event.type !== 'DELETED') finish(event.entry.object as Account);
        },
      });
    });
  }

  function admitPod(attributes: AdmissionAttributes): Promise<void> | void {
    const pod = podOf(attributes);
    if (isMirrorPod(pod)) return checkMirrorPod(attributes, pod);
    const spec = specOf(pod);
    if (!spec.serviceAccountName) spec.serviceAccountName = DEFAULT_ACCOUNT;
    // The old name of the field always says the same.
    spec.serviceAccount = spec.serviceAccountName;
    return whenDone(accountOf(attributes, spec.serviceAccountName), (account) => complete(attributes, pod, account));
  }

  function complete(attributes: AdmissionAttributes, pod: PodObject, account: Account): void {
    const spec = specOf(pod);
    if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec, ctx.random);
    if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length)
      spec.imagePullSecrets = cloneJson(account.imagePullSecrets);
    checkSecrets(attributes, pod, account);
  }

  function checkSecrets(attributes: AdmissionAttributes, pod: PodObject, account: Account): void {
    if (!enforcesMountableSecrets(account)) return;
    const reason = forbiddenSecretReference(specOf(pod), account);
    if (reason) throw refuse(attributes, reason);
  }

  async function validateEphemeralContainers(attributes: AdmissionAttributes): Promise<void> {
    const spec = specOf(podOf(attributes));
    const account = await accountOf(attributes, spec.serviceAccountName ?? '');
    const reason = enforcesMountableSecrets(account) ? forbiddenEphemeralReference(spec, account) : undefined;
    if (reason) throw refuse(attributes, reason);
  }

  return {
    name: 'ServiceAccount',
    operations: ['CREATE', 'UPDATE'],
    matches: (attributes) =>
      isFor(attributes, '', 'pods') &&
      (attributes.operation === 'CREATE'
        ? attributes.subresource === ''
        : attributes.subresource === 'ephemeralcontainers'),
    admit: (attributes) => (attributes.operation === 'CREATE' ? admitPod(attributes) : undefined),
    validate(attributes) {
      if (attributes.operation === 'UPDATE') return validateEphemeralContainers(attributes);
      const pod = podOf(attributes);
      if (isMirrorPod(pod)) return checkMirrorPod(attributes, pod);
      const name = specOf(pod).serviceAccountName ?? '';
      if (name === '')
        throw refuse(
          attributes,
          `no service account specified for pod ${attributes.namespace}/${pod.metadata.name ?? ''}`,
        );
      return whenDone(accountOf(attributes, name), (account) => checkSecrets(attributes, pod, account));
    },
  };
}

function checkMirrorPod(attributes: AdmissionAttributes, pod: PodObject): void {
  const spec = specOf(pod);
  if (spec.serviceAccountName) throw refuse(attributes, 'a mirror pod may not reference service accounts');
  if (referencesSecrets(spec)) throw refuse(attributes, 'a mirror pod may not reference secrets');
  if (usesTokenProjection(spec))
    throw refuse(attributes, 'a mirror pod may not use ServiceAccountToken volume projections');
}
