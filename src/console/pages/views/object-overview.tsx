import { Fragment, type ComponentChildren } from 'preact';
import type { ApiObject, ContainerStatus, PodObject } from '../api/objects.ts';
import { typeOfKind } from '../api/resources.ts';
import { age, dateTime, now, visible } from '../format.ts';
import { healthOfStatus, type Health } from '../health.ts';
import { Card, HeadRow, Pill } from '../parts/basics.tsx';
import { Why } from '../parts/why-view.tsx';
import { objectLink, pastRevision, setQuery } from '../router.ts';
import { T } from '../texts.ts';
import { healthOfCondition } from './condition-lanes.tsx';
import { PortForward } from './object-ports.tsx';
import { Related } from './object-related.tsx';
import { UsageCard } from './object-usage.tsx';
import type { TabProps } from './tab-props.ts';

export function OverviewTab({ type, object }: TabProps) {
  const { namespace = '', name, resourceVersion } = object.metadata;
  const isPresent = pastRevision.value === 0;
  return (
    <div class="cards">
      {isPresent && (
        <Card title={T.why.title} wide>
          <Why type={type} namespace={namespace} name={name} version={resourceVersion} />
        </Card>
      )}
      {object.kind === 'Pod' && <Containers pod={object as PodObject} />}
      {isPresent && <Related type={type} object={object} />}
      <Card title={T.object.summary}>
        <Summary object={object} />
      </Card>
      <Card title={T.object.conditions}>
        <Conditions object={object} />
      </Card>
      {isPresent && <UsageCard type={type} object={object} />}
      {isPresent && <PortForward type={type} object={object} />}
      <Card title={T.object.managers}>
        <Managers object={object} />
      </Card>
      <Card title={T.object.labels}>
        <Pairs pairs={object.metadata.labels} />
      </Card>
      <Card title={T.object.annotations}>
        <Pairs pairs={object.metadata.annotations} />
      </Card>
    </div>
  );
}

/** Plain values of spec and status that say most; the rest is in the YAML. */
function Summary({ object }: { object: ApiObject }) {
  const { metadata, spec, status } = object;
  const node = (object as PodObject).spec?.nodeName;
  const parts: readonly (readonly [string, [string, string][]])[] = [
    [T.object.spec, plain(spec)],
    [T.object.status, plain(status)],
  ];
  return (
    <div class="summary">
      <dl>
        <Owners metadata={metadata} />
        <Fact term={T.object.created}>
          {`${dateTime(metadata.creationTimestamp)} (${age(metadata.creationTimestamp)} ago)`}
        </Fact>
        <Fact term="UID">{visible(metadata.uid)}</Fact>
      </dl>
      {parts.map(
        ([title, facts]) =>
          facts.length > 0 && (
            <Fragment key={title}>
              <h3>{title}</h3>
              <dl>
                {facts.map(([term, value]) => (
                  <Fact key={term} term={term}>
                    {term === 'nodeName' && node ? (
                      <a href={objectLink('nodes', { name: node })}>{visible(value)}</a>
                    ) : (
                      visible(value, 200)
                    )}
                  </Fact>
                ))}
              </dl>
            </Fragment>
          ),
      )}
    </div>
  );
}

const Fact = ({ term, children }: { term: string; children: ComponentChildren }) => (
  <div>
    <dt>{term}</dt>
    <dd>
      <bdi>{children}</bdi>
    </dd>
  </div>
);

