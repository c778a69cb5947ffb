/**
 * The messages between the front's thread, which has the port, and the pipeline's thread. The first number names a stream (one
 * HTTP/2 request), a session (its connection) or an HTTP/1.1 connection.
 *
 *   front                                                        pipeline
 *     session 1, headers 1 0 {…}, request 7 1 0 /api/v1/… body  →
 *                                                               ←  response headers 0 {…}, response 7 200 0 audit-id body
 *     request 8 1 0 /api/v1/…?watch=1                           →
 *                                                               ←  begin 8 200 {…}, piece 8 bytes, piece 8 bytes
 *     drained 8 2000                                            →
 *     closed 8                                                  →
 *
 * For the front, a response ends with its last byte. Until then it sends CLOSED when the client goes away, and the pipeline's
 * thread may RESET the stream.
 */

/** From the front. */
export const LISTENING = 1; // port
export const FAILED = 2; // message, code: the port cannot be bound
export const SESSION = 3; // session, address, certificates of the client (bytes)
export const SESSION_CLOSED = 4; // session
/** A client sends the same headers again and again: they are sent once, and then named by their index. */
export const HEADERS = 5; // session, index, headers
export const REQUEST = 6; // stream, session, index of its headers, target, state of its body, body (bytes)
export const BODY = 7; // stream, state, body (bytes)
export const CLOSED = 8; // stream, before its response was complete; after PENDING, when no bytes of it wait any more
export const DRAINED = 9; // stream, number of bytes that its connection has accepted
export const BUFFER_RETURNED = 10; // stream, whose buffer comes back
export const CONNECTION = 11; // connection, address, certificates of the client (bytes)
export const RECEIVED = 12; // connection, bytes
export const RECEIVED_END = 13; // connection
export const CONNECTION_DRAINED = 14; // connection: it has accepted the oldest bytes that were sent
export const CONNECTION_CLOSED = 15; // connection
export const CONNECTION_IDLE = 16; // connection, for as long as IDLE_LIMIT says
export const PENDING = 17; // stream, session, number of bytes of its complete response that its connection has not accepted

export const HANDSHAKE_FAILED = 18; // of a connection

/** From the pipeline. */
export const RESPONSE = 1; // stream, status, index of its headers or the headers themselves, audit id, body (bytes)
export const BEGIN = 2; // stream, status, headers: pieces follow
export const PIECE = 3; // stream, bytes
export const LARGE_PIECE = 4; // stream, number of bytes in the buffer that comes with it
export const END = 5; // stream
export const RESET = 6; // stream: a client must not mistake half a response for one that is still coming
export const READ_BODY = 7; // stream
export const SEND = 8; // connection, bytes
export const SEND_END = 9; // connection
export const DROP = 10; // connection
export const PAUSE = 11; // connection
export const RESUME = 12; // connection
export const IDLE_LIMIT = 13; // connection, milliseconds
export const RENEW = 14; // TLS options
export const STOP_LISTENING = 15;
export const STOP = 16; // closes what is left
export const RESPONSE_HEADERS = 17; // index, headers of responses without their audit ids
export const LEAVE_CONNECTION = 18; // stream, whose connection takes no more requests

/** States of a body. */
export const COMPLETE = 0;
export const NOT_READ = 1;
export const TOO_LARGE = 2;
export const CUT_OFF = 3;
