/** Drains a node: cordons it, then evicts the pods that have to leave. */
import { useEffect, useState } from 'preact/hooks';
import type { ApiObject, ObjectList } from '../api/objects.ts';
import { api, messageOf } from '../api/request.ts';
import { pathOf } from '../api/resources.ts';
import { visible } from '../format.ts';
import { Dialog, Notice, Pill } from '../parts/basics.tsx';
import { T } from '../texts.ts';
import type { TabProps } from './tab-props.ts';

const MIRROR = 'kubernetes.io/config.mirror';
const MAX_SHOWN = 30;

/** As `kubectl drain --ignore-daemonsets` chooses them. */
const leaves = ({ metadata, status }: ApiObject): boolean =>
  !Object.hasOwn(metadata.annotations ?? {}, MIRROR) &&
  !metadata.ownerReferences?.some(({ kind, controller }) => kind === 'DaemonSet' && controller) &&
  !['Succeeded', 'Failed'].includes(String(status?.['phase'])) &&
  metadata.deletionTimestamp === undefined;

export function DrainDialog({ type, object, onClose }: TabProps & { onClose: () => void }) {
  const [pods, setPods] = useState<readonly ApiObject[]>();
  const [error, setError] = useState<string>();
  const [results, setResults] = useState<ReadonlyMap<string, string>>();
  const { name } = object.metadata;
  useEffect(() => {
    const query = new URLSearchParams({ fieldSelector: `spec.nodeName=${name}` });
    api<ObjectList>(`/api/v1/pods?${query.toString()}`).then(
      ({ items }) => setPods(items.filter(leaves)),
      (problem: unknown) => setError(messageOf(problem)),
    );
  }, [name]);
  const drain = async (): Promise<void> => {
    await api(`${pathOf(type, { name })}?fieldManager=k8ts-console`, {
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: { spec: { unschedulable: true } },
    });
    setResults(new Map());
    for (const { metadata } of pods ?? []) {
      const { namespace = '', name: pod, uid = '' } = metadata;
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/eviction`;
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace } };
      const refusal = await api(path, { method: 'POST', body }).then(
        () => '',
        (problem: unknown) => messageOf(problem),
      );
      setResults((old) => new Map(old).set(uid, refusal));
    }
  };
  return (
    <Dialog title={T.actions.drainTitle(visible(name))} onClose={onClose}>
      {error !== undefined && <Notice kind="error">{visible(error)}</Notice>}
      {pods === undefined && error === undefined && <p class="dim">{T.state.loading}</p>}
      {pods && <p>{pods.length > 0 ? T.actions.drains(pods.length) : T.actions.drainNothing}</p>}
      <ul class="related">
        {pods?.slice(0, MAX_SHOWN).map(({ metadata }) => {
          const result = results?.get(metadata.uid ?? '');
          return (
            <li key={metadata.uid}>
              {visible(metadata.namespace)}/{visible(metadata.name)}{' '}
              {result !== undefined && (
                <Pill
                  health={result === '' ? 'ok' : 'bad'}
                  text={result === '' ? T.actions.evicted : `${T.actions.refused}: ${result}`}
                />
              )}
            </li>
          );
        })}
        {(pods?.length ?? 0) > MAX_SHOWN && <li>{T.object.moreRelated(pods!.length - MAX_SHOWN)}</li>}
      </ul>
      <p class="dim">{T.actions.drainKeeps}</p>
      <footer>
        <button type="button" onClick={onClose} autofocus>
          {results ? T.actions.close : T.actions.cancel}
        </button>
        {!results && (
          <button
            type="button"
            class="danger"
            disabled={pods === undefined}
            onClick={() => void drain().catch((problem: unknown) => setError(messageOf(problem)))}
          >
            {T.actions.confirmDrain}
          </button>
        )}
      </footer>
    </Dialog>
  );
}
