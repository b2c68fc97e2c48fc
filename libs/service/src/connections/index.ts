export { type TlsConfig, tlsProblems } from '../tls/index.ts'
export {
  type ClientListener,
  type ClientListenerConfig,
  clientServerOptions,
  connectionMetrics,
  createClientListener,
} from './client-listener.ts'
export { connectionSettings } from './process-connections.ts'
