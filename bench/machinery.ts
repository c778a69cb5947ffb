/** How fast request bodies become objects, and objects bytes. */
import { schema } from '../src/api/index.ts';
import type { GroupVersionKind } from '../src/api/schema.ts';
import { encodeJson } from '../src/base/index.ts';
import { canonicalize, decodeObject } from '../src/machinery/decode/index.ts';
import { applyDefaults } from '../src/machinery/defaulting/index.ts';
import { DEFAULT_VALIDATION_CONTEXT, validateCreate } from '../src/machinery/validation/index.ts';
import { callsPerSecond, type BenchOptions, type Row } from './harness.ts';
import { samplePod } from './sample-pod.ts';

export const name = 'machinery';

const POD: GroupVersionKind = { group: '', version: 'v1', kind: 'Pod' };

export async function run({ durationMs }: BenchOptions): Promise<Row[]> {
  const body = Buffer.from(JSON.stringify(samplePod()));
  const decode = () => decodeObject({ body, contentType: 'json', expected: POD }).object;
  const pod = applyDefaults(POD, decode());
  const message = schema.kind(POD)!;
  const pods = schema.resource('', 'v1', 'pods')!;
  const errors = validateCreate(pods, pod, DEFAULT_VALIDATION_CONTEXT);
  if (errors.length > 0) throw new Error(`the sample is invalid: ${errors.join(', ')}`);
  const decodeDefaultValidate = () =>
    void validateCreate(pods, applyDefaults(POD, decode()), DEFAULT_VALIDATION_CONTEXT);
  return [
    {
      work: 'JSON.parse alone of a 3.5 KB Pod',
      value: callsPerSecond(() => void JSON.parse(body.toString()), durationMs),
      unit: '/s',
    },
    { work: 'decode a 3.5 KB Pod', value: callsPerSecond(() => void decode(), durationMs), unit: '/s' },
    {
      work: 'decode and default a 3.5 KB Pod',
      value: callsPerSecond(() => void applyDefaults(POD, decode()), durationMs),
      unit: '/s',
    },
    {
      work: 'decode, default and validate a 3.5 KB Pod',
      value: callsPerSecond(decodeDefaultValidate, durationMs),
      unit: '/s',
      atLeast: 10_000,
    },
    { work: 'default a 3.5 KB Pod', value: callsPerSecond(() => void applyDefaults(POD, pod), durationMs), unit: '/s' },
    {
      work: 'canonicalize a 3.5 KB Pod',
      value: callsPerSecond(() => void canonicalize(message, pod), durationMs),
      unit: '/s',
    },
    {
      work: 'encode a 3.5 KB Pod as JSON',
      value: callsPerSecond(() => void encodeJson(pod), durationMs),
      unit: '/s',
      atLeast: 20_000,
    },
  ];
}
