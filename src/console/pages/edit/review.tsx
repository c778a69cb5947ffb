/** What the API server would do with an edit, from a dry run; then the edit itself. */
import { useEffect, useState } from 'preact/hooks';
import { stringify } from 'yaml';
import type { ApiObject } from '../api/objects.ts';
import { api, ApiError, messageOf, type Status } from '../api/request.ts';
import { pathOf, type ResourceType } from '../api/resources.ts';
import { visible } from '../format.ts';
import { Dialog, Notice } from '../parts/basics.tsx';
import { DiffView } from '../parts/diff-view.tsx';
import { toast } from '../parts/toasts.tsx';
import { T } from '../texts.ts';
import { FIELD_MANAGER, sentFor, shown, type Sent } from './minimal-apply.ts';

export interface Edit {
  readonly type: ResourceType;
  /** undefined for an object that does not exist yet. */
  readonly live: ApiObject | undefined;
  readonly edited: Record<string, unknown>;
}

interface Outcome {
  readonly result?: ApiObject;
  readonly conflict?: Status;
  readonly error?: string;
}

const metadataOf = (edited: Record<string, unknown>): { name?: string; namespace?: string } =>
  (edited['metadata'] ?? {}) as { name?: string; namespace?: string };

async function submit({ type, live, edited }: Edit, options: { dryRun: boolean; force: boolean }): Promise<ApiObject> {
  const query = new URLSearchParams({ fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' });
  if (options.dryRun) query.set('dryRun', 'All');
  const { name, namespace } = metadataOf(edited);
  if (live === undefined)
    return api<ApiObject>(`${pathOf(type, { namespace: namespace ?? 'default' })}?${query.toString()}`, {
      method: 'POST',
      body: edited,
    });
  const path = pathOf(type, { namespace: live.metadata.namespace, name: live.metadata.name });
  if (name !== live.metadata.name || (namespace ?? '') !== (live.metadata.namespace ?? ''))
    throw new Error(T.edit.renamed);
  const sent: Sent = sentFor(live, edited);
  if (sent.how === 'update') return api<ApiObject>(`${path}?${query.toString()}`, { method: 'PUT', body: sent.object });
  if (options.force) query.set('force', 'true');
  return api<ApiObject>(`${path}?${query.toString()}`, {
    method: 'PATCH',
    contentType: 'application/apply-patch+yaml',
    body: sent.object,
  });
}

export const yamlOf = (object: ApiObject): string => stringify(shown(object), { lineWidth: 0 });

/** The version and the generation change with every write, and a write may reorder fields: neither says anything. */
export function comparable(object: ApiObject): string {
  const { resourceVersion: _, generation: __, ...metadata } = object.metadata;
  const compared = shown({ ...object, metadata: metadata as ApiObject['metadata'] });
  return stringify(compared, { lineWidth: 0, sortMapEntries: true });
}

export function Review({
  edit,
  onDone,
  onClose,
}: {
  edit: Edit;
  onDone: (object: ApiObject) => void;
  onClose: () => void;
}) {
  const [outcome, setOutcome] = useState<Outcome>();
  const [force, setForce] = useState(false);
  useEffect(() => {
    submit(edit, { dryRun: true, force }).then(
      (result) => setOutcome({ result }),
      (error: unknown) =>
        setOutcome(
          error instanceof ApiError && error.code === 409 && error.status.details?.causes
            ? { conflict: error.status }
            : { error: messageOf(error) },
        ),
    );
  }, [force]);
  const apply = (): void => {
    submit(edit, { dryRun: false, force }).then(
      (object) => {
        toast(edit.live ? T.edit.saved : T.edit.created);
        onDone(object);
      },
      (error: unknown) => setOutcome({ error: messageOf(error) }),
    );
  };
  const result = outcome?.result;
  const before = edit.live ? comparable(edit.live) : '';
  const isSame = result !== undefined && before === comparable(result);
  const how =
    edit.live === undefined
      ? T.edit.asCreate
      : sentFor(edit.live, edit.edited).how === 'apply'
        ? T.edit.asApply
        : T.edit.asUpdate;
  return (
    <Dialog title={T.edit.title} onClose={onClose} wide>
      {outcome === undefined && <Notice>{T.state.loading}</Notice>}
      {outcome?.error !== undefined && <Notice kind="error">{visible(outcome.error)}</Notice>}
      {outcome?.conflict && (
        <>
          <Notice kind="error">{T.edit.conflict}</Notice>
          <ul class="evidence">
            {(outcome.conflict.details?.causes ?? []).map(({ field, message }) => (
              <li key={field}>
                <code>{visible(field)}</code>: {visible(message)}
              </li>
            ))}
          </ul>
        </>
      )}
      {result && (
        <>
          <p class="dim">
            {isSame ? T.edit.nothing : T.edit.dryRun} {how}
          </p>
          <DiffView before={before} after={comparable(result)} label={T.edit.title} />
        </>
      )}
      <footer>
        <button type="button" onClick={onClose}>
          {T.actions.cancel}
        </button>
        {outcome?.conflict && (
          <button type="button" class="danger" onClick={() => setForce(true)}>
            {T.edit.force}
          </button>
        )}
        <button type="button" class="primary" disabled={!result || isSame} onClick={apply}>
          {T.edit.apply}
        </button>
      </footer>
    </Dialog>
  );
}
