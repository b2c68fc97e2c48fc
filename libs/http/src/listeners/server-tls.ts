// The TLS interface that HTTP servers need, independent of the certificate's source.
import type { Server as TlsServer } from 'node:tls'

export interface Handshakes {
  /** Ends running handshakes, which a closing server does not otherwise track. */
  closeAll(): void
}

export interface ServerTls {
  /** TLS options for a new server. */
  options(): { readonly cert: Buffer; readonly key: Buffer; readonly minVersion: 'TLSv1.2' | 'TLSv1.3' }
  /**
   * Limits the handshakes of a server that does not listen yet; once it listens, it receives every new key pair. Open
   * connections keep theirs.
   */
  guard(server: TlsServer): Handshakes
}
