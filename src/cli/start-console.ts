/** Starts the web console with the answers of glass, for `k8ts up` and `k8ts console`. */
import type { ClientConfig } from '../client/index.ts';
import { serveConsole, type Console } from '../console/index.ts';
import type { Context } from '../kernel/index.ts';
import { consoleQuestions, type ConsoleQuestionOptions } from './console-questions.ts';

export type StartConsoleOptions = ConsoleQuestionOptions & {
  readonly config: ClientConfig;
  readonly port: number;
};

export function startConsole(ctx: Context, options: StartConsoleOptions): Promise<Console> {
  const { config, port } = options;
  return serveConsole(ctx, { config, port, questions: consoleQuestions(ctx, options) });
}
