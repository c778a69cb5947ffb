/** The program of the thread that runs the stages of large requests. */
import { parentPort } from 'node:worker_threads';
import { answerTo } from './answer.ts';
import type { StageQuestion } from './messages.ts';

parentPort?.on('message', (question: StageQuestion) => parentPort?.postMessage(answerTo(question)));
