export { type ClientFront, type ClientFrontConfig, clientServerOptions, connectionMetrics, createClientFront } from './client-front.ts'
export { type ConnectionConfig, connectionSettings } from './process-connections.ts'
