import { schema } from '../src/api/index.ts';
import { decodeProtobufObject, encodeProtobuf } from '../src/machinery/protobuf/index.ts';
import { callsPerSecond, type BenchOptions, type Row } from './harness.ts';
import { samplePod } from './sample-pod.ts';

export const name = 'protobuf';

export async function run({ durationMs }: BenchOptions): Promise<Row[]> {
  const message = schema.message('io.k8s.api.core.v1.Pod');
  const pod = samplePod();
  const typeMeta = { apiVersion: 'v1', kind: 'Pod' };
  const bytes = encodeProtobuf(message, pod, typeMeta);
  const encode = () => void encodeProtobuf(message, pod, typeMeta);
  const decode = () => void decodeProtobufObject(schema, bytes);
  return [
    { work: 'encode a 3.5 KB Pod', value: callsPerSecond(encode, durationMs), unit: '/s', atLeast: 20_000 },
    { work: 'decode a 3.5 KB Pod', value: callsPerSecond(decode, durationMs), unit: '/s', atLeast: 20_000 },
  ];
}
