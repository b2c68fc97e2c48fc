// The TLS metrics of every service with a client port.

import { handshakeOutcomes } from '@svc-server/http/listeners'
import { anyValue, defineMetrics } from '../metrics/definition.ts'

export const tlsMetrics = defineMetrics({
  tlsNotBefore: {
    type: 'gauge',
    name: 'svc_tls_certificate_not_before_timestamp_seconds',
    help: 'Time when the current certificate becomes valid. Absent without TLS.',
    labels: { file: anyValue },
  },
  tlsNotAfter: {
    type: 'gauge',
    name: 'svc_tls_certificate_not_after_timestamp_seconds',
    help: 'Time when the current certificate expires. Absent without TLS.',
    labels: { file: anyValue },
  },
  tlsFault: {
    type: 'gauge',
    name: 'svc_tls_files_unusable',
    help: 'The value is 1 while the certificate and key files are unusable and the previous pair stays in use.',
  },
  tlsReloads: {
    type: 'counter',
    name: 'svc_tls_reloads_total',
    help: 'Changes of the certificate and key files, by result. The result is “taken” if the server uses the new files, and “refused” if the server keeps the previous pair.',
    labels: { outcome: ['taken', 'refused'] },
  },
  tlsHandshakes: {
    type: 'counter',
    name: 'svc_tls_handshakes_total',
    help: 'TLS connections by the result of their handshake. The result is “refused” if the address has exceeded SVC_TLS_HANDSHAKES_PER_SECOND, “left” if the client disconnected, and “plaintext” if the client did not use TLS. The result is “failed” if there is no common version or cipher, or if the client does not trust the certificate.',
    labels: { outcome: handshakeOutcomes },
  },
  tlsToPlain: {
    type: 'counter',
    name: 'svc_tls_to_plain_port_total',
    help: 'Connections that failed because the client used TLS on a port without TLS, or a protocol that the port does not support.',
  },
})
