export { type ClientFront, clientServerOptions, connectionMetrics, createClientFront } from './client-front.ts'
export { connectionSettings } from './process-connections.ts'
