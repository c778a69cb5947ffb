/** A trace as steps between the parts of the cluster. */
import {
  flat,
  isCommit,
  isRequest,
  isWork,
  milliseconds,
  textOf,
  titleOf,
  userOf,
  type Span,
  type Trace,
  type TraceNode,
} from '../api/trace.ts';
import { T } from '../texts.ts';

export type Actor = keyof typeof T.trace.actors;

export interface Step {
  readonly span: Span;
  readonly depth: number;
  readonly from: Actor;
  readonly to: Actor;
  readonly title: string;
  /** Who, and how it ended. */
  readonly details: string;
  readonly failed: boolean;
}

function actorOfUser(user: string): Actor {
  if (user.startsWith('system:node:')) return 'kubelet';
  if (user === 'system:kube-scheduler') return 'scheduler';
  if (user === 'system:kube-proxy') return 'proxy';
  if (user === 'system:apiserver') return 'api';
  if (/^system:(?:kube-controller-manager|cloud-controller-manager|serviceaccount:kube-system:)/.test(user))
    return 'controllers';
  return 'client';
}

const ACTORS_OF_WORK: ReadonlyMap<string, Actor> = new Map([
  ['kube-scheduler', 'scheduler'],
  ['kubelet', 'kubelet'],
  ['kube-proxy', 'proxy'],
]);

/** In the order of their start. */
export function stepsOf({ root }: Trace): Step[] {
  const steps = flat(root).map(({ node, depth }) => stepOf(node, depth));
  return steps.sort((a, b) => a.span.startedAt - b.span.startedAt || a.span.id - b.span.id);
}

function stepOf(node: TraceNode, depth: number): Step {
  const { span, children } = node;
  const commits = children.filter((child) => isCommit(child.span));
  const title = titleOf(span, commits);
  const took = span.endedAt === undefined ? '' : milliseconds(span.endedAt - span.startedAt);
  const failed = span.error !== undefined;
  const join = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(' · ');
  const base = { span, depth, title, failed };
  if (isRequest(span)) {
    const details = join(userOf(span), textOf(span, 'http.response.status_code'), took, span.error ?? '');
    return { ...base, from: actorOfUser(textOf(span, 'user.name')), to: 'api', details };
  }
  if (isCommit(span))
    return { ...base, from: 'api', to: 'etcd', details: join(T.trace.revision(textOf(span, 'etcd.revision')), took) };
  if (isWork(span)) {
    const to = ACTORS_OF_WORK.get(textOf(span, 'k8s.controller')) ?? 'controllers';
    return { ...base, from: 'api', to, details: join(textOf(span, 'k8s.node.name'), took, span.error ?? '') };
  }
  return { ...base, from: 'client', to: 'client', details: took };
}
