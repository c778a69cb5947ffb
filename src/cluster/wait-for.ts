/** Waits for conditions of objects, as `kubectl wait` does. */
import { isRecord, parseDuration } from '../base/index.ts';
import { isNotFound, type ApiObject, type Client, type ResourceFinder } from '../client/index.ts';

/**
 * A condition's name (`Available`, `Ready=False`), `delete`, a field and its value (`jsonpath={.status.phase}=Running`), or
 * a function of the object.
 */
export type WaitCondition<T extends ApiObject = ApiObject> = string | ((object: T) => boolean);

export interface WaitOptions {
  /** Default `default`. */
  readonly namespace?: string;
  /** Default 30 s; on a virtual clock this is virtual time. */
  readonly timeout?: number | string;
}

export interface Waiting {
  /** Lets time pass between two checks. */
  pause(): Promise<void>;
  now(): number;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** Polls `look` until it returns something other than false, null or undefined, and returns that. */
export async function waitUntil<T>(
  waiting: Waiting,
  what: string,
  options: WaitOptions,
  look: () => T | Promise<T>,
): Promise<NonNullable<Exclude<T, false>>> {
  const { timeout = DEFAULT_TIMEOUT_MS } = options;
  const limit = waiting.now() + (typeof timeout === 'number' ? timeout : parseDuration(timeout));
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false) return seen as NonNullable<Exclude<T, false>>;
    if (waiting.now() >= limit) throw new Error(`timed out after ${timeout} waiting for ${what}`);
    await waiting.pause();
  }
}

export async function waitForObject<T extends ApiObject>(
  { client, finder, waiting }: { client: Client; finder: ResourceFinder; waiting: Waiting },
  reference: string,
  condition: WaitCondition<T>,
  options: WaitOptions,
): Promise<T | undefined> {
  const [name = '', object] = reference.split('/');
  if (object === undefined)
    throw new Error(
      `${JSON.stringify(reference)} does not name an object: it is resource/name, such as deployment/web`,
    );
  const resource = await finder.byName(name);
  const target = { name: object, ...(resource.namespaced ? { namespace: options.namespace ?? 'default' } : {}) };
  const holds = conditionCheck<T>(condition);
  let last: T | undefined;
  const look = async (): Promise<{ object: T | undefined } | undefined> => {
    try {
      last = (await client.resource(resource).get(target)) as T;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      last = undefined;
      return condition === 'delete' ? { object: undefined } : undefined;
    }
    return holds(last) ? { object: last } : undefined;
  };
  const what = `${reference} to be ${typeof condition === 'string' ? condition : 'as wanted'}`;
  try {
    return (await waitUntil(waiting, what, options, look)).object;
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('timed out')) throw error;
    const status =
      last === undefined
        ? 'it does not exist'
        : `its status is ${JSON.stringify((last as T & { status?: unknown }).status)}`;
    throw new Error(`${error.message}; ${status}`, { cause: error });
  }
}

function conditionCheck<T extends ApiObject>(condition: WaitCondition<T>): (object: T) => boolean {
  if (typeof condition === 'function') return condition;
  if (condition === 'delete') return () => false;
  const field = /^jsonpath=\{?\.?([^}=]+)\}?=(.*)$/.exec(condition);
  if (field) {
    const [, path = '', value] = field;
    return (object) => String(fieldOf(object, path)) === value;
  }
  const [type, status = 'True'] = condition.replace(/^condition=/, '').split('=');
  return (object) => {
    const conditions = fieldOf(object, 'status.conditions');
    return (
      Array.isArray(conditions) &&
      conditions.some(
        (c) =>
          isRecord(c) &&
          String(c['type']).toLowerCase() === type!.toLowerCase() &&
          c['status'] === status &&
          !isOutdated(object, c),
      )
    );
  };
}

/** A condition of an older generation does not count. */
function isOutdated(object: ApiObject, condition: Record<string, unknown>): boolean {
  const observed = condition['observedGeneration'] ?? fieldOf(object, 'status.observedGeneration');
  return typeof observed === 'number' && observed < (object.metadata.generation ?? 0);
}

function fieldOf(object: unknown, path: string): unknown {
  return path
    .split(/[.[\]]/)
    .filter((part) => part !== '')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined,
      object,
    );
}
