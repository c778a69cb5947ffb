/**
 * Labels and annotations of sandboxes and containers in the runtime, with upstream's names. After a restart, also of an
 * upstream kubelet, they tell which pod a container belongs to, so that healthy containers keep running.
 */
import type { Container, EphemeralContainer, LifecycleHandler, Pod } from '../../api/generated/core-v1.ts';
import { fnv32a, goJsonText } from '../../base/index.ts';

export const POD_NAME = 'io.kubernetes.pod.name';
export const POD_NAMESPACE = 'io.kubernetes.pod.namespace';
export const POD_UID = 'io.kubernetes.pod.uid';
export const CONTAINER_NAME = 'io.kubernetes.container.name';

const HASH = 'io.kubernetes.container.hash';
const RESTART_COUNT = 'io.kubernetes.container.restartCount';
const TERMINATION_MESSAGE_PATH = 'io.kubernetes.container.terminationMessagePath';
const TERMINATION_MESSAGE_POLICY = 'io.kubernetes.container.terminationMessagePolicy';
const PRE_STOP = 'io.kubernetes.container.preStopHandler';
const PORTS = 'io.kubernetes.container.ports';
const POD_DELETION_GRACE = 'io.kubernetes.pod.deletionGracePeriod';
const POD_TERMINATION_GRACE = 'io.kubernetes.pod.terminationGracePeriod';

type Labels = Record<string, string>;
type ReadonlyLabels = Readonly<Record<string, string>>;

export function sandboxLabels(pod: Pod): Labels {
  return { ...pod.metadata.labels, ...podIdentity(pod) };
}

export function containerLabels(pod: Pod, containerName: string): Labels {
  return { ...podIdentity(pod), [CONTAINER_NAME]: containerName };
}

const podIdentity = ({ metadata: { name = '', namespace = '', uid = '' } }: Pod): Labels => ({
  [POD_NAME]: name,
  [POD_NAMESPACE]: namespace,
  [POD_UID]: uid,
});

export function containerAnnotations(
  pod: Pod,
  container: Container | EphemeralContainer,
  restartCount: number,
): Labels {
  const annotations: Labels = {
    [HASH]: containerHash(container),
    [RESTART_COUNT]: String(restartCount),
    [TERMINATION_MESSAGE_PATH]: container.terminationMessagePath ?? '',
    [TERMINATION_MESSAGE_POLICY]: container.terminationMessagePolicy ?? '',
  };
  const { deletionGracePeriodSeconds } = pod.metadata;
  const terminationGracePeriodSeconds = pod.spec?.terminationGracePeriodSeconds;
  if (deletionGracePeriodSeconds !== undefined) annotations[POD_DELETION_GRACE] = String(deletionGracePeriodSeconds);
  if (terminationGracePeriodSeconds !== undefined)
    annotations[POD_TERMINATION_GRACE] = String(terminationGracePeriodSeconds);
  if (container.lifecycle?.preStop !== undefined) annotations[PRE_STOP] = JSON.stringify(container.lifecycle.preStop);
  if (container.ports !== undefined && container.ports.length > 0) annotations[PORTS] = JSON.stringify(container.ports);
  return annotations;
}

/**
 * A container whose hash changes must be restarted, so the hash covers only fields that cannot change in place. It is
 * upstream's, so that another kubelet restarts nothing: FNV-1a of the JSON text's bytes, as Go prints a slice of bytes.
 */
export function containerHash({ name, image = '' }: Pick<Container, 'name' | 'image'>): string {
  const json = Buffer.from(goJsonText({ image, name }));
  return fnv32a(Buffer.from(`([]uint8)[${json.join(' ')}]`)).toString(16);
}

export interface AnnotatedContainerInfo {
  readonly hash: string | undefined;
  readonly restartCount: number;
  readonly terminationMessagePath: string;
  readonly terminationMessagePolicy: string;
  readonly preStop: LifecycleHandler | undefined;
  readonly terminationGracePeriodSeconds: number | undefined;
}

export function containerInfoFromAnnotations(annotations: ReadonlyLabels = {}): AnnotatedContainerInfo {
  return {
    hash: annotations[HASH],
    restartCount: wholeNumber(annotations[RESTART_COUNT]) ?? 0,
    terminationMessagePath: annotations[TERMINATION_MESSAGE_PATH] ?? '',
    terminationMessagePolicy: annotations[TERMINATION_MESSAGE_POLICY] ?? '',
    preStop: parseHandler(annotations[PRE_STOP]),
    terminationGracePeriodSeconds: wholeNumber(annotations[POD_TERMINATION_GRACE]),
  };
}

function parseHandler(text: string | undefined): LifecycleHandler | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as LifecycleHandler;
  } catch {
    return undefined;
  }
}

function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^-?\d+$/.test(text)) return undefined;
  return Number(text);
}
