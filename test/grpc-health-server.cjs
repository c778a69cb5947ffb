/** A gRPC server with the health service, for a container: `node grpc-health-server.cjs PORT`. It serves while /state/serving is there. */
const { existsSync } = require('node:fs');
const { Server, ServerCredentials, status } = require('@grpc/grpc-js');

const check = {
  path: '/grpc.health.v1.Health/Check',
  requestStream: false,
  responseStream: false,
  // HealthCheckRequest { string service = 1 }, HealthCheckResponse { ServingStatus status = 1 }.
  requestSerialize: (/** @type {string} */ service) => Buffer.from(service),
  requestDeserialize: (/** @type {Buffer} */ bytes) => bytes.subarray(2).toString(),
  responseSerialize: (/** @type {number} */ serving) => Buffer.from([8, serving]),
  responseDeserialize: (/** @type {Buffer} */ bytes) => bytes[1],
};

const server = new Server();
if (process.argv[3] !== 'without-health') {
  server.addService(
    { check },
    {
      check: (
        /** @type {{ request: string }} */ { request },
        /** @type {(error: object | null, serving?: number) => void} */ answer,
      ) => {
        if (request !== '' && request !== 'web') answer({ code: status.NOT_FOUND, details: 'unknown service' });
        else answer(null, existsSync('/state/serving') ? 1 : 2);
      },
    },
  );
}
server.bindAsync(`0.0.0.0:${process.argv[2]}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
});
