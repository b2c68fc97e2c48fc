// Defines how HTTP servers use TLS, independent of the source of the certificate.
import type { Server as TlsServer } from 'node:tls'

export interface Handshakes {
  /** Ends the handshakes in progress. Closing the server alone does not end them. */
  closeAll(): void
}

export interface ServerTls {
  options(): { readonly cert: Buffer; readonly key: Buffer; readonly minVersion: 'TLSv1.2' | 'TLSv1.3' }
  /**
   * Limits the TLS handshakes of the server. Must be called before the server listens. After each change of the key pair, the server uses
   * the new key pair for new connections.
   */
  guard(server: TlsServer): Handshakes
}
