/** Metrics of autoscalers between autoscaling/v2 and the form that v1 keeps in annotations: that of v2beta1. */
import { parseQuantity } from '../../../base/index.ts';

type Fields = Record<string, unknown>;

/** Without what is undefined, in the order given: annotations are compared as text. */
const present = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));

/** Quantities that are no pointers upstream. */
const NONE = '0';

interface Described {
  readonly name?: string;
  readonly container?: string;
  readonly metric?: { readonly name?: string; readonly selector?: unknown };
  readonly describedObject?: unknown;
  readonly target?: Values;
  readonly current?: Values;
}

interface Values {
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

const SOURCES = ['object', 'pods', 'resource', 'containerResource', 'external'] as const;
type Source = (typeof SOURCES)[number];

type ToV1 = (described: Described, values: Values, word: 'target' | 'current') => Fields;

const resourceToV1: ToV1 = ({ name, container }, { averageUtilization, averageValue }, word) => ({
  name: name ?? '',
  [`${word}AverageUtilization`]: averageUtilization,
  [`${word}AverageValue`]: word === 'current' ? (averageValue ?? NONE) : averageValue,
  container,
});

const TO_V1: Readonly<Record<Source, ToV1>> = {
  object: ({ describedObject, metric }, { value, averageValue }, word) => ({
    target: describedObject,
    metricName: metric?.name ?? '',
    [`${word}Value`]: value ?? NONE,
    selector: metric?.selector,
    averageValue,
  }),
  pods: ({ metric }, { averageValue }, word) => ({
    metricName: metric?.name ?? '',
    [`${word}AverageValue`]: averageValue ?? NONE,
    selector: metric?.selector,
  }),
  resource: resourceToV1,
  containerResource: resourceToV1,
  external: ({ metric }, { value, averageValue }, word) => ({
    metricName: metric?.name ?? '',
    metricSelector: metric?.selector,
    [`${word}Value`]: word === 'current' ? (value ?? NONE) : value,
    [`${word}AverageValue`]: averageValue,
  }),
};

/** A metric of the spec, or of the status. */
export function metricToV1(metric: Fields): Fields {
  const out: Fields = { type: metric['type'] };
  for (const source of SOURCES) {
    const described = metric[source] as Described | undefined;
    if (!described) continue;
    const word = described.current ? 'current' : 'target';
    out[source] = present(TO_V1[source](described, described[word] ?? {}, word));
  }
  return out;
}

type ToV2 = (flat: Fields, word: 'target' | 'current') => { described: Fields; values: Fields; type: string };

const metricOf = (flat: Fields): Fields =>
  present({ name: flat['metricName'] ?? '', selector: flat['metricSelector'] ?? flat['selector'] });

const resourceToV2: ToV2 = ({ name, container, ...flat }, word) => {
  const averageUtilization = flat[`${word}AverageUtilization`];
  const averageValue = flat[`${word}AverageValue`] ?? (word === 'current' ? NONE : undefined);
  return {
    described: { name, container },
    values: { averageValue, averageUtilization },
    type: averageUtilization === undefined ? 'AverageValue' : 'Utilization',
  };
};

/** v1 cannot leave out the target's value: with an average, 0 means none. */
function objectValue(flat: Fields, word: 'target' | 'current'): unknown {
  const value = flat[`${word}Value`] ?? NONE;
  const isUnset = word === 'target' && flat['averageValue'] !== undefined && parseQuantity(String(value)).isZero();
  return isUnset ? undefined : value;
}

const TO_V2: Readonly<Record<Source, ToV2>> = {
  object: (flat, word) => ({
    described: { describedObject: flat['target'], metric: metricOf(flat) },
    values: { value: objectValue(flat, word), averageValue: flat['averageValue'] },
    type: flat['averageValue'] === undefined ? 'Value' : 'AverageValue',
  }),
  pods: (flat, word) => ({
    described: { metric: metricOf(flat) },
    values: { averageValue: flat[`${word}AverageValue`] ?? NONE },
    type: 'AverageValue',
  }),
  resource: resourceToV2,
  containerResource: resourceToV2,
  external: (flat, word) => ({
    described: { metric: metricOf(flat) },
    values: {
      value: flat[`${word}Value`] ?? (word === 'current' ? NONE : undefined),
      averageValue: flat[`${word}AverageValue`],
    },
    type: flat[`${word}Value`] === undefined ? 'AverageValue' : 'Value',
  }),
};

export function metricToV2(metric: Fields, word: 'target' | 'current'): Fields {
  const out: Fields = { type: metric['type'] };
  for (const source of SOURCES) {
    const flat = metric[source] as Fields | undefined;
    if (!flat) continue;
    const { described, values, type } = TO_V2[source](flat, word);
    const shown = present(values);
    out[source] = present({ ...described, [word]: word === 'target' ? { type, ...shown } : shown });
  }
  return out;
}
