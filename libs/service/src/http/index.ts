export { type ClientAddresses, createClientAddresses, parseCidr } from './client-address.ts'
export {
  type ConnectionLimits,
  connectionsWithin,
  createConnectionLimits,
  descriptorLimit,
  limitConnections,
} from './connection-limits.ts'
export { closeServer, type ListenOptions, listen, requireFree } from './listen.ts'
export { createHttpServer, type Handler, type HttpServerOptions, parseTarget, type Target } from './server.ts'
