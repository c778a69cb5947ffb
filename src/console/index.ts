/**
 * The web console: a server on loopback that gives a browser the pages and a reverse proxy to the API server. It acts as the
 * user of a kubeconfig or of a pasted token, so the API server decides what the pages may read and write. The pages are in
 * `pages/`, a bundle of their own; nothing else of the package is loaded for them, and nothing runs before they are opened.
 */
export { serveConsole, type Console } from './server/serve-console.ts';
export type { ConsoleAnswers, KeptCommits } from './answers.ts';
export type { ConsoleQuestion, ConsoleQuestions } from './server/questions.ts';
