/** Offers this process as the holder of a lease whose holder the server picks: coordinated leader election. */
import type { LeaseCandidate } from '../api/generated/coordination-v1beta1.ts';
import { KUBERNETES_MAJOR, KUBERNETES_VERSION, type EffectiveVersion } from '../api/kubernetes-version.ts';
import { formatMicroTime } from '../base/index.ts';
import type { Context } from '../kernel/index.ts';
import { featureEnabled } from '../machinery/index.ts';
import type { Client } from './client.ts';
import { isNotFound } from './errors.ts';

export interface CandidateVersions {
  /** Of the program: 1.36.4. */
  readonly binaryVersion: string;
  readonly emulationVersion: string;
}

/** Undefined while the gate is off: then the candidates compete for the lease. */
export function candidateVersions(
  featureGates: Readonly<Record<string, boolean>>,
  { emulation }: EffectiveVersion,
): CandidateVersions | undefined {
  if (!featureEnabled('CoordinatedLeaderElection', featureGates)) return undefined;
  return {
    binaryVersion: KUBERNETES_VERSION.slice(1),
    emulationVersion: `${KUBERNETES_MAJOR}.${emulation}.0`,
  };
}

interface Candidacy {
  readonly client: Client;
  readonly namespace: string;
  /** The lease. */
  readonly name: string;
  readonly identity: string;
  readonly retryPeriodMs?: number;
}

/** The server waits five seconds for an answer to its question whether this still is a candidate. */
const LOOK_MS = 2000;
const RENEW_MS = 300_000;

/** Renews the candidacy when the server asks, and every few minutes; ends with the signal. */
export async function standAsCandidate(
  { clock, logger }: Pick<Context, 'clock' | 'logger'>,
  { client, namespace, name, identity, retryPeriodMs = LOOK_MS }: Candidacy,
  versions: CandidateVersions,
  signal: AbortSignal,
): Promise<void> {
  const candidates = client.resource('coordination.k8s.io/v1beta1/leasecandidates');
  const at = { namespace, name: identity };
  while (!signal.aborted) {
    const renewTime = formatMicroTime(clock.now());
    try {
      const current = await candidates.get(at, { signal });
      if (isAsked(current) || clock.now() - Date.parse(current.spec?.renewTime ?? '') >= RENEW_MS)
        await candidates.update({ ...current, spec: { ...current.spec!, renewTime } }, { signal });
    } catch (error) {
      if (signal.aborted) return;
      if (isNotFound(error)) await create(renewTime);
      else logger.error(error, 'Could not renew the lease candidate', { candidate: `${namespace}/${identity}` });
    }
    await clock.sleep(Math.min(retryPeriodMs, LOOK_MS), signal).catch(() => {});
  }

  async function create(renewTime: string): Promise<void> {
    const spec = { leaseName: name, ...versions, strategy: 'OldestEmulationVersion' as const, renewTime };
    try {
      await candidates.create({ metadata: at, spec }, { signal });
    } catch (error) {
      if (!signal.aborted)
        logger.error(error, 'Could not create the lease candidate', { candidate: `${namespace}/${identity}` });
    }
  }
}

const isAsked = ({ spec }: LeaseCandidate): boolean =>
  spec?.pingTime != null && Date.parse(spec.pingTime) > Date.parse(spec.renewTime ?? '1970-01-01T00:00:00Z');
