/** The server side of HTTP/1.1: a handler that throws does not end the process. */
export { createHttpServer, createHttpsServer, MAX_HEADER_BYTES } from './http-server.ts';
export { splitTarget } from './request-target.ts';
