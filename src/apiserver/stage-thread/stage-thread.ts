/** The program of the thread that runs the stages of large requests. */
import { parentPort } from 'node:worker_threads';
import { answerTo } from './answer.ts';
import { Definitions } from './definitions.ts';
import type { ForgetDefinition, StageQuestion } from './messages.ts';

const definitions = new Definitions();

parentPort?.on('message', (message: StageQuestion | ForgetDefinition) => {
  if ('forget' in message) definitions.forget(message.forget);
  else parentPort?.postMessage(answerTo(message, definitions));
});
