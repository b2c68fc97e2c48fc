// The TLS interface that HTTP servers need, independent of the certificate's source.
import type { Server as TlsServer } from 'node:tls'

export interface Handshakes {
  /** Ends handshakes that are in progress, because a closing server does not track them otherwise. */
  closeAll(): void
}

export interface ServerTls {
  /** TLS options for a new server. */
  options(): { readonly cert: Buffer; readonly key: Buffer; readonly minVersion: 'TLSv1.2' | 'TLSv1.3' }
  /**
   * Limits the handshakes of a server that does not listen yet; once it listens, it receives every new key pair. Open connections keep the
   * key pair that they began with.
   */
  guard(server: TlsServer): Handshakes
}
