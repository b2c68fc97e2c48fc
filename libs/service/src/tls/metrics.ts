// What a process says of its TLS. Of every service that clients reach.

import { handshakeOutcomes } from '@svc-server/http/listeners'
import { anyValue, defineMetrics } from '../metrics/definition.ts'

export const tlsMetrics = defineMetrics({
  tlsNotBefore: {
    type: 'gauge',
    name: 'svc_tls_certificate_not_before_timestamp_seconds',
    help: 'From when on the certificate in use is valid. Absent without TLS.',
    labels: { file: anyValue },
  },
  tlsNotAfter: {
    type: 'gauge',
    name: 'svc_tls_certificate_not_after_timestamp_seconds',
    help: 'Until when the certificate in use is valid. Absent without TLS.',
    labels: { file: anyValue },
  },
  tlsFault: {
    type: 'gauge',
    name: 'svc_tls_files_unusable',
    help: '1 while the files of certificate and key cannot be used as they are: the pair before is in use.',
  },
  tlsReloads: {
    type: 'counter',
    name: 'svc_tls_reloads_total',
    help: 'New contents of the files of certificate and key, by whether they were taken.',
    labels: { outcome: ['taken', 'refused'] },
  },
  tlsHandshakes: {
    type: 'counter',
    name: 'svc_tls_handshakes_total',
    help:
      'Connections to ports with TLS by how their handshake ended: done, refused (above SVC_TLS_HANDSHAKES_PER_SECOND), timeout, left ' +
      '(the client hung up), plaintext (the client spoke no TLS), failed (versions, ciphers, a certificate that the client does not trust).',
    labels: { outcome: handshakeOutcomes },
  },
  tlsToPlain: {
    type: 'counter',
    name: 'svc_tls_to_plain_port_total',
    help: 'Connections whose client spoke TLS, or no protocol of the port, to a port without TLS.',
  },
})
