// What HTTP servers need for TLS, wherever the certificate comes from.
import type { Server as TlsServer } from 'node:tls'

export interface Handshakes {
  /** Ends handshakes that are in progress. A server that closes would not end these handshakes by itself. */
  closeAll(): void
}

export interface ServerTls {
  /** TLS options for a new server. */
  options(): { readonly cert: Buffer; readonly key: Buffer; readonly minVersion: 'TLSv1.2' | 'TLSv1.3' }
  /**
   * Limits the handshakes of a server that does not listen yet. When it listens, it gets every new key pair. Connections that are open keep
   * the key pair with which they began.
   */
  guard(server: TlsServer): Handshakes
}
