/** HTTP/1.1: servers whose handlers may throw without ending the process, and what proxies forward. */
export { HOP_BY_HOP_HEADERS } from './hop-by-hop.ts';
export { closeServer, createHttpServer, createHttpsServer, MAX_HEADER_BYTES } from './http-server.ts';
export { splitTarget } from './request-target.ts';
