/** The program of the thread that parses YAML: it receives a text and sends its JSON back. */
import { parentPort } from 'node:worker_threads';
import { yamlToJson } from '../../machinery/decode/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import type { YamlResponse, YamlRequest } from './messages.ts';

parentPort?.on('message', ({ id, text }: YamlRequest) =>
  parentPort?.postMessage({ id, ...answerTo(text) } satisfies YamlResponse),
);

function answerTo(text: string): Omit<YamlResponse, 'id'> {
  try {
    return { result: yamlToJson(text) };
  } catch (error) {
    const { message } = error as Error;
    return isStatusError(error) ? { result: { refusal: message } } : { failure: message };
  }
}
