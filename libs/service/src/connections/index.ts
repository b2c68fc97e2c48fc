export { type TlsConfig, tlsProblems } from '../tls/settings.ts'
export { type ClientFront, type ClientFrontConfig, clientServerOptions, connectionMetrics, createClientFront } from './client-front.ts'
export { connectionSettings } from './process-connections.ts'
