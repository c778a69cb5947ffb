/** HTTP/1.1, the server's side: requests that no handler expected do not end the process. */
export { createHttpServer, createHttpsServer } from './http-server.ts';
export { splitTarget } from './request-target.ts';
