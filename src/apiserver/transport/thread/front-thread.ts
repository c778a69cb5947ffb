/** The program of the front's thread. */
import { parentPort } from 'node:worker_threads';
import { RealClock } from '../../../kernel/index.ts';
import { serveFront, type FrontOptions } from './front.ts';

/** Node makes an error for every stream that it closes while its last bytes leave; a trace would cost more than the answer. */
Error.stackTraceLimit = 0;

const port = parentPort;
port?.once('message', (options: FrontOptions) => serveFront(port, new RealClock(), options));
