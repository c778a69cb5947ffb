/**
 * What the front's thread, which has the port, and the pipeline's thread tell each other. Numbers that come first name a
 * stream (one request of HTTP/2), a session (its connection) or a connection of HTTP/1.1.
 *
 *   front                                                        pipeline
 *     session 1, headers 1 0 {…}, request 7 1 0 /api/v1/… body  →
 *                                                               ←  answer headers 0 {…}, answer 7 200 0 audit-id body
 *     request 8 1 0 /api/v1/…?watch=1                           →
 *                                                               ←  begin 8 200 {…}, piece 8 bytes, piece 8 bytes
 *     taken 8 2000                                              →
 *     closed 8                                                  →
 *
 * An answer is over for the front's thread with its last byte. Until then it says CLOSED when the client goes away, and the
 * pipeline's thread may RESET it.
 */

/** From the front. */
export const LISTENING = 1; // port
export const FAILED = 2; // message, code: the port cannot be had
export const SESSION = 3; // session, address, whether its certificate is one of the client CA's, certificate (bytes)
export const SESSION_CLOSED = 4; // session
/** A client sends the same headers again and again: they are told once, and then named by their place. */
export const HEADERS = 5; // session, place, headers
export const REQUEST = 6; // stream, session, place of its headers, target, state of its body, body (bytes)
export const BODY = 7; // stream, state, body (bytes)
export const CLOSED = 8; // stream, before its answer was complete; of one that was LATE, when nothing of it waits any more
export const TAKEN = 9; // stream, how many bytes its connection has taken
export const RETURNED = 10; // stream, whose buffer comes back
export const CONNECTION = 11; // connection, address, whether its certificate is one of the client CA's, certificate (bytes)
export const RECEIVED = 12; // connection, bytes
export const RECEIVED_END = 13; // connection
export const CONNECTION_TAKEN = 14; // connection, of the oldest bytes that were sent
export const CONNECTION_CLOSED = 15; // connection
export const CONNECTION_IDLE = 16; // connection, for as long as was asked for
export const LATE = 17; // stream, session, how many bytes of its whole answer its connection has not taken

/** From the pipeline. */
export const ANSWER = 1; // stream, status, place of its headers or these themselves, audit id, body (bytes)
export const BEGIN = 2; // stream, status, headers: pieces follow
export const PIECE = 3; // stream, bytes
export const LARGE_PIECE = 4; // stream, how many bytes of the buffer that comes with it
export const END = 5; // stream
export const RESET = 6; // stream: half an answer must not look like one that is still coming
export const WANT_BODY = 7; // stream
export const SEND = 8; // connection, bytes
export const SEND_END = 9; // connection
export const DROP = 10; // connection
export const PAUSE = 11; // connection
export const RESUME = 12; // connection
export const IDLE_LIMIT = 13; // connection, milliseconds
export const RENEW = 14; // TLS options
export const STOP_LISTENING = 15;
export const STOP = 16; // closes what is left
export const ANSWER_HEADERS = 17; // place, headers of answers without their audit ids

/** States of a body. */
export const COMPLETE = 0;
export const NOT_READ = 1;
export const TOO_LARGE = 2;
export const CUT_OFF = 3;
