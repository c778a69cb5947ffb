/** Spans of what the kubelet does for a pod: each is caused by the revision of the pod that it saw. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { revisionOf, type Attributes, type SpanStart, type Tracer } from '../../kernel/index.ts';

export function podSpan({ metadata, spec }: Pod, attributes: Attributes = {}): SpanStart {
  const seen = revisionOf(metadata.resourceVersion);
  return {
    causes: seen === undefined ? [] : [seen],
    attributes: {
      'k8s.key': `${metadata.namespace}/${metadata.name}`,
      'k8s.node.name': spec?.nodeName,
      ...attributes,
    },
  };
}

/** Records `work`; it gets the span's id, as the cause of what it writes. */
export async function spanned<T>(
  tracer: Tracer,
  { name, pod, attributes }: { readonly name: string; readonly pod: Pod; readonly attributes?: Attributes },
  work: (span: number) => Promise<T>,
): Promise<T> {
  if (!tracer.enabled) return work(0);
  const span = tracer.start(name, podSpan(pod, attributes));
  try {
    const result = await work(span.id);
    tracer.end(span);
    return result;
  } catch (error) {
    tracer.end(span, error);
    throw error;
  }
}
