// What a server here wants of TLS, whoever brings the certificate.
import type { Server as TlsServer } from 'node:tls'

export interface Handshakes {
  /** Ends those that run: a server that closes has no other hold of them. */
  closeAll(): void
}

export interface ServerTls {
  /** For a server that is made now. */
  options(): { readonly cert: Buffer; readonly key: Buffer; readonly minVersion: 'TLSv1.2' | 'TLSv1.3' }
  /**
   * Bounds the handshakes of a server that is not listening yet; while it listens it gets every new pair.
   * Connections that are open keep theirs.
   */
  guard(server: TlsServer): Handshakes
}
