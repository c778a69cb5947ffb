/** WebSockets, the server's side. Not part of the kernel's own index: only who serves them pays for loading the library. */
export { acceptWebSocket, HandshakeRefused, type WebSocketUpgrade } from './accept.ts';
