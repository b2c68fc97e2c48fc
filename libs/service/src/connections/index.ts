export { type TlsConfig, tlsProblems } from '../tls/index.ts'
export { type ClientFront, type ClientFrontConfig, clientServerOptions, connectionMetrics, createClientFront } from './client-front.ts'
export { connectionSettings } from './process-connections.ts'
