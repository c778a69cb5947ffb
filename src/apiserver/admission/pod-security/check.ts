/** A check of the Pod Security Standards, and the texts that checks share. */
import type { Container, EphemeralContainer, PodSpec } from '../../../api/generated/core-v1.ts';
import type { ObjectMeta } from '../../../api/generated/meta-v1.ts';
import { allContainers } from '../../../component-helpers/index.ts';

export type AnyContainer = Container | EphemeralContainer;

/** A violation: its reason, and a detail that names the containers or fields. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type CheckPod = (spec: PodSpec, metadata: ObjectMeta) => Violation | undefined;

export interface Check {
  readonly id: string;
  /** In ascending order of the minor version of v1 that introduced them. */
  readonly versions: readonly VersionedCheck[];
}

export interface VersionedCheck {
  readonly since: number;
  readonly check: CheckPod;
  /** Baseline checks that this one replaces, so that a violation is reported once. */
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

/** Names the pod and containers that set a forbidden value: `pod and container "a"`; empty if none does. */
export const settersText = (podIsBad: boolean, containers: readonly string[]): string =>
  !podIsBad && containers.length === 0
    ? ''
    : [...(podIsBad ? ['pod'] : []), ...(containers.length > 0 ? [containersText(containers)] : [])].join(' and ');

/** Root in a pod with a user namespace is an unprivileged user on the host. */
export const hasUserNamespace = ({ hostUsers }: PodSpec): boolean => hostUsers === false;
