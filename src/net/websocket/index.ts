/** The server side of WebSockets. A folder of its own, so that only servers of WebSockets load the library. */
export { acceptWebSocket } from './accept.ts';