function Owners({ metadata }: { metadata: ApiObject['metadata'] }) {
  return (
    <>
      {(metadata.ownerReferences ?? []).map(({ uid, kind, apiVersion, name }) => {
        const type = typeOfKind(kind, apiVersion);
        const text = `${kind} ${visible(name)}`;
        return (
          <div key={uid}>
            <dt>{T.object.owner}</dt>
            <dd>
              {type ? (
                <a href={objectLink(type.key, { name, namespace: type.namespaced ? metadata.namespace : '' })}>
                  {text}
                </a>
              ) : (
                text
              )}
            </dd>
          </div>
        );
      })}
    </>
  );
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

const plain = (part: Readonly<Record<string, unknown>> | undefined): [string, string][] =>
  Object.entries(part ?? {}).flatMap(([key, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value) && value !== ''
      ? [[key, TIME.test(String(value)) ? dateTime(String(value)) : String(value)] as [string, string]]
      : [],
  );

function Pairs({ pairs = {} }: { pairs?: Readonly<Record<string, string>> | undefined }) {
  const entries = Object.entries(pairs);
  if (entries.length === 0) return <p class="dim">–</p>;
  return (
    <ul class="pairs">
      {entries.map(([key, value]) => (
        <li key={key}>
          <span class="dim">{visible(key, 300)}</span> <bdi>{visible(value, 400)}</bdi>
        </li>
      ))}
    </ul>
  );
}

function Managers({ object }: { object: ApiObject }) {
  const entries = [...(object.metadata.managedFields ?? [])].sort((a, b) => (b.time ?? '').localeCompare(a.time ?? ''));
  if (entries.length === 0) return <p class="dim">–</p>;
  return (
    <ul class="pairs">
      {entries.map(({ manager, operation, time, subresource, fieldsV1 }, at) => (
        <li key={at}>
          <strong>{visible(manager, 80)}</strong>{' '}
          <span class="dim">
            {operation === 'Apply' ? 'applied' : 'updated'} {subresource ? `${visible(subresource)} ` : ''}
            {age(time)} ago:
          </span>{' '}
          {topFields(fieldsV1).join(', ')}
        </li>
      ))}
    </ul>
  );
}

function topFields(set: Readonly<Record<string, object>> | undefined): string[] {
  return Object.entries(set ?? {}).flatMap(([key, below]) => {
    const names = Object.keys(below).filter((name) => name.startsWith('f:'));
    return key.startsWith('f:') ? names.slice(0, 6).map((name) => visible(`${key.slice(2)}.${name.slice(2)}`, 60)) : [];
  });
}

function Containers({ pod }: { pod: PodObject }) {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const declared = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  return (
    <Card title={T.object.containers} wide>
      <table class="plain">
        <HeadRow titles={[...Object.values(T.object.containerColumns), T.object.showLogs]} />
        <tbody>
          {declared.map(({ name, image }) => {
            const status = statuses.find((each) => each.name === name);
            const crashed = (status?.restartCount ?? 0) > 0;
            return (
              <tr key={name}>
                <th scope="row">{visible(name)}</th>
                <td>
                  <Pill {...stateOfContainer(status)} />
                </td>
                <td>{status?.restartCount ?? 0}</td>
                <td>{lastExit(status)}</td>
                <td class="break">{visible(image, 200)}</td>
                <td>
                  <button
                    type="button"
                    onClick={() => setQuery({ tab: 'logs', container: name, previous: crashed ? '1' : undefined })}
                  >
                    {crashed ? T.object.lastLogs : T.object.showLogs}
                  </button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Card>
  );
}

function stateOfContainer(status: ContainerStatus | undefined): { health: Health; text: string } {
  const { running, waiting, terminated } = status?.state ?? {};
  if (running)
    return { health: status?.ready ? 'ok' : 'wait', text: status?.ready ? T.object.running : T.object.notReady };
  if (waiting)
    return {
      health: healthOfStatus(waiting.reason ?? 'Pending') === 'bad' ? 'bad' : 'wait',
      text: waiting.reason ?? 'Waiting',
    };
  if (terminated)
    return { health: terminated.exitCode === 0 ? 'done' : 'bad', text: terminated.reason ?? 'Terminated' };
  return { health: 'wait', text: 'Waiting' };
}

function lastExit(status: ContainerStatus | undefined): string {
  const exit = status?.state?.['terminated'] ?? status?.lastState?.['terminated'];
  return exit ? T.object.lastExit(visible(exit.reason ?? ''), exit.exitCode ?? '?', age(exit.finishedAt)) : '–';
}

/** Each condition as a bar from its last change to now, over the object's life. */
function Conditions({ object }: { object: ApiObject }) {
  const conditions = [...(object.status?.conditions ?? [])].sort((a, b) =>
    (a.lastTransitionTime ?? '').localeCompare(b.lastTransitionTime ?? ''),
  );
  if (conditions.length === 0) return <p class="dim">{T.object.noConditions}</p>;
  const from = Date.parse(object.metadata.creationTimestamp ?? '');
  const whole = Math.max(1, now.value - from);
  return (
    <ul class="conditions">
      {conditions.map((condition) => {
        const start =
          Math.max(0, Math.min(100, ((Date.parse(condition.lastTransitionTime ?? '') - from) / whole) * 100)) || 0;
        const health = healthOfCondition(condition);
        return (
          <li key={condition.type} title={visible(condition.message, 500)}>
            <Pill health={health} text={`${condition.type}: ${condition.status}`} />
            <span class="line" aria-hidden="true">
              <span class={health} style={{ marginLeft: `${Math.min(start, 98)}%` }} />
            </span>
            <span class="dim">
              {condition.reason ? `${visible(condition.reason, 60)}, ` : ''}
              since {age(condition.lastTransitionTime)}
            </span>
            {health === 'bad' && condition.message && <p>{visible(condition.message, 400)}</p>}
          </li>
        );
      })}
    </ul>
  );
}
