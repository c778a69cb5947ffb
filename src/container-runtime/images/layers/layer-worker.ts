/**
 * The worker thread that unpacks layers. The main thread imports this module only for its URL and starts it as a
 * worker; in a single-file bundle the worker is a file of its own beside it.
 */
import { closeSync, existsSync, openSync } from 'node:fs';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { syncFileSystem } from '../../linux/file-system-calls.ts';
import { unpackLayer, type UnpackedLayer, type UnpackJob } from './unpack-layer.ts';

const beside = new URL('./layer-worker.js', import.meta.url);
export const workerUrl = existsSync(beside) ? beside.href : import.meta.url;
export const WORKER_ROLE = 'k8ts layer worker';

export type LayerRequest = { readonly id: number } & ({ readonly unpack: UnpackJob } | { readonly sync: string });

export interface LayerAnswer {
  readonly id: number;
  readonly unpacked?: UnpackedLayer;
  readonly error?: { readonly name: string; readonly message: string };
}

async function answer(request: LayerRequest): Promise<LayerAnswer> {
  const { id } = request;
  try {
    if ('unpack' in request) return { id, unpacked: await unpackLayer(request.unpack) };
    const folder = openSync(request.sync, 'r');
    try {
      syncFileSystem(folder);
    } finally {
      closeSync(folder);
    }
    return { id };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    return { id, error: { name, message } };
  }
}

if (!isMainThread && workerData === WORKER_ROLE) {
  parentPort?.on('message', (request: LayerRequest) => {
    void answer(request).then((result) => parentPort?.postMessage(result));
  });
}
