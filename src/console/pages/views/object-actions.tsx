import { useEffect, useState } from 'preact/hooks';
import type { ApiObject } from '../api/objects.ts';
import { api, messageOf } from '../api/request.ts';
import { pathOf } from '../api/resources.ts';
import { visible } from '../format.ts';
import { Dialog } from '../parts/basics.tsx';
import { TextField } from '../parts/fields.tsx';
import { toast } from '../parts/toasts.tsx';
import { setQuery } from '../router.ts';
import { T } from '../texts.ts';
import { DrainDialog } from './drain-dialog.tsx';
import { ownedBy } from './object-related.tsx';
import type { RelatedObject } from './related-object.ts';
import type { TabProps } from './tab-props.ts';

const RESTARTED: ReadonlySet<string> = new Set(['deployments.apps', 'statefulsets.apps', 'daemonsets.apps']);

export function ActionButtons({ type, object }: TabProps) {
  const [open, setOpen] = useState<'scale' | 'delete' | 'drain'>();
  const path = pathOf(type, object.metadata);
  const run = (action: keyof typeof T.actions.done, work: Promise<unknown>): void => {
    setOpen(undefined);
    work.then(
      () => toast(T.actions.done[action]),
      (error: unknown) => toast(messageOf(error), { bad: true }),
    );
  };
  const merge = (body: object, at = path): Promise<ApiObject> =>
    api(`${at}?fieldManager=k8ts-console`, { method: 'PATCH', contentType: 'application/merge-patch+json', body });
  const cordoned = object.spec?.['unschedulable'] === true;
  // The annotation that `kubectl rollout restart` sets.
  const restart = {
    spec: {
      template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() } } },
    },
  };
  return (
    <div class="actions">
      {type.subresources.has('scale') && (
        <button type="button" onClick={() => setOpen('scale')}>
          {T.actions.scale}
        </button>
      )}
      {RESTARTED.has(type.key) && (
        <button type="button" onClick={() => run('restart', merge(restart))}>
          {T.actions.restart}
        </button>
      )}
      {type.key === 'nodes' && (
        <button
          type="button"
          onClick={() =>
            run(cordoned ? 'uncordon' : 'cordon', merge({ spec: { unschedulable: cordoned ? null : true } }))
          }
        >
          {cordoned ? T.actions.uncordon : T.actions.cordon}
        </button>
      )}
      {type.key === 'nodes' && (
        <button type="button" onClick={() => setOpen('drain')}>
          {T.actions.drain}
        </button>
      )}
      {type.verbs.has('patch') && (
        <button type="button" onClick={() => setQuery({ tab: 'yaml' })}>
          {T.actions.edit}
        </button>
      )}
      {type.verbs.has('delete') && (
        <button type="button" class="danger" onClick={() => setOpen('delete')}>
          {T.actions.delete}
        </button>
      )}
      {open === 'scale' && (
        <ScaleDialog
          now={Number(object.spec?.['replicas'] ?? 1)}
          onClose={() => setOpen(undefined)}
          onScale={(replicas) => run('scale', merge({ spec: { replicas } }, `${path}/scale`))}
        />
      )}
      {open === 'drain' && <DrainDialog type={type} object={object} onClose={() => setOpen(undefined)} />}
      {open === 'delete' && (
        <DeleteDialog
          type={type}
          object={object}
          onClose={() => setOpen(undefined)}
          onDelete={() => run('delete', api(path, { method: 'DELETE', body: { propagationPolicy: 'Background' } }))}
        />
      )}
    </div>
  );
}

function ScaleDialog({
  now,
  onClose,
  onScale,
}: {
  now: number;
  onClose: () => void;
  onScale: (replicas: number) => void;
}) {
  const [replicas, setReplicas] = useState(now);
  return (
    <Dialog title={T.actions.scale} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onScale(replicas);
        }}
      >
        <TextField
          label={T.actions.replicas}
          type="number"
          min={0}
          required
          autofocus
          value={String(replicas)}
          onChange={(text) => setReplicas(Number(text))}
        />
        <footer>
          <button type="button" onClick={onClose}>
            {T.actions.cancel}
          </button>
          <button type="submit" class="primary">
            {T.actions.scale}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

const MAX_SHOWN = 12;

function DeleteDialog({ type, object, onClose, onDelete }: TabProps & { onClose: () => void; onDelete: () => void }) {
  const [owned, setOwned] = useState<readonly RelatedObject[]>();
  useEffect(() => {
    ownedBy(type, object).then(setOwned, () => setOwned([]));
  }, []);
  return (
    <Dialog title={T.actions.deleteTitle(`${type.kind} ${visible(object.metadata.name)}`)} onClose={onClose}>
      {owned === undefined && <p class="dim">{T.state.loading}</p>}
      {owned && <p>{owned.length > 0 ? T.actions.takesAlong : T.actions.takesNothing}</p>}
      <ul class="related">
        {owned?.slice(0, MAX_SHOWN).map((each) => (
          <li key={`${each.type.key}${each.name}`}>
            {each.type.kind} {visible(each.name)}
          </li>
        ))}
        {(owned?.length ?? 0) > MAX_SHOWN && <li>{T.state.more(owned!.length - MAX_SHOWN)}</li>}
      </ul>
      <footer>
        <button type="button" onClick={onClose} autofocus>
          {T.actions.cancel}
        </button>
        <button type="button" class="danger" onClick={onDelete}>
          {T.actions.confirmDelete}
        </button>
      </footer>
    </Dialog>
  );
}
