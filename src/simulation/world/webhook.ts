/**
 * The webhook of a world, as an author of policies writes one: it marks new objects with an annotation, and refuses
 * ConfigMaps that are forbidden. Faults make it fail, hang and lie.
 */
import type { SendToWebhook } from '../../apiserver/index.ts';
import type { Random } from '../../kernel/index.ts';

export const WEBHOOK_HOST = 'webhook.example.com';
/** What the webhook adds to what it has seen. */
const SEEN_ANNOTATION = 'webhook.example.com/seen';
/** The key in the data of a ConfigMap that is refused; its value is another one for every request. */
export const FORBIDDEN_KEY = 'forbidden';

export type WebhookMode = 'honest' | 'fails' | 'hangs' | 'lies';

interface Review {
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly object?: { metadata?: { annotations?: object }; data?: Record<string, string> };
  };
}

type Answer = Awaited<ReturnType<SendToWebhook>>;

export class WorldWebhook {
  mode: WebhookMode = 'honest';
  /** What it has refused. */
  readonly refused = new Set<string>();
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  readonly send: SendToWebhook = ({ path, body, signal }) => {
    if (this.mode === 'hangs') return hanging(signal);
    if (this.mode === 'fails') return this.#failing();
    const { request } = JSON.parse(body.toString()) as Review;
    if (this.mode === 'lies') return Promise.resolve(lies[this.#random.integer(lies.length)]!(request.uid));
    return Promise.resolve(path.startsWith('/validate') ? this.#validate(request) : mark(request));
  };

  #failing(): Promise<Answer> {
    if (this.#random.next() < 0.5) return Promise.reject(new Error('dial tcp: connect: connection refused'));
    return Promise.resolve({ status: 500, contentType: 'text/plain', text: 'out of order' });
  }

  #validate({ uid, object }: Review['request']): Answer {
    const forbidden = object?.data?.[FORBIDDEN_KEY];
    if (forbidden === undefined) return review({ uid, allowed: true });
    this.refused.add(forbidden);
    return review({ uid, allowed: false, status: { message: 'it is forbidden' } });
  }
}

function mark({ uid, object }: Review['request']): Answer {
  const path = `/metadata/annotations/${SEEN_ANNOTATION.replace('/', '~1')}`;
  const patch = object?.metadata?.annotations
    ? [{ op: 'add', path, value: 'true' }]
    : [{ op: 'add', path: '/metadata/annotations', value: { [SEEN_ANNOTATION]: 'true' } }];
  return review({ uid, allowed: true, patchType: 'JSONPatch', patch: encoded(patch) });
}

const encoded = (patch: unknown): string => Buffer.from(JSON.stringify(patch)).toString('base64');
const review = (response: object): Answer =>
  json({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });
const json = (value: unknown): Answer => ({
  status: 200,
  contentType: 'application/json',
  text: JSON.stringify(value),
});

const setting = (uid: string, path: string, value: unknown): Answer =>
  review({ uid, allowed: true, patchType: 'JSONPatch', patch: encoded([{ op: 'add', path, value }]) });

/** Answers that no webhook may give: none of them may come into the store. */
const lies: readonly ((uid: string) => Answer)[] = [
  () => ({ status: 200, contentType: 'application/json', text: '' }),
  () => ({ status: 200, contentType: 'application/json', text: '{"apiVersion": "admission.k8s.io/v1", "kind": "Adm' }),
  () => review({ uid: 'another', allowed: true }),
  () => json({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hello' } }),
  (uid) => review({ uid, allowed: true, patchType: 'JSONPatch', patch: encoded([{ op: 'remove', path: '/no/such' }]) }),
  (uid) => review({ uid, allowed: true, patch: encoded([]) }),
  (uid) => review({ uid, allowed: true, patchType: 'JSONPatch', patch: 'bm90IGpzb24=' }),
  // Well formed, and about what is not theirs to say (webhooks may rename).
  (uid) => setting(uid, '/metadata/uid', '00000000-0000-4000-8000-000000000000'),
  (uid) => setting(uid, '/metadata/namespace', 'kube-system'),
  (uid) => setting(uid, '/metadata/creationTimestamp', '2000-01-01T00:00:00Z'),
  (uid) => setting(uid, '/metadata/deletionTimestamp', '2000-01-01T00:00:00Z'),
  (uid) => setting(uid, '/metadata/ownerReferences', [{ kind: 'Nobody' }]),
];

const hanging = (signal: AbortSignal): Promise<Answer> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
