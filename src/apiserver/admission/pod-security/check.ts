/** One rule of the Pod Security Standards: what it forbids, and from which version of the standards on. */
import type { Container, EphemeralContainer, PodSpec } from '../../../api/generated/core-v1.ts';
import type { ObjectMeta } from '../../../api/generated/meta-v1.ts';
import { allContainers } from '../kinds.ts';

export type AnyContainer = Container | EphemeralContainer;

/** What a check found: the reason by itself, and who is to blame. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type CheckPod = (spec: PodSpec, metadata: ObjectMeta) => Violation | undefined;

export interface Check {
  readonly id: string;
  /** By the minor version of v1 from which it holds, ascending. */
  readonly versions: readonly VersionedCheck[];
}

export interface VersionedCheck {
  readonly since: number;
  readonly check: CheckPod;
  /** Checks of the baseline that this one covers, and that need not report the same again. */
  readonly overrides?: readonly string[];
}

/** `"a", "b"`, whatever the items contain. */
export const joinQuoted = (items: Iterable<string>): string => `"${[...items].join('", "')}"`;

export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);

/** `container "a"` or `containers "a", "b"`. */
export const containersText = (names: readonly string[]): string =>
  `${plural('container', 'containers', names.length)} ${joinQuoted(names)}`;

const NONE: readonly string[] = [];

export function containersWhere(spec: PodSpec, isBad: (container: AnyContainer) => boolean): readonly string[] {
  let names: string[] | undefined;
  for (const container of allContainers(spec)) if (isBad(container)) (names ??= []).push(container.name);
  return names ?? NONE;
}

/** The pod itself and its containers that set something they must not: `pod and container "a"`; empty when none does. */
export const settersText = (podIsBad: boolean, containers: readonly string[]): string =>
  !podIsBad && containers.length === 0
    ? ''
    : [...(podIsBad ? ['pod'] : []), ...(containers.length > 0 ? [containersText(containers)] : [])].join(' and ');

/** In a user namespace, root inside is nobody outside. */
export const hasUserNamespace = ({ hostUsers }: PodSpec): boolean => hostUsers === false;
