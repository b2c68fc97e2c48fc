export { createBasePath } from './base-path.ts'
export { type ClientAddresses, createClientAddresses, parseCidr } from './client-address.ts'
export {
  type ConnectionLimits,
  connectionsWithin,
  createConnectionLimits,
  descriptorLimit,
} from './connection-limits.ts'
export { createHandshakeShares, handshakeOutcomes, limitHandshakes } from './handshakes.ts'
export { closeServer, type ListenOptions, listen, type PortServer, requireFreePorts } from './listen.ts'
export { requireOneAuthorization } from './one-authorization.ts'
export { createPublicHealth, type PublicHealthOptions } from './public-health.ts'
export { reachableHost } from './reachable-host.ts'
export { createHttpServer, type Handler, parseTarget } from './server.ts'
export type { ServerTls } from './server-tls.ts'
export { createStreamServer, noteAnswered, type Stream, type StreamHandler } from './streams.ts'
export { tracedRequests, tracedStreams } from './traced.ts'
