/** The program of the front's thread. */
import { parentPort } from 'node:worker_threads';
import { RealClock } from '../../../kernel/index.ts';
import { serveFront, type FrontOptions } from './front.ts';

const port = parentPort;
port?.once('message', (options: FrontOptions) => serveFront(port, new RealClock(), options));
