/** What a test prints when its expectation was not met in time: what the last write caused, and why its object is not as wanted. */
import type { Client, ResourceFinder } from '../../client/index.ts';
import type { RecordedSpan } from '../../kernel/index.ts';
import type { Answer } from '../answers.ts';
import { answerText } from '../why/text.ts';
import { lastTraceOf } from './remote-spans.ts';
import { traceText } from './text.ts';
import { isRequest, spansOf, traceOf } from './trace.ts';
import { waitingPods } from './waiting-pods.ts';

interface ReportOptions {
  readonly client: Client;
  readonly finder: ResourceFinder;
  readonly spans: readonly RecordedSpan[];
  /** Whose last write counts, where no object is named. */
  readonly user: string;
  /** `deployment/web` */
  readonly about?: string;
  readonly namespace: string;
  why(reference: string, namespace: string): Promise<Answer>;
}

interface Written {
  readonly root: number;
  readonly reference: string;
  readonly namespace: string;
}

export async function timeoutReport(options: ReportOptions): Promise<string> {
  const written = options.about === undefined ? lastWrite(options) : await writeOf(options, options.about);
  if (!written) return 'nothing was written that could be followed';
  const trace = traceOf(options.spans, written.root);
  const parts: string[] = [];
  if (trace) {
    const waiting = await waitingPods(options.client, spansOf(trace.root));
    parts.push(traceText({ ...trace, waiting: waiting.map(({ text }) => text) }));
  }
  if (written.reference !== '')
    parts.push(
      await options.why(written.reference, written.namespace).then(answerText, (error: unknown) => String(error)),
    );
  return parts.join('\n');
}

async function writeOf({ finder, spans, namespace }: ReportOptions, about: string): Promise<Written> {
  const [kind = '', name = ''] = about.split('/');
  const { plural, group, namespaced } = await finder.byName(kind);
  const object = { resource: plural, group, namespace: namespaced ? namespace : '', name };
  return { root: lastTraceOf(spans, object) ?? 0, reference: about, namespace };
}

/** Of that user, not of a controller because of something else. */
function lastWrite({ spans, user }: ReportOptions): Written | undefined {
  const byId = new Map(spans.map((span) => [span.id, span]));
  for (const { name, parent, attributes } of spans.toReversed()) {
    const request = name === 'commit' ? byId.get(parent) : undefined;
    if (!request || !isRequest(request) || request.attributes['user.name'] !== user) continue;
    const root = byId.get(request.parent)?.id ?? request.id;
    const { 'k8s.resource': resource, 'k8s.object.name': object, 'k8s.namespace.name': namespace } = attributes;
    const isPresent = attributes['etcd.operation'] === 'put';
    return { root, reference: isPresent ? `${resource}/${object}` : '', namespace: String(namespace ?? '') };
  }
  return undefined;
}
