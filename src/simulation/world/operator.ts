/**
 * An operator as users write them: it keeps a ConfigMap for every Widget, whose data says what the Widget asks for, and
 * reports in the Widget's status what it has seen. Two of them run, under leader election.
 */
import type { ConfigMap } from '../../api/generated/core-v1.ts';
import {
  controllerReference,
  defineResource,
  InformerFactory,
  isAlreadyExists,
  isConflict,
  isControlledBy,
  isNotFound,
  keyOf,
  runWithLeaderElection,
  splitKey,
  type ApiObject,
  type Client,
} from '../../client/index.ts';
import { childContext, RunGroup, runWorkers, WorkQueue, type Context } from '../../kernel/index.ts';
import { ELECTION } from './election.ts';

export interface Widget extends ApiObject {
  spec: { size: number };
  status?: { observedSize?: number };
}

export const widgets = defineResource<Widget>({
  group: 'example.com',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
});

const integer = { type: 'integer' };
export const widgetDefinition = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: integer } },
              status: { type: 'object', properties: { observedSize: integer } },
            },
          },
        },
      },
    ],
  },
};

export async function runOperator(client: Client, ctx: Context & { readonly identity: string }): Promise<void> {
  const { identity } = ctx;
  const lock = { client, identity, namespace: 'kube-system', name: 'operator', component: 'operator', ...ELECTION };
  await runWithLeaderElection(ctx, lock, (signal) => lead(childContext(ctx, 'leading', signal), client));
}

async function lead(ctx: Context, client: Client): Promise<void> {
  const group = new RunGroup(ctx);
  const inner = childContext(ctx, 'operator', group.signal);
  const informers = new InformerFactory(inner, { client });
  const known = informers.informer(widgets);
  const made = informers.informer('v1/configmaps');
  const queue = new WorkQueue<string>({ clock: inner.clock, name: 'widgets' });
  known.addHandler({
    onAdd: (widget) => queue.add(keyOf(widget)),
    onUpdate: (_, widget) => queue.add(keyOf(widget)),
    onDelete: (widget) => queue.add(keyOf(widget)),
  });
  const ownerOf = ({ metadata }: ConfigMap): void => {
    const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'Widget');
    if (owner) queue.add(`${metadata.namespace}/${owner.name}`);
  };
  made.addHandler({ onAdd: ownerOf, onUpdate: (_, map) => ownerOf(map), onDelete: ownerOf });
  group.start('informers', () => informers.run());
  group.start('reconcile', async (signal) => {
    await informers.waitForSync(signal);
    await runWorkers({ queue, workers: 1, signal, handle: (key) => reconcile(client, key, known.get(key)) });
  });
  await group.wait();
}

async function reconcile(client: Client, key: string, widget: Widget | undefined): Promise<void> {
  // Garbage collection deletes what a deleted Widget owned.
  if (!widget || widget.metadata.deletionTimestamp !== undefined) return;
  const { namespace, name } = splitKey(key);
  const configMaps = client.resource('v1/configmaps');
  const reference = { namespace, name: `widget-${name}` };
  const data = { size: String(widget.spec.size) };
  try {
    const existing = await configMaps.get(reference).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (existing && !isControlledBy(existing, widget)) {
      // It belongs to a Widget of the same name that is gone, and goes with it.
      throw new Error(`the ConfigMap ${reference.name} belongs to another Widget`);
    }
    if (!existing)
      await configMaps.create({
        metadata: {
          ...reference,
          ownerReferences: [controllerReference(widget, { apiVersion: 'example.com/v1', kind: 'Widget' })],
        },
        data,
      });
    else if (existing.data?.['size'] !== data.size) await configMaps.update({ ...existing, data });
    if (widget.status?.observedSize !== widget.spec.size)
      await client.resource(widgets).updateStatus({ ...widget, status: { observedSize: widget.spec.size } });
  } catch (error) {
    if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
    throw new Error('the cache was stale', { cause: error });
  }
}
