/** One object: its state and cause, related objects, events, YAML, logs and a shell. */
import { useState } from 'preact/hooks';
import type { ApiObject, PodObject } from '../api/objects.ts';
import { findType, type ResourceType } from '../api/resources.ts';
import { age, visible } from '../format.ts';
import { healthOfStatus, type Health } from '../health.ts';
import { Notice, Pill } from '../parts/basics.tsx';
import { useObject } from '../parts/use-feed.ts';
import { Why } from '../parts/why-view.tsx';
import { listLink, pastRevision, route, setQuery } from '../router.ts';
import { T } from '../texts.ts';
import { ActionButtons } from './object-actions.tsx';
import { EventsTab } from './object-events.tsx';
import { HistoryTab } from './object-history.tsx';
import { LogsTab } from './object-logs.tsx';
import { OverviewTab } from './object-overview.tsx';
import { ShellTab } from './object-shell.tsx';
import { YamlTab } from './object-yaml.tsx';
import type { TabProps } from './tab-props.ts';

type Tab = keyof typeof T.object.tabs;

/** Kinds whose pods are found by their selector. */
const WITH_PODS: ReadonlySet<string> = new Set([
  'pods',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'replicasets.apps',
  'jobs.batch',
  'replicationcontrollers',
]);

/** Logs, shells and causes are of the present. */
const PAST_TABS: readonly Tab[] = ['overview', 'yaml'];

const tabsOf = ({ key }: ResourceType): readonly Tab[] => [
  'overview',
  'why',
  'history',
  'yaml',
  'events',
  ...(WITH_PODS.has(key) ? (['logs'] as const) : []),
  ...(key === 'pods' ? (['shell'] as const) : []),
];

export function ObjectPage({ resource, namespace, name }: { resource: string; namespace: string; name: string }) {
  const type = findType(resource);
  if (type === undefined) return <Notice kind="error">{T.objects.unknownKind(resource)}</Notice>;
  return <TypedObject type={type} namespace={namespace} name={name} />;
}

function TypedObject({ type, namespace, name }: { type: ResourceType; namespace: string; name: string }) {
  const live = useObject(type, { namespace, name });
  const object = live.object.value;
  const tabs = pastRevision.value > 0 ? PAST_TABS : tabsOf(type);
  const asked = route.value.query.get('tab') as Tab | null;
  const tab = asked && tabs.includes(asked) ? asked : 'overview';
  // What was opened stays open: logs and shells go on while another tab is shown.
  const [opened, setOpened] = useState<ReadonlySet<Tab>>(new Set());
  if (!opened.has(tab)) setOpened(new Set([...opened, tab]));
  const state = object && stateOf(object);
  return (
    <div class="page object">
      <nav class="crumbs" aria-label={T.place}>
        <a href={listLink(type.key)}>{type.kind}</a>
        {namespace !== '' && <a href={listLink(type.key, { namespace })}>{visible(namespace)}</a>}
      </nav>
      <div class="toolbar">
        <h1>
          <bdi>{visible(name)}</bdi>
        </h1>
        {state && <Pill health={state.health} text={state.text} />}
        {object && <span class="dim">{age(object.metadata.creationTimestamp)}</span>}
        <span class="grow" />
        {object && !live.deleted.value && pastRevision.value === 0 && <ActionButtons type={type} object={object} />}
      </div>
      {live.error.value !== undefined && <Notice kind="error">{visible(live.error.value)}</Notice>}
      {live.deleted.value && <Notice>{T.object.deleted}</Notice>}
      {object?.metadata.deletionTimestamp && !live.deleted.value && <Notice>{T.object.deleting}</Notice>}
      <div class="tabs" role="tablist" aria-label={type.kind}>
        {tabs.map((each, at) => (
          <button
            key={each}
            type="button"
            role="tab"
            id={`tab-${each}`}
            aria-controls={`panel-${each}`}
            aria-selected={each === tab}
            tabIndex={each === tab ? 0 : -1}
            onClick={() => setQuery({ tab: each })}
            onKeyDown={(event) => {
              const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
              const next = tabs[(at + step + tabs.length) % tabs.length]!;
              if (step === 0) return;
              setQuery({ tab: next });
              document.getElementById(`tab-${next}`)?.focus();
            }}
          >
            {T.object.tabs[each]}
          </button>
        ))}
      </div>
      {tabs.map((each) => (
        <div
          key={each}
          class="panel"
          role="tabpanel"
          id={`panel-${each}`}
          aria-labelledby={`tab-${each}`}
          hidden={each !== tab}
        >
          {object && (each === tab || opened.has(each)) && <TabContent tab={each} type={type} object={object} />}
        </div>
      ))}
    </div>
  );
}

function TabContent({ tab, type, object }: TabProps & { tab: Tab }) {
  const { namespace = '', name, resourceVersion } = object.metadata;
  if (tab === 'why')
    return (
      <div class="card">
        <Why type={type} namespace={namespace} name={name} version={resourceVersion} />
      </div>
    );
  if (tab === 'history') return <HistoryTab type={type} object={object} />;
  if (tab === 'yaml') return <YamlTab type={type} object={object} />;
  if (tab === 'events') return <EventsTab object={object} />;
  if (tab === 'logs') return <LogsTab type={type} object={object} />;
  if (tab === 'shell') return <ShellTab object={object} />;
  return <OverviewTab type={type} object={object} />;
}

function stateOf(object: ApiObject): { health: Health; text: string } | undefined {
  const status = (object as PodObject).status;
  if (object.metadata.deletionTimestamp) return { health: 'gone', text: 'Terminating' };
  if (object.kind === 'Pod') {
    const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
    const waiting = containers.find(({ state }) => healthOfStatus(state?.['waiting']?.reason ?? '') === 'bad');
    const text = waiting?.state?.['waiting']?.reason ?? status?.phase ?? 'Unknown';
    const health = healthOfStatus(text);
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
    return { text, health: health === 'ok' && !ready ? 'wait' : health };
  }
  const counts = [object.status?.['readyReplicas'], object.spec?.['replicas']];
  if (typeof counts[1] === 'number') {
    const ready = typeof counts[0] === 'number' ? counts[0] : 0;
    return { text: `${ready}/${counts[1]} ready`, health: ready < counts[1] ? 'wait' : 'ok' };
  }
  const ready = object.status?.conditions?.find(
    ({ type }) => type === 'Ready' || type === 'Available' || type === 'Established',
  );
  if (ready)
    return {
      text: ready.status === 'True' ? ready.type : `Not ${ready.type}`,
      health: ready.status === 'True' ? 'ok' : 'bad',
    };
  const phase = object.status?.['phase'];
  return typeof phase === 'string' ? { text: phase, health: healthOfStatus(phase) } : undefined;
}
