export type { Handshakes } from './handshakes.ts'
export { tlsMetrics } from './metrics.ts'
export { type ServerTls, serverTlsOf } from './server-tls.ts'
export { type TlsConfig, tlsProblems, tlsSettings } from './settings.ts'
