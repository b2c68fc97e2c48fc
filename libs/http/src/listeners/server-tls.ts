// The interface through which HTTP servers use TLS. The interface does not depend on the source of the certificate.
import type { Server as TlsServer } from 'node:tls'

export interface Handshakes {
  /** Ends handshakes that are in progress, because closing the server does not end them. */
  closeAll(): void
}

export interface ServerTls {
  /** TLS options for a new server. */
  options(): { readonly cert: Buffer; readonly key: Buffer; readonly minVersion: 'TLSv1.2' | 'TLSv1.3' }
  /**
   * Limits the handshakes of a server that does not listen yet. A listening server gets every new key pair. Open connections keep the key
   * pair with which they began.
   */
  guard(server: TlsServer): Handshakes
}
